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
    #expect(await scene.emulator.requests().map(\.status) == [200, 401, 200])
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
}
