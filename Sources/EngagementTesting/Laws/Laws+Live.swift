import EngagementAdapterAPI
import EngagementKit
import EngagementModel

extension Law {
  static let live = [converges, deadPeer]

  private static let converges = Law(
    "live.converges", "the next full state repairs every loss, duplicate and delay",
    where: \.isLive
  ) { subject, findings in
    guard let samples = subject.live,
      case (let scenario, var channel)? = try await opened(subject, samples, &findings)
    else { return }
    try await channel.checkOrder(&findings)
    var random = SplitMix64(seed: 20)
    for round in 0..<200 {
      if round.isMultiple(of: 10), let another = try await LiveChannel(scenario, samples) {
        channel = another
      }
      try await channel.happen(samples.updates.disordered(by: &random))
      if Int.random(in: 0..<4, using: &random) == 0 { try await channel.comeBack() }
      try await channel.happen([samples.full])
      let seen = Set(scenario.cards(samples.feed).map(\.id.value))
      findings.expect(seen, is: samples.ids, "The feed differs from the full state.", "\(round)")
    }
  }

  private static let deadPeer = Law(
    "live.dead-peer", "a silent peer is detected within two heartbeats",
    where: \.isLive
  ) { subject, findings in
    guard let samples = subject.live,
      case (_, var channel)? = try await opened(subject, samples, &findings)
    else { return }
    findings.expect(channel.isOpen, "The channel closes before the peer is late.")
    try await channel.wait(for: samples.heartbeat * 2) { !$0.isOpen }
    findings.expect(!channel.isOpen, "A dead peer is not detected.", "\(samples.heartbeat * 2)")
  }

  /// A scenario with items and an open channel.
  private static func opened(
    _ subject: AdapterSubject, _ samples: LiveSamples, _ findings: inout LawFindings
  ) async throws -> (LawScenario, LiveChannel)? {
    let scenario = try await LawScenario(subject)
    try await scenario.furnish()
    if let channel = try await LiveChannel(scenario, samples) { return (scenario, channel) }
    findings.note("The adapter has no conversation.")
    return nil
  }
}

/// Runs a conversation: it commits the changes, runs timers on the scenario's clock and opens
/// sockets on request.
private struct LiveChannel {
  private let scenario: LawScenario
  private let samples: LiveSamples
  private var conversation: any Conversation
  private var timers: [String: Duration] = [:]
  /// The number of commits.
  private var commits = 0
  /// Whether the conversation has requested a socket that is not open yet.
  private var wantsSocket = false
  private(set) var isOpen = false

  /// Opens the channel up to the server's greeting; nil if the adapter has no live channel.
  init?(_ scenario: LawScenario, _ samples: LiveSamples) async throws {
    (self.scenario, self.samples) = (scenario, samples)
    guard let conversation = scenario.adapter.conversation(in: try await scenario.context()) else {
      return nil
    }
    self.conversation = conversation
    try await happen(.showing([samples.feed]))
    try await happen(.started)
    try await open()
  }

  /// Opens the requested socket and sends the greeting.
  private mutating func open() async throws {
    try await wait(for: .seconds(600)) { $0.wantsSocket }
    guard wantsSocket else { return }
    (wantsSocket, isOpen) = (false, true)
    try await happen(.opened)
    for greeting in samples.greeting { try await happen(.message(greeting)) }
  }

  /// Breaks the socket, and opens another one when the conversation requests it.
  mutating func comeBack() async throws {
    isOpen = false
    try await happen(.closed(code: 1006))
    try await open()
  }

  mutating func happen(_ messages: [[UInt8]]) async throws {
    for message in messages {
      // Without a socket there is no peer to send to.
      if !isOpen { try await open() }
      try await happen(.message(message))
    }
  }

  private mutating func happen(_ event: SocketEvent) async throws {
    for action in conversation.respond(to: event, in: try await scenario.context()) {
      switch action {
      case .commit(let changes):
        commits += 1
        try await scenario.engagement.commit(changes, from: AdapterSubject.provider)
      case .timer(let name, let delay): timers[name] = scenario.clock.uptime + delay
      case .cancelTimer(let name): timers[name] = nil
      case .connect: (wantsSocket, isOpen) = (true, false)
      case .close: isOpen = false
      case .send, .renewCredential, .poll, .record: break
      }
    }
  }

  /// Lets time pass without a message from the server until the condition holds.
  mutating func wait(
    for limit: Duration, until isDone: (LiveChannel) -> Bool
  ) async throws {
    let end = scenario.clock.uptime + limit
    while !isDone(self), let next = timers.min(by: { ($0.value, $0.key) < ($1.value, $1.key) }),
      next.value <= end
    {
      scenario.clock.advance(by: max(.zero, next.value - scenario.clock.uptime))
      timers[next.key] = nil
      try await happen(.timer(next.key))
    }
  }

  /// Without faults every update causes a commit, and the feed equals the full state.
  mutating func checkOrder(_ findings: inout LawFindings) async throws {
    for (index, update) in samples.updates.enumerated() {
      let before = commits
      try await happen([update])
      findings.expect(commits > before, "An update is not applied.", "\(index)")
    }
    try await happen([samples.full])
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
