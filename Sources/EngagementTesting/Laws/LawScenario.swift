import EngagementAdapterAPI
import EngagementHTTP
import EngagementKit
import EngagementModel

/// The setting in which a law tries an adapter: an `Engagement` with the adapter as its only
/// provider, a signed-in user, a network with faults, and the vendor's server.
///
/// Every secret from outside contains `canary`, so that the laws find a leaked one.
struct LawScenario: Sendable {
  let subject: AdapterSubject
  let server: InProcessServer
  let clock: TestClock
  let network: FaultyTransport
  /// Records every request that was sent, including repeats by a fault.
  let transport: ScriptedTransport
  let engagement: Engagement
  /// The adapter, for laws that call it directly.
  let adapter: any EngagementAdapter
  let folder: LawFolder
  let lines = Lines()
  let presenter = LawPresenter()
  /// The sockets that the engagement opens, whose server is the law.
  let sockets: ScriptedSockets
  private let secretStore = MemorySecretStore()
  private let observed: ObservedTransport
  private let asked: Locked<[UserID: Int]>

  static let user: User = "canary-ada"
  static let other: User = "canary-bob"

  /// - Parameters:
  ///   - signsIn: Whether a user is signed in, with full consent and push tokens that the vendor
  ///     has received.
  ///   - faults: Faults from the first request on, including those of the sign-in.
  init(
    _ subject: AdapterSubject, signsIn: Bool = true, faults: FaultScript = FaultScript()
  ) async throws {
    self.subject = subject
    let (clock, observed) = (TestClock(), ObservedTransport())
    let server = InProcessServer(
      subject.makeServer(clock.now), clock: clock, credentialHeaders: subject.credentialHeaders)
    (self.server, self.clock, self.observed) = (server, clock, observed)
    let network = FaultyTransport(faults, clock: clock, refusal: subject.refusal) {
      await server.answer($0)
    }
    self.network = network
    transport = ScriptedTransport { request throws(EngagementError) in
      try await observed.carry(request, over: network)
    }
    let sockets = ScriptedSockets(subject.transport(transport))
    self.sockets = sockets
    asked = Locked([:])
    adapter = subject.makeAdapter(AdapterSubject.provider)
    folder = try LawFolder()
    engagement = try await Engagement.open(
      cache: .file(folder.cache), device: .test, transport: sockets,
      providers: [AdapterSubject.provider: adapter], routes: Self.routes(to: adapter),
      templates: try Self.templates(of: subject, shownBy: presenter),
      options: Engagement.Options(
        environment: "law", secrets: secretStore, loggers: [lines], clock: clock,
        random: Self.random(),
        presentations: .init(withoutScene: subject.campaigns != nil)))
    observed.present = { [weak engagement] in engagement?.user ?? .anonymous }
    if signsIn { try await signIn(LawScenario.user) }
  }

  /// Opens the cache again, as after a kill. The first engagement must be closed.
  func reopened() async throws -> Engagement {
    try await Engagement.open(
      cache: .file(folder.cache), device: .test, transport: sockets,
      providers: [AdapterSubject.provider: adapter], routes: Self.routes(to: adapter),
      templates: try Self.templates(of: subject, shownBy: presenter),
      options: Engagement.Options(
        environment: "law", secrets: secretStore, loggers: [lines], clock: clock,
        random: Self.random(), presentations: .init(withoutScene: true)))
  }

  private static func templates(
    of subject: AdapterSubject, shownBy presenter: LawPresenter
  ) throws -> Engagement.Templates {
    guard let samples = subject.campaigns else { return [:] }
    return [
      AdapterSubject.provider: [
        .template(try Template.template(samples.template), shownBy: presenter)
      ]
    ]
  }

  /// Routes for each surface that the vendor has.
  private static func routes(to adapter: any EngagementAdapter) -> Engagement.Routes {
    func route(_ verb: Operation.Verb) -> Engagement.Route {
      adapter.capabilities.ability(verb).travel == .unsupported
        ? .none : .only(AdapterSubject.provider)
    }
    return Engagement.Routes(cards: route(.cards), inbox: route(.inbox))
  }

  /// Bits that count up: unique in one run, and the same in every run.
  private static func random() -> @Sendable () -> UInt64 {
    let random = Locked(SplitMix64(seed: 1))
    return { random.withLock { $0.next() } }
  }

  /// Collects every line, at the most detailed level.
  final class Lines: EngagementLogger {
    private let lines = Locked<[Engagement.LogLine]>([])
    let level = Engagement.LogLevel.verbose
    var all: [Engagement.LogLine] { lines.withLock { $0 } }
    func log(_ line: Engagement.LogLine) { lines.withLock { $0.append(line) } }
  }

  // MARK: Users

  /// Signs in the user with full consent, and sends the push tokens to the vendor.
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
    PushRegistration(token: Secret("00canary\(place)"), service: .fcm, environment: place)
  }

  /// How often the kit asked the application for a credential of the user.
  func credentialRequests(for user: User = LawScenario.user) -> Int {
    user.id.map { id in asked.withLock { $0[id] ?? 0 } } ?? 0
  }

  // MARK: Observed transport

  /// Answers every request with this from now on; nil lets the vendor answer again.
  func answer(with response: HTTPResponse?) { observed.answer(with: response) }

  /// Holds the answers to `count` requests at the gate, after `first` other requests.
  func hold(_ count: Int = 1, after first: Int = 0) {
    observed.hold(first..<(first + count))
  }

  /// Where answers are held. A held request that is cancelled opens it: a transport gives up at
  /// once.
  var gate: Gate { observed.gate }

  /// The requests that were sent while the user was signed in.
  func requests(in presence: User) -> [HTTPRequest] { observed.requests(in: presence) }

  /// How many answers are held now.
  var held: Int { observed.held }

  /// Waits until each of the tasks is held at the gate, waits for another task or has ended.
  func isStill(_ tasks: Int, over: @Sendable () -> Int) async {
    while held + engagement.waiting(for: AdapterSubject.provider) + over() < tasks {
      await Task.yield()
    }
  }
}

/// A transport between an engagement and its network that records requests and holds answers.
final class ObservedTransport: Sendable {
  private struct State {
    var present: @Sendable () -> User = { .anonymous }
    var gate = Gate()
    /// The answer to every request, instead of the vendor's.
    var answer: HTTPResponse?
    /// The numbers of the coming requests whose answers are held.
    var isHeld: Range<Int> = 0..<0
    var count = 0
    var held = 0
    var sent: [(request: HTTPRequest, present: User)] = []
  }

  private let state = Locked(State())

  /// Where answers are held now.
  var gate: Gate { state.withLock { $0.gate } }

  /// The current user. It is set after the engagement, which is created later than its transport.
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
