public import EngagementAdapterAPI
public import EngagementHTTP
public import EngagementJSON
public import EngagementModel

/// Vibes behind the door: an inbox, push registration, persons and events of one application.
///
/// Written from what its published clients send and accept; the README beside this file says
/// which readings were chosen.
///
/// The vendor speaks of a device, which it registers without any credential and to which it gives
/// a token that only it can renew, and of a person, whom a device belongs to and who owns the
/// messages. So an inbox needs a device, and then the person's key.
public struct VibesAdapter: EngagementAdapter {
  public let vendor: Vendor = "vibes"
  public let capabilities: AdapterCapabilities
  public let configuration: VibesConfiguration

  public var summary: String {
    "\(vendor), client \(configuration.clientVersion), application \(configuration.appID)"
  }

  public init(_ configuration: VibesConfiguration) {
    self.configuration = configuration
    capabilities = AdapterCapabilities(
      abilities: Self.abilities, eventKinds: configuration.reported,
      pushKinds: configuration.reported.intersection([.receive, .click]),
      batching: EventBatching(limit: 50, isByKind: true), hosts: configuration.hosts,
      order: [.inbox: .newestFirst],
      limits: .init(messages: 200, userIDBytes: VibesCall.longestPersonID))
  }

  private static let abilities: [Operation.Verb: Ability] = [
    .settings: .idempotentRequest,
    // Each registration makes another device.
    .device(.register): .request,
    .device(.renew): .request,
    .device(.update): .idempotentRequest,
    .device(.unregister): .idempotentRequest,
    .registerPush: .idempotentRequest,
    .unregisterPush: .idempotentRequest,
    .person: .idempotentRequest,
    .associate: .idempotentRequest,
    .inbox: .idempotentRequest,
    .message: .idempotentRequest,
    .events: Ability(.request, deduplication: .eventID),
    .act("open", on: .inbox): .deduplicatedEvent,
    .act("read", on: .inbox): .idempotentRequest,
    .act("expire", on: .inbox): .idempotentRequest,
    // The vendor can only end a message; both are bridged to that.
    .act("dismiss", on: .inbox): .idempotentRequest,
    .act("delete", on: .inbox): .idempotentRequest,
    .act("impression", on: .inbox): .localOnly,
    .act("click", on: .inbox): .localOnly,
    .vendor(VibesCall.callback): .idempotentRequest,
    .vendor(VibesCall.release): .idempotentRequest,
    .vendor(VibesCall.releaseRenewal): .request,
  ]

  public func step(
    for operation: Operation, in context: AdapterContext
  ) throws(EngagementError) -> Step {
    guard capabilities.ability(operation.verb).travel != .unsupported else {
      throw EngagementError(.unsupported, "Vibes has no such call.")
    }
    let memory = VibesMemory(context)
    if let changes = settled(operation, memory) { return .done(changes) }
    let call = try VibesCall(operation, configuration, memory, context)
    if let needed = call.missing(in: memory, configuration.association, at: context.now) {
      return .first(needed)
    }
    return .send(try call.request(configuration, memory, context))
  }

  /// What there is nothing to ask for.
  private func settled(_ operation: Operation, _ memory: VibesMemory) -> [Change]? {
    switch operation {
    case .device(.register) where memory.device != nil: []
    case .device(.unregister) where memory.device == nil: VibesChanges.unregistered
    case .vendor(VibesCall.release, let detail), .vendor(VibesCall.releaseRenewal, let detail):
      memory.isDevice(detail) || memory.leavingToken(detail) != nil ? nil : []
    case .unregisterPush where memory.device == nil: []
    case .associate(let id) where memory.isTiedSince(to: id): []
    case .inbox where memory.isInboxOff, .message where memory.isInboxOff: []
    case .events(let events) where events.isEmpty: []
    default: nil
    }
  }

  public func answer(
    to operation: Operation, from response: HTTPResponse, in context: AdapterContext
  ) -> Answer {
    VibesResponses(configuration, context).answer(to: operation, from: response)
  }

  public func message(in item: RawItem) throws(EngagementError) -> InboxMessage {
    try VibesItems.message(in: item, of: configuration.provider)
  }

  public func received(_ push: JSON, in context: AdapterContext) -> Received? {
    VibesPush(push)?.received(configuration, context)
  }

  /// An id that the vendor has never seen is given to the person that the device is tied to, so a
  /// device must not go from one person straight to the next: the former one would be renamed.
  public func transition(
    from old: User, to new: User, in context: AdapterContext
  ) -> [TransitionStep] {
    let memory = VibesMemory(context)
    var steps: [TransitionStep] = [.sendPending]
    if old.isAnonymous {
      steps.append(.adoptPending)
    } else {
      steps += memory.device.map { [.leave(VibesCall.releasing($0))] } ?? []
      steps.append(.apply(VibesChanges.left(memory)))
    }
    guard let id = new.id else { return steps }
    if configuration.association == .onSignIn { steps.append(.enter(.associate(id))) }
    // The next user's device is another one; who signs out gets no more pushes.
    if !old.isAnonymous {
      steps += memory.registeredPush.map { .enter(.registerPush($0)) }
    }
    return steps
  }
}
