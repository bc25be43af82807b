import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementTesting

@testable import EngagementKit

/// A variant to try a flow at: the whole one, or one with a feature taken out. Each flow passes at
/// the complete variant and fails at every variant without a feature that it needs.
struct KitVariant: Sendable {
  var adapter: @Sendable (any EngagementAdapter) -> any EngagementAdapter = { $0 }
  var host: @Sendable (MemoryHost) -> any OperationHost = { $0 }
  /// Whether all operations of a user go through one runner, which makes them single-flight.
  var sharesRunner = true

  /// The variant as it is.
  static let complete = KitVariant()

  /// Every operation on its own: nothing is single-flight.
  static let withoutSingleFlight = KitVariant(sharesRunner: false)

  /// Changes are committed only when the whole operation is done, and lost when it is not.
  static let withoutCommitPerStep = KitVariant(host: { CommitAtTheEnd($0) })

  /// A variant whose adapter is changed in one place.
  static func without(
    _ change: @escaping @Sendable (inout ChangedAdapter) -> Void
  ) -> KitVariant {
    KitVariant(adapter: { adapter in
      var changed = ChangedAdapter(adapter)
      change(&changed)
      return changed
    })
  }

  /// The runners of one host: call it for every operation.
  func runners(in memory: MemoryHost) -> OperationRunners {
    OperationRunners(memory: memory, host: host(memory), shares: sharesRunner)
  }

  /// An in-memory host whose adapter is behind this variant.
  func memory(
    _ adapter: any EngagementAdapter, user: User, transport: any HTTPTransport,
    clock: TestClock = TestClock(), kept: MemoryHost.Kept = .init(),
    credentials: @escaping MemoryHost.CredentialSource = { _ in nil }
  ) -> MemoryHost {
    MemoryHost(
      self.adapter(adapter), user: user, transport: transport, clock: clock, kept: kept,
      credentials: credentials)
  }
}

/// Hands out the runner that an operation goes through.
struct OperationRunners: Sendable {
  let memory: MemoryHost
  let host: any OperationHost
  private let shared: OperationRunner?

  init(memory: MemoryHost, host: any OperationHost, shares: Bool) {
    self.memory = memory
    self.host = host
    shared = shares ? OperationRunner(memory.adapter, in: host) : nil
  }

  var runner: OperationRunner { shared ?? OperationRunner(memory.adapter, in: host) }

  /// Does something that is asked for now.
  func perform(
    _ operation: EngagementAdapterAPI.Operation, isUserRequested: Bool = false
  ) async -> OperationRunner.Outcome {
    await perform(operation, memory.attempt(isUserRequested: isUserRequested))
  }

  /// Sends what is pending.
  @discardableResult func drain() async -> [OperationRunner.Outcome] {
    await memory.drain { await perform($0, $1) }
  }

  private func perform(
    _ operation: EngagementAdapterAPI.Operation, _ attempt: Attempt
  ) async -> OperationRunner.Outcome {
    let before = memory.kept
    let outcome = await runner.execute(operation, attempt).outcome
    if host is CommitAtTheEnd, outcome != .done { memory.restore(before) }
    return outcome
  }
}

/// An adapter with one of its answers changed, to take a feature out of the variant.
struct ChangedAdapter: EngagementAdapter {
  var inner: any EngagementAdapter
  /// What the adapter is told instead of what the kit knows.
  var context: @Sendable (AdapterContext) -> AdapterContext = { $0 }
  var step: @Sendable (Step) -> Step = { $0 }
  /// Why there is no step.
  var fault: @Sendable (EngagementError) -> EngagementError = { $0 }
  var answer: @Sendable (Answer) -> Answer = { $0 }
  var received: @Sendable (Received) -> Received? = { $0 }
  var transition: @Sendable ([TransitionStep]) -> [TransitionStep] = { $0 }
  var conversation: @Sendable (any Conversation) -> (any Conversation)? = { $0 }
  var capabilities: AdapterCapabilities
  var vendor: Vendor { inner.vendor }

  init(_ inner: any EngagementAdapter) {
    self.inner = inner
    capabilities = inner.capabilities
  }

  func step(
    for operation: EngagementAdapterAPI.Operation, in context: AdapterContext
  ) throws(EngagementError) -> Step {
    do throws(EngagementError) {
      return step(try inner.step(for: operation, in: self.context(context)))
    } catch {
      throw fault(error)
    }
  }

  func answer(
    to operation: EngagementAdapterAPI.Operation, from response: HTTPResponse,
    in context: AdapterContext
  ) -> Answer {
    answer(inner.answer(to: operation, from: response, in: self.context(context)))
  }

  func card(in item: RawItem) throws(EngagementError) -> Card { try inner.card(in: item) }

  func message(in item: RawItem) throws(EngagementError) -> InboxMessage {
    try inner.message(in: item)
  }

  func campaign(in item: RawItem) throws(EngagementError) -> Campaign {
    try inner.campaign(in: item)
  }

  func received(_ push: JSON, in context: AdapterContext) -> Received? {
    inner.received(push, in: context).flatMap(received)
  }

  func transition(
    from old: User, to new: User, in context: AdapterContext
  ) -> [TransitionStep] {
    transition(inner.transition(from: old, to: new, in: context))
  }

  func conversation(in context: AdapterContext) -> (any Conversation)? {
    inner.conversation(in: context).flatMap(conversation)
  }
}

/// A host that forgets every step of an operation that did not end well; its runners take the
/// steps back.
struct CommitAtTheEnd: OperationHost {
  private let memory: MemoryHost

  init(_ memory: MemoryHost) { self.memory = memory }

  func context(
    for operation: EngagementAdapterAPI.Operation, _ attempt: Attempt, delivering rows: [Int64]
  ) async throws(EngagementError) -> AdapterContext {
    try await memory.context(for: operation, attempt, delivering: rows)
  }

  func commit(
    _ changes: [Change], of operation: EngagementAdapterAPI.Operation, _ attempt: Attempt,
    recording event: EngagementEvent?
  ) async throws(EngagementError) {
    try await memory.commit(changes, of: operation, attempt, recording: event)
  }

  func renewCredential(
    replacing refused: Secret?, for attempt: Attempt
  ) async throws(EngagementError) {
    try await memory.renewCredential(replacing: refused, for: attempt)
  }

  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    try await memory.send(request)
  }
}
