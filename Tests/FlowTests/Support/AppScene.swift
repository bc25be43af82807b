import EngagementAdapterAPI
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting

/// An application with one vendor, as its own code sees it: an engagement on a cache of its own,
/// whose vendor answers from a script.
struct AppScene: Sendable {
  let engagement: Engagement
  let transport: ScriptedTransport
  let clock: TestClock
  let provider: ProviderID

  /// - Parameters:
  ///   - variant: The complete variant, or one whose adapter lacks a feature.
  ///   - cache: Secrets are in a file beside it, or in memory for a temporary one.
  init(
    _ provider: ProviderID, _ adapter: any EngagementAdapter,
    behind variant: KitVariant = .complete, cache: Engagement.Cache = .temporary,
    clock: TestClock = TestClock(), loggers: [any EngagementLogger] = [],
    _ transport: ScriptedTransport
  ) async throws {
    (self.transport, self.clock, self.provider) = (transport, clock, provider)
    let adapter = variant.adapter(adapter)
    func route(_ verb: EngagementAdapterAPI.Operation.Verb) -> Engagement.Route {
      adapter.capabilities.ability(verb).travel == .unsupported ? .none : .only(provider)
    }
    engagement = try await Engagement.open(
      cache: cache, device: .test, transport: transport,
      providers: [provider: adapter],
      routes: Engagement.Routes(cards: route(.cards), inbox: route(.inbox)),
      options: Engagement.Options(
        environment: "flow", secrets: cache == .temporary ? MemorySecretStore() : nil,
        loggers: loggers, clock: clock))
  }

  /// Makes the user present, who agrees to everything, and sends what that brings.
  func signIn(
    _ user: User, credentials: @escaping Engagement.CredentialSource = { _ in nil }
  ) async throws {
    try await engagement.signIn(user, credentials: credentials)
    try await engagement.setConsent(.full)
    await deliver()
  }

  func refresh(_ target: Engagement.RefreshTarget) async -> Engagement.ProviderOutcome? {
    await engagement.refresh(target).providers[provider]
  }

  @discardableResult func perform(
    _ action: ItemAction, on id: String
  ) async throws -> Engagement.Receipt {
    try await engagement.perform(action, on: ItemID(provider, id))
  }

  func execute(_ operation: EngagementAdapterAPI.Operation) async -> OperationRunner.Outcome {
    await engagement.execute(operation, with: provider)
  }

  /// All of them at the same time; what the test does comes once they are under way.
  func execute(
    _ operations: [EngagementAdapterAPI.Operation], meanwhile: () async -> Void
  ) async -> [OperationRunner.Outcome] {
    await withTaskGroup(of: OperationRunner.Outcome.self) { group in
      for operation in operations { group.addTask { await execute(operation) } }
      await meanwhile()
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  /// Waits until so many operations wait for another one's work.
  func waiters(_ count: Int) async {
    while engagement.waiting(for: provider) < count, !Task.isCancelled { await Task.yield() }
  }

  /// Sends what can be sent now.
  func deliver() async { await engagement.deliver(to: provider) }

  /// Lets time pass and sends what can be sent then. Ten seconds are enough after two failures.
  func deliver(after time: Duration) async {
    clock.advance(by: time)
    await deliver()
  }

  /// Commits what the vendor brings by another way than an answer.
  func commit(_ changes: [Change]) async throws {
    try await engagement.commit(changes, from: provider)
  }

  var pending: Int {
    get async throws { try await engagement.pendingCounts[provider] ?? 0 }
  }

  /// All that the adapter may know now.
  var context: AdapterContext {
    get async throws { try await engagement.context(of: provider) }
  }

  var person: Person? { get async throws { try await engagement.person(at: provider) } }

  var messages: [String] { engagement.inbox.messages.map(\.id.value) }

  func cards(in container: ContainerID = "home") -> [String] {
    engagement.cards(in: container).cards.map(\.id.value)
  }

  func end() async throws { try await engagement.close() }
}

extension Engagement.ProviderOutcome {
  /// Why nothing came; nil where something did.
  var fault: EngagementError? {
    switch self {
    case .stale(_, let error), .failed(let error): error
    case .fresh, .notModified, .throttled, .unsupported: nil
    }
  }
}
