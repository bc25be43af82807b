import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementTesting

/// A door to try a flow at: the whole one, or one with a feature taken out. Each flow passes at
/// the whole door and fails at every door without a feature that it needs.
struct Door: Sendable {
  var adapter: @Sendable (any EngagementAdapter) -> any EngagementAdapter = { $0 }
  var house: @Sendable (MemoryHouse) -> any ExchangeHouse = { $0 }
  /// Whether all operations of a user go through one exchange, which makes them single-flight.
  var sharesExchange = true

  /// The door as it is.
  static let whole = Door()

  /// Every operation on its own: nothing is single-flight.
  static let withoutSingleFlight = Door(sharesExchange: false)

  /// Changes are committed only when the whole operation is done, and lost when it is not.
  static let withoutCommitPerStep = Door(house: { CommitAtTheEnd($0) })

  /// A door whose adapter is changed in one place.
  static func without(
    _ change: @escaping @Sendable (inout ChangedAdapter) -> Void
  ) -> Door {
    Door(adapter: { adapter in
      var changed = ChangedAdapter(adapter)
      change(&changed)
      return changed
    })
  }

  /// The roads of one house: call it for every operation.
  func roads(in memory: MemoryHouse) -> Roads {
    Roads(memory: memory, house: house(memory), shares: sharesExchange)
  }

  /// A house in memory whose adapter is behind this door.
  func memory(
    _ adapter: any EngagementAdapter, user: User, transport: any HTTPTransport,
    clock: TestClock = TestClock(), kept: MemoryHouse.Kept = .init(),
    credentials: @escaping MemoryHouse.CredentialSource = { _ in nil }
  ) -> MemoryHouse {
    MemoryHouse(
      self.adapter(adapter), user: user, transport: transport, clock: clock, kept: kept,
      credentials: credentials)
  }
}

/// Hands out the exchange that an operation goes through.
struct Roads: Sendable {
  let memory: MemoryHouse
  let house: any ExchangeHouse
  private let shared: Exchange?

  init(memory: MemoryHouse, house: any ExchangeHouse, shares: Bool) {
    self.memory = memory
    self.house = house
    shared = shares ? Exchange(memory.adapter, in: house) : nil
  }

  var exchange: Exchange { shared ?? Exchange(memory.adapter, in: house) }

  /// Does something that is asked for now.
  func perform(
    _ operation: EngagementAdapterAPI.Operation, isUserRequested: Bool = false
  ) async -> Exchange.Outcome {
    await perform(operation, memory.attempt(isUserRequested: isUserRequested))
  }

  /// Sends what is pending.
  @discardableResult func drain() async -> [Exchange.Outcome] {
    await memory.drain { await perform($0, $1) }
  }

  private func perform(
    _ operation: EngagementAdapterAPI.Operation, _ attempt: Attempt
  ) async -> Exchange.Outcome {
    let before = memory.kept
    let outcome = await exchange.perform(operation, attempt)
    if house is CommitAtTheEnd, outcome != .done { memory.restore(before) }
    return outcome
  }
}

/// An adapter with one of its answers changed, to take a feature out of the door.
struct ChangedAdapter: EngagementAdapter {
  var inner: any EngagementAdapter
  var step: @Sendable (Step) -> Step = { $0 }
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
    step(try inner.step(for: operation, in: context))
  }

  func answer(
    to operation: EngagementAdapterAPI.Operation, from response: HTTPResponse,
    in context: AdapterContext
  ) -> Answer {
    answer(inner.answer(to: operation, from: response, in: context))
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

/// A house that forgets every step of an operation that did not end well; its roads take the
/// steps back.
struct CommitAtTheEnd: ExchangeHouse {
  private let memory: MemoryHouse

  init(_ memory: MemoryHouse) { self.memory = memory }

  func context(
    for operation: EngagementAdapterAPI.Operation, _ attempt: Attempt
  ) async throws(EngagementError) -> AdapterContext {
    try await memory.context(for: operation, attempt)
  }

  func commit(
    _ changes: [Change], of operation: EngagementAdapterAPI.Operation, _ attempt: Attempt
  ) async throws(EngagementError) { try await memory.commit(changes, of: operation, attempt) }

  func renewCredential(
    replacing refused: Secret?, for attempt: Attempt
  ) async throws(EngagementError) {
    try await memory.renewCredential(replacing: refused, for: attempt)
  }

  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    try await memory.send(request)
  }
}
