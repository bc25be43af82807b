import EngagementAdapterAPI
import EngagementModel
import EngagementTesting
import Testing

@testable import EngagementKit

/// Guarantees of the public interface that concern several features.
@Suite("public interface", .timeLimit(.minutes(20))) struct InterfaceTests {
  @Test("X1: a literal of providers keeps their order and reports an id that is there twice")
  func providers() async throws {
    let (one, two) = (PuppetAdapter("b"), PuppetAdapter("a"))
    let providers: Engagement.Providers = ["b": one, "a": two, "b": one]
    #expect(providers.list.map(\.id) == ["b", "a", "b"])
    let error = await failure {
      try await Engagement.open(
        cache: .temporary, device: .test, transport: ScriptedTransport([:]),
        providers: providers, routes: .init(cards: .none, inbox: .none))
    }
    #expect(error?.code == .invalidConfiguration)
    #expect(error?.message == "providers[2].id \"b\" is there twice; name them apart.")
  }

  @Test("X1: a device without an id gets one that is kept over restarts")
  func deviceID() async throws {
    let place = Stage.Place()
    func open() async throws -> Engagement {
      try await Engagement.open(
        cache: place.cache, device: .current(appID: "shop", appVersion: "1.0"),
        transport: ScriptedTransport([:]), providers: ["a": PuppetAdapter("a")],
        routes: .init(cards: .only("a"), inbox: .none),
        options: .init(secrets: place.secrets, clock: place.clock))
    }
    let first = try await open()
    let device = first.dependencies.device()
    #expect(!device.id.isEmpty && device.appID == "shop" && device.appVersion == "1.0")
    try await first.close()
    let second = try await open()
    #expect(second.dependencies.device().id == device.id)
    try await second.close()
  }

  @Test("X1: the current device has the language and the zone of its environment")
  func currentDevice() {
    let environment = ["LANG": "de_DE.UTF-8", "TZ": "Europe/Sofia"]
    let device = Device.current(appID: "shop", appVersion: nil) { environment[$0] }
    #expect(device.locale == "de_DE" && device.timeZone == "Europe/Sofia" && device.id == "")
    let plain = Device.current(appID: "shop", appVersion: nil) { ["LC_ALL": "C"][$0] }
    #expect(plain.locale == "en_US" && !plain.timeZone.isEmpty && !plain.systemVersion.isEmpty)
  }

  @Test("X1: closing ends every stream, and a later stream has the last value alone")
  func closedStreams() async throws {
    let stage = try await Stage([PuppetAdapter("a")])
    var cards = stage.engagement.cardUpdates(in: "home").makeAsyncIterator()
    var inbox = stage.engagement.inboxUpdates.makeAsyncIterator()
    #expect(await cards.next() != nil)
    #expect(await inbox.next() != nil)
    try await stage.engagement.close()
    #expect(await cards.next() == nil)
    #expect(await inbox.next() == nil)
    var late = stage.engagement.cardUpdates(in: "home").makeAsyncIterator()
    #expect(await late.next() == stage.engagement.cards(in: "home"))
    #expect(await late.next() == nil)
  }

  @Test("X1: a closed engagement refuses every call, and a refresh fails with the same error")
  func closed() async throws {
    let stage = try await Stage([PuppetAdapter("a")])
    try await stage.signIn("u-1")
    let engagement = stage.engagement
    try await stage.end()
    let calls: [(String, @Sendable () async throws -> Void)] = [
      ("track", { try await engagement.track("x") }),
      ("perform", { try await engagement.perform(.click, on: ItemID("a", "x")) }),
      ("updatePerson", { try await engagement.updatePerson(PersonUpdate(name: "N")) }),
      ("associate", { try await engagement.associate("p") }),
      ("updateDevice", { try await engagement.updateDevice() }),
      ("person", { _ = try await engagement.person(at: "a") }),
      ("pendingCounts", { _ = try await engagement.pendingCounts }),
      ("consent", { _ = try await engagement.consent }),
      ("setConsent", { try await engagement.setConsent(.full) }),
      ("signIn", { try await engagement.signIn("u-2") }),
      ("signOut", { _ = try await engagement.signOut() }),
      ("setRoute", { try await engagement.setRoute(.none, for: .cards) }),
      ("handlePush", { _ = try await engagement.handlePush([:]) }),
      ("unregisterPush", { try await engagement.unregisterPush() }),
      ("exportData", { _ = try await engagement.exportData(of: "u-1") }),
      ("eraseData", { _ = try await engagement.eraseData(of: "u-1") }),
      ("flush", { _ = try await engagement.flush() }),
      ("checkCache", { _ = try await engagement.checkCache() }),
      ("suspend", { try await engagement.suspend() }),
      ("resume", { try await engagement.resume() }),
      ("run", { try await engagement.run() }),
    ]
    for (name, call) in calls {
      let error = await failure { try await call() }
      #expect(error == Lifecycle.closed, "\(name)")
    }
    let outcome = await engagement.refresh(.inbox)
    #expect(outcome.providers == ["a": .failed(Lifecycle.closed)])
    #expect(!outcome.isComplete)
  }

  @Test("X1: an action that is accepted while nothing runs is warned of once")
  func warning() async throws {
    let stage = try await Stage([PuppetAdapter("a")])
    try await stage.signIn("u-1")
    try await stage.engagement.setConsent(.full)
    for _ in 0..<2 { try await stage.engagement.updatePerson(PersonUpdate(name: "N")) }
    let warnings = stage.lines.all.filter { $0.level == .warning }.map(\.message)
    #expect(
      warnings == [
        "An action was accepted, but nothing is sent until run() or flush() is called."
      ])
    try await stage.end()
  }

  @Test("X1: open and setRoute refuse the same routes with the same error")
  func routes() async throws {
    let stage = try await Stage([PuppetAdapter("a"), PuppetAdapter("b", abilities: [:])])
    let routes: [Route] = [.merge([]), .merge(["a", "a"]), .only("c"), .only("b")]
    for route in routes {
      let opened = await failure {
        try await Engagement.open(
          cache: .temporary, device: .test, transport: ScriptedTransport([:]),
          providers: ["a": PuppetAdapter("a"), "b": PuppetAdapter("b", abilities: [:])],
          routes: .init(cards: route, inbox: .none))
      }
      let set = await failure { try await stage.engagement.setRoute(route, for: .cards) }
      #expect(set?.code == .invalidConfiguration && set == opened, "\(route)")
      #expect(set?.message.hasPrefix("routes.cards ") == true)
    }
    try await stage.end()
  }

  @Test("X1: flush sends what is pending and reports it for each provider")
  func flush() async throws {
    let stage = try await Stage([PuppetAdapter("a"), PuppetAdapter("b", abilities: [:])])
    try await stage.signIn("u-1", consent: .full)
    let receipt = try await stage.engagement.updatePerson(PersonUpdate(name: "N"))
    let report = try await stage.engagement.flush()
    #expect(report.providers == ["a": .init(delivered: 1), "b": .init()])
    #expect(report.isComplete)
    #expect(try await receipt.outcome() == .delivered)
    try await stage.end()
  }

  @Test("X1: a refresh is complete only where a provider answered and none failed")
  func complete() {
    func isComplete(_ outcomes: [ProviderID: ProviderOutcome]) -> Bool {
      RefreshOutcome(outcomes).isComplete
    }
    let failed = ProviderOutcome.failed(EngagementError(.unavailable, "down"))
    #expect(isComplete(["a": .fresh, "b": .notModified, "c": .unsupported]))
    #expect(!isComplete([:]))
    #expect(!isComplete(["a": .unsupported]))
    #expect(!isComplete(["a": .fresh, "b": failed]))
    #expect(!isComplete(["a": .fresh, "b": .throttled(until: TestClock().now)]))
  }

  @Test("X1: signing in keeps the consent that the user gave, or takes the one that is passed")
  func consent() async throws {
    let stage = try await Stage([PuppetAdapter("a")])
    try await stage.signIn("u-1", consent: .essential)
    #expect(try await stage.engagement.consent == .essential)
    try await stage.signIn("u-2")
    #expect(try await stage.engagement.consent == .unknown)
    try await stage.signIn("u-1")
    #expect(try await stage.engagement.consent == .essential)
    try await stage.signIn("u-1", consent: .full)
    #expect(try await stage.engagement.consent == .full)
    try await stage.end()
  }

  @Test("X6: a reader pages through the events of a user and counts what was delivered")
  func readerEvents() async throws {
    let place = Stage.Place()
    let ids = ["one", "two", "three"]
    let stage = try await Stage([PuppetAdapter("a")], at: place) { _ in
      .json(200, #"["one","two","three"]"#)
    }
    try await stage.signIn("u-1", consent: .full)
    _ = await stage.engagement.refresh(.cards(in: "home"))
    for id in ids {
      try await stage.engagement.perform(.dismiss, on: ItemID("a", id), surface: .cards)
    }
    let reader = try EngagementReader.open(at: place, [PuppetAdapter("a")])
    let all = try reader.events().filter { $0.kind == .dismiss }
    #expect(all.map(\.item?.id.value) == ids)
    let next = try reader.events(after: all[0].sequence, limit: 1)
    #expect(next.map(\.item?.id.value) == ["two"])
    #expect(try reader.newestSequence == reader.events().last?.sequence)
    #expect(try reader.events(after: reader.newestSequence).isEmpty)
    #expect(try reader.events(of: "u-1").count == reader.events().count)
    #expect(try reader.knows("u-1") && !reader.knows("u-2"))
    #expect(throws: EngagementError.self) { try reader.events(of: "u-2") }
    let counts = try reader.deliveryCounts()["a"]
    #expect(counts?.accepted == 3 && counts?.pending == 3 && counts?.isConserved == true)
    #expect(try await stage.engagement.checkCache().isSound)
    try await stage.end()
  }
}
