import EngagementBraze
import EngagementBrazeTools
import EngagementCurl
import EngagementEmulator
import EngagementHTTP
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementTesting
import EngagementVendors
import EngagementVibes
import EngagementVibesTools
import Foundation
import Testing

/// The adapters and the emulated servers, each held against what the vendors' own clients do.
@Suite("the vendors' clients", .timeLimit(.minutes(20))) struct ThirdOpinionTests {
  private static var all: [ClientCall] { BrazeClient.calls + VibesClient.calls }

  // MARK: The adapters

  @Test("B1 B3 B7 V1 V8: every request is one that the vendor's own clients make")
  func adapters() async throws {
    let scene = try await ClientScene()
    try await Self.useEverything(scene)
    var met: [String: Int] = [:]
    for request in scene.network.requests {
      let rows = Self.all.filter { $0.matches(request) }
      guard let row = rows.first, rows.count == 1 else {
        Issue.record("no client makes \(request.method) \(request.url)")
        continue
      }
      met[row.name, default: 0] += 1
      #expect(row.differences(request) == [])
    }
    for row in Self.all { #expect(met[row.name] != nil, "\(row.name) was never tried") }
    try await scene.end()
  }

  @Test("a row notices what no client sends, and what each client sends and a request does not")
  func rows() throws {
    var good = HTTPRequest(.post, "http://a.example/mobile_apps/demo/devices/d/assign")
    try good.headers.append("Authorization", "MobileAppToken t")
    try good.headers.append("Content-Type", "application/json")
    good.body = Array(#"{"external_person_id":"u-1"}"#.utf8)
    #expect(Self.all.filter { $0.matches(good) }.map(\.name) == ["assign"])
    #expect(VibesClient.assign.differences(good) == [])
    var headless = good
    headless.headers.remove("Authorization")
    var strange = good
    try strange.headers.append("X-Trace", "1")
    var signedOtherwise = good
    try signedOtherwise.headers.set("Authorization", "Bearer t")
    var bodies = [#"{}"#, #"{"external_person_id":7}"#, #"{"external_person_id":"u","a":1}"#, "x"]
      .map { body in
        var request = good
        request.body = Array(body.utf8)
        return request
      }
    bodies += [headless, strange, signedOtherwise]
    for request in bodies { #expect(VibesClient.assign.differences(request).count == 1) }
    var list = good
    list.url = "http://a.example/mobile_apps/demo/persons/p/messages"
    #expect(Self.all.filter { $0.matches(list) }.isEmpty, "the method differs")
  }

  // MARK: The emulated servers

  @Test("B3 B7: the emulated Braze takes each call of the clients and answers what they need")
  func emulatedBraze() async throws {
    let hand = try await Hand(.braze)
    let opening: JSONObject = [
      "api_key": "demo", "time": .integer(hand.now), "sdk_version": "5.0.1", "device_id": "d-1",
    ]
    func opened(_ members: JSONObject) -> JSON {
      .object(JSONObject(uniqueMembers: opening.members + members.members))
    }
    let asked: JSON = ["user_id": "u-1", "config": ["config_time": 0]]
    let events = [
      ["name": "ss", "data": [:]], ["name": "ce", "data": ["n": "looked", "p": ["page": 3]]],
      ["name": "set", "data": ["key": "likes", "value": ["tea"]]],
    ].map { (event: JSONObject) -> JSON in
      var event = event
      event["time"] = .integer(hand.now)
      event["session_id"] = "5f0c"
      event["user_id"] = "u-1"
      return .object(event)
    }
    let data = opened([
      "events": .array(events), "respond_with": asked,
      "attributes": [["user_id": "u-1", "email": "a@b.c", "push_token": "0a"]],
    ])
    let sync = opened(["user_id": "u-1", "last_full_sync_at": 0, "last_card_updated_at": 0])
    for (call, body) in [(BrazeClient.data, data), (BrazeClient.sync, sync)] {
      let path = call.name == "data" ? "/api/v3/data/" : call.path
      let answer = try await hand.make(call, at: path, body, Self.brazeHeaders(call))
      #expect(answer.status == 201)
      #expect(call.answer?.differences(answer.json, at: call.name) == [])
      for (member, word) in [("api_key", "invalid_api_key"), ("device_id", "no_device_identifier")]
      {
        var less = body.object ?? [:]
        less[member] = nil
        let refusal = try await hand.send(
          call, at: path, .object(less), Self.brazeHeaders(call))
        #expect(refusal.json["error"] == .string(word), "\(call.name) without \(member)")
      }
    }
    let effects = await hand.emulator.effects().keys.map { "\($0.name) \($0.subject)" }
    for effect in ["ce looked", "set likes", "attribute email"] {
      #expect(effects.contains(effect), "\(effect)")
    }
    // Taken back as the clients do.
    let back = opened([
      "respond_with": asked, "attributes": [["user_id": "u-1", "push_token": .null]],
    ])
    _ = try await hand.make(
      BrazeClient.data, at: "/api/v3/data/", back, Self.brazeHeaders(BrazeClient.data))
    #expect(await hand.emulator.times("push_token") == 2)
    await hand.emulator.stop()
  }

  private static func brazeHeaders(_ call: ClientCall) -> [String: String] {
    var headers = [
      "Content-Type": "application/json", "X-Requested-With": "XMLHttpRequest",
      "X-Braze-Api-Key": "demo", "X-Braze-Last-Req-Ms-Ago": "7200000", "X-Braze-Req-Attempt": "1",
    ]
    guard call.name == "content_cards/sync" else { return headers }
    headers["X-Braze-ContentCardsRequest"] = "true"
    headers["X-Braze-DataRequest"] = "true"
    headers["BRAZE-SYNC-RETRY-COUNT"] = "0"
    return headers
  }

  @Test("V1 V8: the emulated Vibes takes each call of the clients and answers what they need")
  func emulatedVibes() async throws {
    let hand = try await Hand(.vibes)
    let app = "/mobile_apps/demo"
    let info: JSON = [
      "device": [
        "os": "iOS", "os_version": "17.1", "sdk_version": "4.8.3", "app_version": "2.0",
        "hardware_make": "Apple", "hardware_model": "iPhone15,2", "locale": "en_US",
        "timezone": "America/Chicago", "advertising_id": .null, "location": .null,
      ]
    ]
    let json = ["Content-Type": "application/json", "Accept": "application/json"]
    func good(
      _ call: ClientCall, _ path: String, _ body: JSON? = nil, _ headers: [String: String]
    ) async throws -> JSON {
      let answer = try await hand.make(call, at: app + path, body, headers)
      #expect((200...299).contains(answer.status), "\(call.name): \(answer.status)")
      #expect(call.answer?.differences(answer.json, at: call.name) ?? [] == [])
      return answer.json
    }
    let device = try await good(VibesClient.register, "/devices", info, json)
    let id = try #require(device["device"]?["vibes_device_id"]?.string)
    var token = ["Authorization": "MobileAppToken \(device["auth_token"]?.string ?? "")"]
    let own = "/devices/\(id)"
    let renewed = try await good(VibesClient.renew, own, info, json.merging(token) { $1 })
    token["Authorization"] = "MobileAppToken \(renewed["auth_token"]?.string ?? "")"
    let signed = json.merging(token) { $1 }
    _ = try await good(VibesClient.update, own, info, signed)
    _ = try await good(VibesClient.settings, "", nil, token)
    _ = try await good(
      VibesClient.assign, "\(own)/assign", ["external_person_id": "u-1"], signed)
    let person = try await good(VibesClient.person, "\(own)/person", nil, token)
    let mailbox = "/persons/\(person["person_key"]?.string ?? "")/messages"
    let list = try await good(VibesClient.messages, mailbox, nil, token)
    let one = "\(mailbox)/\(list.array?.first?["message_uid"]?.string ?? "")"
    _ = try await good(VibesClient.message, one, nil, token)
    let read = try await good(VibesClient.change, one, ["read": true], signed)
    #expect(read["read"] == true)
    _ = try await good(
      VibesClient.change, one, ["expires_at": "2019-07-10T15:06:55.012+00:00"], signed)
    _ = try await good(
      VibesClient.registerPush, "\(own)/push_registration", ["device": ["push_token": "0AFF"]],
      signed)
    for (type, attributes) in [
      ("launch", [:]), ("inbox_fetch", [:]), ("push_receive", [:]),
      ("clickthru", ["message_uid": "m", "activity_type": "Broadcast", "activity_uid": "a"]),
      ("inbox_open", ["message_uid": "m"]),
    ] as [(String, JSON)] {
      let event: JSON = [
        "uuid": .string(UUID().uuidString), "type": .string(type),
        "timestamp": "2026-10-01T09:00:00.000Z", "attributes": attributes,
      ]
      _ = try await good(
        VibesClient.events, "\(own)/events", ["events": [event]],
        signed.merging(["X-Event-Type": type]) { $1 })
      #expect(await hand.emulator.times(type) == 1)
    }
    _ = try await good(
      VibesClient.callback, "/migrations/callbacks",
      ["migration_item_id": "7", "vibes_device_id": .string(id)], signed)
    try await Self.refusals(hand, app, own, mailbox, json, signed)
    _ = try await good(
      VibesClient.unregisterPush, "\(own)/push_registration", nil, token)
    _ = try await good(VibesClient.unregister, own, nil, token)
    let gone = try await hand.send(VibesClient.person, at: "\(app)\(own)/person", nil, token)
    #expect(gone.status == 401 || gone.status == 404)
    await hand.emulator.stop()
  }

  /// A call without its credential, of another device or person, or without what it is about.
  private static func refusals(
    _ hand: Hand, _ app: String, _ own: String, _ mailbox: String, _ json: [String: String],
    _ signed: [String: String]
  ) async throws {
    let calls: [(ClientCall, String, JSON?, [String: String], ClosedRange<Int>)] = [
      (VibesClient.person, "\(own)/person", nil, [:], 401...401),
      (VibesClient.messages, mailbox, nil, [:], 401...401),
      (VibesClient.update, own, ["device": [:]], json, 401...401),
      (VibesClient.person, "/devices/unknown/person", nil, signed, 401...404),
      (VibesClient.messages, "/persons/unknown/messages", nil, signed, 401...404),
      (VibesClient.register, "/devices", ["device": [:]], json, 400...422),
      (VibesClient.assign, "\(own)/assign", [:], signed, 400...422),
      (VibesClient.registerPush, "\(own)/push_registration", ["device": [:]], signed, 400...422),
    ]
    for (call, path, body, headers, statuses) in calls {
      let answer = try await hand.send(call, at: app + path, body, headers)
      #expect(statuses.contains(answer.status), "\(call.name) at \(path): \(answer.status)")
    }
  }

  /// Everything that makes an adapter send something.
  private static func useEverything(_ scene: ClientScene) async throws {
    let engagement = scene.engagement
    try await scene.signIn("u-1")
    engagement.setScenePhase(.active)
    for target in [.settings, .cards(in: "home"), .inbox, .person] as [Engagement.RefreshTarget] {
      _ = await engagement.refresh(target)
    }
    for card in engagement.cards(in: "home").cards {
      try await engagement.perform(.impression, on: card.id)
      try await engagement.perform(.click, on: card.id)
      if card.isDismissible { try await engagement.perform(.dismiss, on: card.id) }
    }
    for message in engagement.inbox.messages.prefix(2) {
      try await engagement.perform(.open, on: message.id)
      try await engagement.perform(.read, on: message.id)
      _ = await engagement.refresh(.message(message.id))
    }
    try await engagement.perform(.delete, on: try #require(engagement.inbox.messages.last).id)
    try await engagement.track("looked", ["page": 3])
    try await engagement.track(.purchase, name: "beans", ["currency": "eur", "price": 9.5])
    var update = PersonUpdate()
    (update.email, update.phone, update.city) = ("ada@example.com", "+359 88", "Varna")
    (update.country, update.notifications) = ("BG", false)
    update.custom = ["tier": "gold", "likes": ["tea", "soup"], "gone": .null]
    try await engagement.updatePerson(update)
    try await engagement.registerPush(PushRegistration(token: Secret("0aff"), service: .apns))
    try await engagement.updateDevice()
    try await engagement.renewDeviceCredentials()
    try await scene.settle()
    for (vendor, draft) in [
      ("braze", ["title": "Hello"]), ("vibes", ["title": "Hello"]),
      ("vibes", ["silent": true, "migrationToken": "0a0b"]),
    ] as [(String, JSON)] {
      let push = try await scene.emulator.push(draft, from: vendor)
      _ = try await engagement.handlePush(push, phase: .delivered)
      _ = try await engagement.handlePush(push, phase: .opened)
    }
    try await scene.settle()
    engagement.setScenePhase(.background)
    try await engagement.unregisterPush()
    try await scene.settle()
    await scene.advance(by: .seconds(3_600))
    try await engagement.unregisterDevice()
    try await scene.settle()
    try await scene.signIn("u-2")
    _ = await engagement.refresh(.inbox)
    _ = try await engagement.signOut()
  }
}

/// An application with both vendors, and their servers.
private struct ClientScene {
  let emulator: Emulator
  let engagement: Engagement
  let network: RecordingTransport
  let clock = TestClock()
  private let folder: URL
  private let running: Task<Void, any Error>

  init() async throws {
    emulator = try await Emulator.start(.init([.braze, .vibes], clock: clock.now))
    network = RecordingTransport(CurlTransport())
    folder = FileManager.default.temporaryDirectory.appending(path: "clients-\(UUID())")
    let engagement = try await Engagement.open(
      cache: .file(folder.appending(path: "cache.sqlite").path), device: .test, transport: network,
      providers: [
        "braze": try .braze(endpoint: emulator.endpoint(of: "braze"), apiKey: Secret("demo")),
        "vibes": try .vibes(
          appID: "demo", endpoint: "\(emulator.endpoint(of: "vibes"))/mobile_apps"),
      ],
      routes: Engagement.Routes(cards: .only("braze"), inbox: .only("vibes")),
      options: Engagement.Options(secrets: MemorySecretStore(), clock: clock))
    self.engagement = engagement
    running = Task { try await engagement.run() }
  }

  func signIn(_ id: UserID) async throws {
    try await engagement.signIn(User(id), consent: .full)
  }

  func advance(by duration: Duration) async {
    await emulator.advanceClock(by: duration)
    clock.advance(by: duration)
  }

  /// Advances the clocks until nothing is pending.
  func settle() async throws {
    for _ in 0..<100 where try await engagement.pendingCounts.values.contains(where: { $0 > 0 }) {
      await advance(by: .seconds(60))
      for provider in ["braze", "vibes"] as [ProviderID] { await engagement.deliver(to: provider) }
    }
  }

  func end() async throws {
    running.cancel()
    try? await running.value
    try await engagement.close()
    await emulator.stop()
    try FileManager.default.removeItem(at: folder)
  }
}
