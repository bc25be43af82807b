import EngagementAdapterAPI
import EngagementKit
import EngagementModel

extension Law {
  static let live = [converges, deadPeer]

  private static let converges = Law(
    "live.converges", "the next full state repairs every loss, duplicate and delay",
    where: \.isLive
  ) { subject, findings in
    guard let samples = subject.live else { return }
    try await withServer(subject, samples, &findings) { (scenario, server, findings) in
      await server.checkOrder(&findings)
      var random = SplitMix64(seed: 20)
      for round in 0..<200 {
        if round.isMultiple(of: 10) { await server.restart() }
        await server.send(samples.updates.disordered(by: &random))
        if Int.random(in: 0..<4, using: &random) == 0 { await server.comeBack() }
        await server.send([samples.full])
        let seen = Set(scenario.cards(samples.feed).map(\.id.value))
        findings.expect(
          seen, is: samples.ids, "The feed differs from the full state.", "\(round)")
      }
    }
  }

  private static let deadPeer = Law(
    "live.dead-peer", "a silent peer is detected within two heartbeats",
    where: \.isLive
  ) { subject, findings in
    guard let samples = subject.live else { return }
    try await withServer(subject, samples, &findings) { (_, server, findings) in
      findings.expect(server.isOpen, "The channel closes before the peer is late.")
      let socket = server.socket
      await server.wait(for: samples.heartbeat * 2) { _ in socket?.isOpen == false }
      findings.expect(
        socket?.isOpen == false, "A dead peer is not detected.", "\(samples.heartbeat * 2)")
    }
  }

  /// Runs the body with an engagement that runs, shows the feed and has an open channel.
  private static func withServer(
    _ subject: AdapterSubject, _ samples: LiveSamples, _ findings: inout LawFindings,
    _ body: (LawScenario, inout LiveServer, inout LawFindings) async throws -> Void
  ) async throws {
    let scenario = try await LawScenario(subject)
    try await scenario.furnish()
    guard let container = samples.feed.container else {
      return findings.note("The feed of the live samples has no container.")
    }
    let engagement = scenario.engagement
    let running = Task { try await engagement.run() }
    let showing = Task { for await _ in engagement.cardUpdates(in: container) {} }
    var server = LiveServer(scenario, samples)
    if await server.open() {
      try await body(scenario, &server, &findings)
    } else {
      findings.note("The adapter opens no socket.")
    }
    running.cancel()
    showing.cancel()
    _ = await running.result
  }
}

/// A live channel of the engagement, whose server is the law.
private struct LiveServer {
  private let scenario: LawScenario
  private let samples: LiveSamples
  /// How many sockets were greeted.
  private var greeted = 0

  init(_ scenario: LawScenario, _ samples: LiveSamples) {
    (self.scenario, self.samples) = (scenario, samples)
  }

  var isOpen: Bool { socket != nil }

  /// The socket that is open.
  var socket: ScriptedSocket? { scenario.sockets.open.last }

  /// Waits for a socket and sends the greeting. False if the adapter opens none.
  mutating func open() async -> Bool {
    await wait(for: .seconds(600)) { $0.isOpen }
    guard let socket else { return false }
    guard scenario.sockets.all.count > greeted else { return true }
    greeted = scenario.sockets.all.count
    for greeting in samples.greeting { await say(greeting, on: socket) }
    return true
  }

  /// Breaks the socket, and greets the next one.
  mutating func comeBack() async {
    socket?.drop()
    await settle()
    _ = await open()
  }

  /// Sends the application to the background and back, which begins another conversation.
  mutating func restart() async {
    scenario.engagement.setScenePhase(.background)
    while isOpen { await Task.yield() }
    scenario.engagement.setScenePhase(.active)
    _ = await open()
  }

  mutating func send(_ messages: [[UInt8]]) async {
    for message in messages {
      // Without a socket there is no client to send to.
      guard await open(), let socket else { return }
      await say(message, on: socket)
    }
  }

  private func say(_ message: [UInt8], on socket: ScriptedSocket) async {
    socket.say(String(decoding: message, as: UTF8.self))
    await settle()
  }

  /// Waits until everything that was sent is handled.
  private func settle() async {
    while !scenario.sockets.open.allSatisfy(\.isIdle) || !scenario.engagement.hasIdleLiveChannels {
      await Task.yield()
    }
  }

  /// Lets time pass without a message from the server until the condition holds.
  func wait(for limit: Duration, until isDone: (LiveServer) -> Bool) async {
    let end = scenario.clock.uptime + limit
    await settle()
    while !isDone(self), scenario.clock.uptime < end {
      scenario.clock.advance(by: .seconds(1))
      await settle()
    }
  }

  /// Without faults the feed changes with the updates and equals the full state.
  mutating func checkOrder(_ findings: inout LawFindings) async {
    for (index, update) in samples.updates.enumerated() {
      let before = scenario.cards(samples.feed)
      await send([update])
      let isChanged = scenario.cards(samples.feed) != before
      findings.expect(isChanged, "An update is not applied.", "\(index)")
    }
    await send([samples.full])
    let seen = Set(scenario.cards(samples.feed).map(\.id.value))
    findings.expect(seen, is: samples.ids, "The feed differs from the full state.", "in order")
  }
}

extension [[UInt8]] {
  /// The messages as a bad network delivers them: with gaps and duplicates, in any order.
  fileprivate func disordered(by random: inout SplitMix64) -> [[UInt8]] {
    var messages = filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
    messages += filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
    if Bool.random(using: &random) { messages.shuffle(using: &random) }
    return messages
  }
}
