import EngagementAdapterAPI
import EngagementHTTP
import EngagementKit
import EngagementModel

/// Where a law tries an adapter: an `Engagement` with the adapter as its one provider, a user who
/// is signed in, a network with faults, and the vendor's server.
///
/// Every secret that comes from outside has `canary` in it, so that one that leaks is found.
struct LawScenario: Sendable {
  let subject: AdapterSubject
  let server: InProcessServer
  let clock: TestClock
  let network: FaultyTransport
  /// Everything that was sent, with the faults already in it.
  let transport: ScriptedTransport
  let engagement: Engagement
  /// The adapter, for what is asked of it alone.
  let adapter: any EngagementAdapter
  let folder: LawFolder
  let lines = Lines()
  private let observed: ObservedTransport
  private let asked: Locked<[UserID: Int]>

  static let user: User = "canary-ada"
  static let other: User = "canary-bob"

  /// - Parameters:
  ///   - signsIn: Whether somebody is signed in, has agreed to everything and has push tokens, and
  ///     the vendor was told.
  ///   - faults: What goes wrong from the first request on, those of the sign-in too.
  init(
    _ subject: AdapterSubject, signsIn: Bool = true, faults: FaultScript = FaultScript()
  ) async throws {
    self.subject = subject
    let (clock, observed) = (TestClock(), ObservedTransport())
    let server = InProcessServer(
      subject.makeServer(clock.now), clock: clock, credentialHeaders: subject.credentialHeaders)
    (self.server, self.clock, self.observed) = (server, clock, observed)
    let network = FaultyTransport(faults, clock: clock) { await server.answer($0) }
    self.network = network
    transport = ScriptedTransport { request throws(EngagementError) in
      try await observed.carry(request, over: network)
    }
    asked = Locked([:])
    adapter = subject.makeAdapter(AdapterSubject.provider)
    folder = try LawFolder()
    engagement = try await Engagement.open(
      cache: .file(folder.cache), device: .test, transport: subject.transport(transport),
      providers: [AdapterSubject.provider: adapter], routes: Self.routes(to: adapter),
      options: Engagement.Options(
        environment: "law", secrets: MemorySecretStore(), loggers: [lines], clock: clock,
        random: Self.random()))
    observed.present = { [weak engagement] in engagement?.user ?? .anonymous }
    if signsIn { try await signIn(LawScenario.user) }
  }

  /// Each surface that the vendor has.
  private static func routes(to adapter: any EngagementAdapter) -> Engagement.Routes {
    func route(_ verb: Operation.Verb) -> Engagement.Route {
      adapter.capabilities.ability(verb).travel == .unsupported
        ? .none : .only(AdapterSubject.provider)
    }
    return Engagement.Routes(cards: route(.cards), inbox: route(.inbox))
  }

  /// Bits that count up: never the same twice, the same in every run.
  private static func random() -> @Sendable () -> UInt64 {
    let random = Locked(SplitMix64(seed: 1))
    return { random.withLock { $0.next() } }
  }

  /// Takes down every line, at the most talkative level.
  final class Lines: EngagementLogger {
    private let lines = Locked<[Engagement.LogLine]>([])
    let level = Engagement.LogLevel.verbose
    var all: [Engagement.LogLine] { lines.withLock { $0 } }
    func log(_ line: Engagement.LogLine) { lines.withLock { $0.append(line) } }
  }

  // MARK: Users

  /// Makes the user present, who agrees to everything, with push tokens that the vendor is told of.
  func signIn(_ user: User) async throws {
    let (asked, subject) = (asked, subject)
    try await engagement.signIn(user) { _ in
      guard let id = user.id else { return nil }
      let serial = asked.withLock { asked in
        asked[id, default: 0] += 1
        return asked[id] ?? 0
      }
      return subject.credential(id, serial)
    }
    try await engagement.setConsent(.full)
    if subject.declares(.registerPush) {
      for place in PushEnvironment.allCases {
        try await engagement.registerPush(Self.pushToken(for: place))
      }
    }
    await engagement.deliver(to: AdapterSubject.provider)
  }

  static func pushToken(for place: PushEnvironment) -> PushRegistration {
    PushRegistration(token: Secret("00canary\(place)"), service: .apns, environment: place)
  }

  /// How often the application was asked for a credential of the user.
  func credentialRequests(for user: User = LawScenario.user) -> Int {
    user.id.map { id in asked.withLock { $0[id] ?? 0 } } ?? 0
  }

  // MARK: The observed

  /// Answers every request with this from now on; nil lets the vendor answer again.
  func answer(with response: HTTPResponse?) { observed.answer(with: response) }

  /// Holds the answers to so many requests at the gate: those after so many others from now.
  func hold(_ count: Int = 1, after first: Int = 0) {
    observed.hold(first..<(first + count))
  }

  /// Where answers are held. A held request that is cancelled opens it: a transport gives up at
  /// once.
  var gate: Gate { observed.gate }

  /// What was sent while the user was present.
  func requests(in presence: User) -> [HTTPRequest] { observed.requests(in: presence) }

  /// How many answers are held now.
  var held: Int { observed.held }

  /// Waits until nothing of so many tasks can go on by itself: each is held at the gate, waits for
  /// another's work or is over.
  func isStill(_ tasks: Int, over: @Sendable () -> Int) async {
    while held + engagement.waiting(for: AdapterSubject.provider) + over() < tasks {
      await Task.yield()
    }
  }
}

/// What is between an engagement and its network, for a law to look at and to hold.
final class ObservedTransport: Sendable {
  private struct State {
    var present: @Sendable () -> User = { .anonymous }
    var gate = Gate()
    /// What every request is answered with, whatever the vendor would say.
    var answer: HTTPResponse?
    /// The requests from now on whose answers are held.
    var isHeld: Range<Int> = 0..<0
    var count = 0
    var held = 0
    var sent: [(request: HTTPRequest, present: User)] = []
  }

  private let state = Locked(State())

  /// Where answers are held now.
  var gate: Gate { state.withLock { $0.gate } }

  /// Who is present; the engagement knows, and is made later than its network.
  var present: @Sendable () -> User {
    get { state.withLock { $0.present } }
    set { state.withLock { $0.present = newValue } }
  }

  func hold(_ range: Range<Int>) {
    state.withLock { state in
      (state.isHeld, state.count) = (range, 0)
      state.gate = Gate()
    }
  }

  /// Answers every request with this from now on; nil lets the vendor answer again.
  func answer(with response: HTTPResponse?) { state.withLock { $0.answer = response } }

  /// How many answers are held now.
  var held: Int { state.withLock { $0.held } }

  func requests(in presence: User) -> [HTTPRequest] {
    state.withLock { $0.sent }.filter { $0.present == presence }.map(\.request)
  }

  func carry(
    _ request: HTTPRequest, over network: FaultyTransport
  ) async throws(EngagementError) -> HTTPResponse {
    let user = present()
    let (gate, answer) = state.withLock { state in
      state.sent.append((request, user))
      defer { state.count += 1 }
      return (state.isHeld.contains(state.count) ? state.gate : nil, state.answer)
    }
    let response: HTTPResponse
    if let answer { response = answer } else { response = try await network.send(request) }
    if let gate { await pass(gate) }
    if Task.isCancelled { throw EngagementError(.cancelled, "It was cancelled.") }
    return response
  }

  private func pass(_ gate: Gate) async {
    state.withLock { $0.held += 1 }
    await withTaskCancellationHandler {
      await gate.pass()
    } onCancel: {
      gate.open()
    }
    state.withLock { $0.held -= 1 }
  }
}
