public import EngagementAdapterAPI
public import EngagementHTTP
public import EngagementJSON
public import EngagementModel

/// A small and complete adapter for an invented vendor: cards in containers, an inbox, campaigns, a
/// person, events, push, device registration and a credential from the application.
///
/// It passes every law, applications test with it, and `AddingAnAdapter` walks through it: the
/// vendor's protocol in `MemoryProtocol`, requests in `MemoryRequests`, answers in
/// `MemoryResponses`, items in `MemoryItems`, pushes in `MemoryPush`, the live channel in
/// `MemoryConversation`.
public struct MemoryAdapter: EngagementAdapter {
  public let vendor = MemoryProtocol.vendor
  public let capabilities: AdapterCapabilities
  let provider: ProviderID
  private let host: String

  /// - Parameters:
  ///   - provider: The name that the application gives the provider.
  ///   - host: Where its requests go, so that several such vendors can be told apart.
  public init(as provider: ProviderID = "memory", at host: String = "memory.example") {
    self.provider = provider
    self.host = host
    capabilities = AdapterCapabilities(
      abilities: Self.abilities, eventKinds: [.impression, .click, .open, .custom, .purchase],
      pushMarks: PushMarks(keys: [MemoryProtocol.push]), batching: EventBatching(limit: 20),
      hosts: [HostPattern(stringLiteral: host)], isLive: true,
      hasContainers: true, credentials: CredentialRules(answerWithin: .seconds(5)))
  }

  private static let abilities: [Operation.Verb: Ability] = [
    .settings: .idempotentRequest,
    // Each registration creates another device.
    .device(.register): .request,
    .device(.update): .idempotentRequest,
    .device(.unregister): .idempotentRequest,
    .registerPush: .idempotentRequest,
    .unregisterPush: .idempotentRequest,
    .cards: .idempotentRequest,
    .inbox: .idempotentRequest,
    .message: .idempotentRequest,
    .campaigns: .idempotentRequest,
    .person: .idempotentRequest,
    .associate: .idempotentRequest,
    .updatePerson: .idempotentRequest,
    .events: Ability(.request, deduplication: .eventID),
    .act("impression", on: .cards): .deduplicatedEvent,
    .act("click", on: .cards): .deduplicatedEvent,
    .act("dismiss", on: .cards): .idempotentRequest,
    .act("snooze", on: .cards): .localOnly,
    .act("submit", on: .cards): .idempotentRequest,
    .act("open", on: .inbox): .deduplicatedEvent,
    .act("read", on: .inbox): .idempotentRequest,
    .act("delete", on: .inbox): .idempotentRequest,
  ]

  public func step(
    for operation: Operation, in context: AdapterContext
  ) throws(EngagementError) -> Step {
    guard capabilities.ability(operation.verb).travel != .unsupported else {
      throw EngagementError(.unsupported, "The vendor in memory has no such call.")
    }
    let memory = MemoryValues(context)
    switch (operation == .device(.register), memory.device == nil) {
    case (true, false): return .done([])
    case (false, true) where operation == .device(.unregister): return .done([])
    case (false, true): return .first(.device(.register))
    case (true, true), (false, false): break
    }
    return .send(try MemoryRequests(context, host).request(for: operation))
  }

  public func answer(
    to operation: Operation, from response: HTTPResponse, in context: AdapterContext
  ) -> Answer {
    MemoryResponses(provider, context).answer(to: operation, from: response)
  }

  public func card(in item: RawItem) throws(EngagementError) -> Card {
    try MemoryItems.card(in: item, of: provider)
  }

  public func message(in item: RawItem) throws(EngagementError) -> InboxMessage {
    try MemoryItems.message(in: item, of: provider)
  }

  public func campaign(in item: RawItem) throws(EngagementError) -> Campaign {
    try MemoryItems.campaign(in: item, of: provider)
  }

  public func occurrences(in operation: Operation) -> [Campaign.Occurrence] {
    guard case .events(let events) = operation else { return [] }
    return events.compactMap { event in
      event.name.map { Campaign.Occurrence($0, properties: event.properties) }
    }
  }

  public func received(_ push: JSON, in context: AdapterContext) -> Received? {
    MemoryPush.received(push)
  }

  /// A user who follows the anonymous one adopts the pending actions. A signed-in user's actions
  /// are sent before the switch.
  public func transition(
    from old: User, to new: User, in context: AdapterContext
  ) -> [TransitionStep] {
    let first: TransitionStep = old.isAnonymous ? .adoptPending : .sendPending
    return [first] + (new.id.map { [.enter(.associate($0))] } ?? [])
  }

  public func conversation(in context: AdapterContext) -> (any Conversation)? {
    context.user.isAnonymous ? nil : MemoryConversation()
  }
}

/// The adapter's stored values.
struct MemoryValues {
  static let deviceName = "device"
  static let tokenName = "device.token"

  /// The vendor's id of this installation.
  let device: String?
  let token: Secret?

  init(_ context: AdapterContext) {
    device = context.values[.installation, Self.deviceName]
    token = context.secrets[.installation, Self.tokenName]
  }

  /// Changes that store the vendor's device id and its token; nil removes them.
  static func changes(device: String?, token: Secret?) -> [Change] {
    [.keep(.installation, deviceName, device), .secret(.installation, tokenName, token)]
  }
}
