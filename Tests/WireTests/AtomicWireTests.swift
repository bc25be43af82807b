import EngagementEmulator
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementVendors
import Testing

/// The adapter, the transport and the vendor's server over a loopback connection: requests and the web
/// socket.
@Suite("Atomic over the wire", .timeLimit(.minutes(5)))
struct AtomicWireTests {
  @Test("A1 A3 A8: a feed comes over the socket, and so does each change of a card")
  func live() async throws {
    let scene = try await AtomicWireScene()
    try await scene.put("c-1", title: "Rent")
    try await scene.run { engagement in
      try await scene.wait(for: ["Rent"], in: engagement)
      try await scene.put("c-2", priority: 1, title: "Heat")
      try await scene.wait(for: ["Heat", "Rent"], in: engagement)
      try await scene.put("c-1", title: "Rent of October")
      try await scene.wait(for: ["Heat", "Rent of October"], in: engagement)
      _ = try await scene.emulator.remove("c-2", from: "atomic")
      try await scene.wait(for: ["Rent of October"], in: engagement)
    }
    let lines = await scene.lines()
    #expect(
      lines == ["GET /env-1/socket", "auth of u-1", "subscribe to 1 of 1"],
      "no request for the feed")
    #expect(scene.questionCount == 1)
    try await scene.end()
  }

  @Test("A3 A8 A17: without a socket a refresh brings the feed, and an unchanged one costs a 304")
  func overHTTP() async throws {
    let scene = try await AtomicWireScene()
    try await scene.put("c-1", title: "Rent")
    try await scene.run(isLive: false) { engagement in
      func refresh() async -> Engagement.ProviderOutcome? {
        await engagement.refresh(.cards(in: AtomicWireScene.place))
          .providers[AtomicWireScene.provider]
      }
      #expect(await refresh() == .fresh)
      #expect(await refresh() == .notModified)
      try await scene.put("c-2", priority: 1, title: "Heat")
      #expect(await refresh() == .fresh)
      try await scene.wait(for: ["Heat", "Rent"], in: engagement)
    }
    #expect(await scene.emulator.requests().map(\.status) == [200, 304, 200])
    try await scene.end()
  }

  @Test("A3: a vendor that refuses its socket is polled, every fifteen seconds")
  func polls() async throws {
    let scene = try await AtomicWireScene()
    try await scene.emulator.configure("atomic", ["socket": false])
    try await scene.put("c-1", title: "Rent")
    try await scene.run { engagement in
      try await scene.wait(for: ["Rent"], in: engagement)
      try await scene.wait { engagement.hasIdleLiveChannels }
      try await scene.put("c-2", priority: 1, title: "Heat")
      await scene.advance(by: .seconds(15))
      try await scene.wait(for: ["Heat", "Rent"], in: engagement)
    }
    let requests = await scene.emulator.requests()
    #expect(requests.first { $0.path.hasSuffix("/socket") }?.status == 503)
    #expect(await scene.emulator.sockets().isEmpty)
    try await scene.end()
  }

  @Test("A3: a cut socket leads to polling at once, and to a socket again after nine polls")
  func cut() async throws {
    let scene = try await AtomicWireScene()
    try await scene.put("c-1", title: "Rent")
    try await scene.run { engagement in
      try await scene.wait(for: ["Rent"], in: engagement)
      let socket = try #require(await scene.emulator.sockets().first)
      try await scene.emulator.drop(socket.number)
      try await scene.wait { await scene.lines().contains("GET /env-1/feed/BqWL1sT") }
      try await scene.wait { engagement.hasIdleLiveChannels }
      var turns = 0
      while await scene.emulator.sockets().isEmpty {
        turns += 1
        await scene.advance(by: .seconds(15))
        try await scene.wait { engagement.hasIdleLiveChannels }
      }
      #expect(turns == 9)
      try await scene.put("c-2", priority: 1, title: "Heat")
      try await scene.wait(for: ["Heat", "Rent"], in: engagement)
    }
    try await scene.end()
  }

  @Test("A3: a socket that the vendor closes with 1011 is opened again after a tenth of a second")
  func closed() async throws {
    let scene = try await AtomicWireScene()
    try await scene.put("c-1", title: "Rent")
    try await scene.run { engagement in
      try await scene.wait(for: ["Rent"], in: engagement)
      let socket = try #require(await scene.emulator.sockets().first)
      try await scene.emulator.drop(socket.number, with: SocketClose(.internalError))
      try await scene.wait { await scene.emulator.sockets().isEmpty }
      try await scene.wait { scene.logLines.contains { $0.hasSuffix("closed with 1011.") } }
      try await scene.wait { engagement.hasIdleLiveChannels }
      await scene.advance(by: .milliseconds(100))
      try await scene.wait { await !scene.emulator.sockets().isEmpty }
      try await scene.put("c-2", priority: 1, title: "Heat")
      try await scene.wait(for: ["Heat", "Rent"], in: engagement)
    }
    #expect(await !scene.lines().contains("GET /env-1/feed/BqWL1sT"), "nothing was polled")
    try await scene.end()
  }

  // MARK: Tokens

  @Test("A2 A3: when a token expires, the socket goes on with the application's next one")
  func expiryOnSocket() async throws {
    let scene = try await AtomicWireScene()
    try await scene.put("c-1", title: "Rent")
    try await scene.run { engagement in
      try await scene.wait(for: ["Rent"], in: engagement)
      // The socket asks the application once in thirty seconds at most.
      await scene.advance(by: .seconds(30))
      try await scene.wait { engagement.hasIdleLiveChannels }
      try await scene.emulator.expireCredentials(of: "atomic")
      try await scene.wait { await scene.lines().count { $0 == "subscribe to 1 of 1" } == 2 }
      try await scene.put("c-2", priority: 1, title: "Heat")
      try await scene.wait(for: ["Heat", "Rent"], in: engagement)
    }
    #expect(scene.questionCount == 2)
    #expect(await scene.lines().count { $0 == "GET /env-1/socket" } == 1)
    try await scene.end()
  }

  @Test("A2: when a token expires, an action is sent again with the application's next one")
  func expiryOfAction() async throws {
    let scene = try await AtomicWireScene()
    try await scene.put("c-1", title: "Rent")
    try await scene.run(isLive: false) { engagement in
      _ = await engagement.refresh(.cards(in: AtomicWireScene.place))
      try await scene.emulator.expireCredentials(of: "atomic")
      #expect(try await scene.outcome(engagement, of: .dismiss, on: "c-1") == .delivered)
    }
    #expect(scene.questionCount == 2)
    #expect(await scene.emulator.times("card-dismissed", of: "c-1") == 1)
    #expect(await scene.emulator.requests().map(\.status).prefix(3) == [200, 401, 200])
    try await scene.end()
  }

  // MARK: Actions

  @Test("A10 A15 A16: each action arrives once, and the socket tells what became of the card")
  func actions() async throws {
    let scene = try await AtomicWireScene()
    for (id, title) in [("c-1", "Rent"), ("c-2", "Heat"), ("c-3", "Water")] {
      try await scene.put(id, priority: Int64(title.utf8.count), title: title)
    }
    try await scene.run { engagement in
      try await scene.wait { engagement.cards(in: AtomicWireScene.place).cards.count == 3 }
      let vote = ItemAction.vote(useful: false, reason: .other, message: "Too loud")
      #expect(try await scene.outcome(engagement, of: vote, on: "c-3") == .delivered)
      #expect(try await scene.outcome(engagement, of: .dismiss, on: "c-1") == .delivered)
      let submission = ItemAction.submit(button: "pay", values: ["amount": 5, "now": true])
      #expect(try await scene.outcome(engagement, of: submission, on: "c-2") == .delivered)
      try await scene.wait(for: ["Water"], in: engagement)
      #expect(
        try await scene.outcome(engagement, of: .snooze(seconds: 20), on: "c-3") == .delivered)
      try await scene.wait(for: [], in: engagement)
      await scene.advance(by: .seconds(20))
      try await scene.wait(for: ["Water"], in: engagement)
    }
    for (effect, id) in [
      ("card-voted-down", "c-3"), ("card-dismissed", "c-1"), ("card-completed", "c-2"),
      ("card-snoozed", "c-3"),
    ] {
      #expect(await scene.emulator.times(effect, of: id) == 1, "\(effect)")
    }
    try await scene.end()
  }

  @Test("A22 A27 A20: metrics, the person and pushes reach the vendor and come back")
  func others() async throws {
    let scene = try await AtomicWireScene()
    try await scene.put("c-1", title: "Rent")
    try await scene.run(isLive: false) { engagement in
      let metrics = await engagement.refresh(.metrics).providers[AtomicWireScene.provider]
      #expect(metrics == .fresh)
      var update = PersonUpdate()
      update.name = "Ada"
      let receipt = try await engagement.updatePerson(update)
      await engagement.deliver(to: AtomicWireScene.provider)
      #expect(try await receipt.outcome() == .delivered)
      let push = try await scene.emulator.push(["item": "c-1"], from: "atomic")
      let received = try #require(try await engagement.handlePush(push, phase: .delivered))
      #expect(received.notification.itemID == "c-1")
      #expect(received.notification.containerID == "BqWL1sT")
    }
    #expect(await scene.emulator.times("update-user", of: "profile") == 1)
    try await scene.end()
  }

  // MARK: What a screen knows

  @Test("A18 A22 A28 A29: what a screen reports reaches the vendor in order, with its card")
  func screen() async throws {
    let scene = try await AtomicWireScene()
    try await scene.put("c-1", title: "Rent")
    try await scene.run { engagement in
      try await scene.wait(for: ["Rent"], in: engagement)
      _ = await engagement.refresh(.metrics)
      var metrics = engagement.cardMetricsUpdates(
        at: AtomicWireScene.provider, in: AtomicWireScene.place
      ).makeAsyncIterator()
      #expect(await metrics.next() == .init(active: 1, unseen: 1))
      let card = ItemID(AtomicWireScene.provider, "c-1")
      engagement.setScenePhase(.active)
      let events: [Engagement.ScreenEvent] = [
        .containerShown(AtomicWireScene.place, as: .stream), .visible(card, fraction: 0.1),
        .subviewOpened(card, subview: "sv1"), .subviewLeft(card, subview: "sv1"),
        .linkFollowed(card, .url("https://example.com/a"), from: .textLink),
        .linkFollowed(card, .payload(["a": 1]), from: .image),
        .linkFollowed(card, .subview("sv1"), from: .linkButton),
        .videoStarted(card, urlText: "https://example.com/v/a.mp4?x=1"),
        .videoCompleted(card, urlText: "https://example.com/v/a.mp4"),
        .snoozeOptionsShown(card), .snoozeOptionsCancelled(card), .hidden(card),
        .visible(ItemID(AtomicWireScene.provider, "none"), fraction: 1),
      ]
      for event in events { engagement.recordScreenEvent(event) }
      #expect(await metrics.next() == .init(active: 1, unseen: 0), "displayed on this device")
      try await scene.wait {
        await scene.emulator.times("snooze-options-canceled", of: "c-1") == 1
      }
      _ = await engagement.refresh(.metrics)
      #expect(
        try await engagement.cardMetrics(at: AtomicWireScene.provider)
          == .init(active: 1, unseen: 0), "displayed as the vendor knows")
    }
    let names = await scene.emulator.effects(of: "c-1")
    #expect(
      names == [
        "card-displayed", "card-subview-displayed", "card-subview-exited", "user-redirected",
        "user-redirected", "video-played", "video-completed", "snooze-options-displayed",
        "snooze-options-canceled",
      ])
    #expect(await scene.emulator.times("stream-displayed", of: "") == 1)
    try await scene.end()
  }

  @Test("A20: token and containers are told for each user, and a push is receipted with its card")
  func pushes() async throws {
    let scene = try await AtomicWireScene()
    try await scene.put("c-1", title: "Rent")
    try await scene.run(isLive: false) { engagement in
      try await engagement.registerPush(.init(token: Secret("0aff"), service: .apns))
      try await engagement.setPushContainers([AtomicWireScene.place], notifications: true)
      await engagement.deliver(to: AtomicWireScene.provider)
      let push = try await scene.emulator.push(["item": "c-1"], from: "atomic")
      _ = try await engagement.handlePush(push, phase: .delivered)
      _ = try await engagement.handlePush(push, phase: .delivered)
      await engagement.deliver(to: AtomicWireScene.provider)
      _ = try await engagement.signOut()
      try await scene.signIn("u-2", to: engagement)
      await engagement.deliver(to: AtomicWireScene.provider)
    }
    #expect(await scene.emulator.times("notification-received", of: "c-1") == 1)
    let lines = await scene.lines().filter { $0.contains("/register") }
    #expect(
      lines == [
        "PUT /env-1/register", "PUT /env-1/register-containers", "PUT /env-1/register",
        "PUT /env-1/register-containers",
      ])
    try await scene.end()
  }

  @Test("A1 A20: before a sign-in nothing is accepted, and a push token is told after it")
  func beforeSignIn() async throws {
    let scene = try await AtomicWireScene()
    try await scene.run(isLive: false, signsIn: false) { engagement in
      try await engagement.setConsent(.full)
      for call in [
        { try await engagement.track("opened") },
        { try await engagement.setPushContainers([AtomicWireScene.place]) },
      ] as [() async throws -> Engagement.Receipt] {
        await #expect {
          try await call()
        } throws: { ($0 as? EngagementError)?.code == .signedOut }
      }
      try await engagement.registerPush(.init(token: Secret("0aff"), service: .apns))
      engagement.setScenePhase(.active)
      #expect(try await engagement.pendingCounts.values.allSatisfy { $0 == 0 })
      try await scene.signIn("u-1", to: engagement)
      await engagement.deliver(to: AtomicWireScene.provider)
    }
    #expect(await scene.lines().contains("PUT /env-1/register"))
    try await scene.end()
  }

  @Test(
    "A10 A13: a valid form is submitted, and its payload is handed over once the vendor took it")
  func form() async throws {
    let scene = try await AtomicWireScene()
    try await scene.emulator.putForm("c-1")
    try await scene.run(isLive: false) { engagement in
      _ = await engagement.refresh(.cards(in: AtomicWireScene.place))
      let card = try #require(engagement.cards(in: AtomicWireScene.place).cards.first)
      let button = try #require(card.buttons.first)
      var form = card.form()
      await #expect {
        try await engagement.submit(form, by: button, on: card)
      } throws: { ($0 as? EngagementError)?.code == .invalidArgument }
      form["note"] = "Tuesday"
      var events = try await engagement.eventUpdates().makeAsyncIterator()
      let receipt = try await engagement.submit(form, by: button, on: card)
      #expect(await events.next()?.kind == .submit)
      await engagement.deliver(to: AtomicWireScene.provider)
      #expect(try await receipt.outcome() == .delivered)
      let taken = try #require(await events.next())
      #expect(taken.kind == .submitted && taken.item?.id == card.id)
      #expect(taken.properties == ["button": "send", "payload": ["screen": "thanks"]])
    }
    #expect(await scene.emulator.times("card-completed", of: "c-1") == 1)
    try await scene.end()
  }
}

extension Emulator {
  /// What was done to a card, in order.
  fileprivate func effects(of card: String) async -> [String] {
    await requests().flatMap(\.effects).filter { $0.subject == card }.map(\.name)
  }

  fileprivate func putForm(_ id: String) async throws {
    let rule: JSON = ["required": ["attributes": ["required": true]]]
    _ = try await put(
      [
        "instance": ["id": .string(id)],
        "defaultView": [
          "nodes": [
            [
              "type": "form", "attributes": ["defaultValues": ["source": "card"]],
              "children": [
                ["type": "textInput", "attributes": ["name": "note"], "validations": rule],
                [
                  "type": "checkboxGroup", "attributes": ["name": "extras"],
                  "children": [["type": "checkboxItem", "attributes": ["key": "heat"]]],
                ],
                [
                  "type": "submitButton",
                  "attributes": ["text": "Send", "name": "send", "action": ["screen": "thanks"]],
                ],
              ],
            ]
          ]
        ],
      ], in: "atomic")
  }
}
