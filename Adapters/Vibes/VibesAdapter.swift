public import EngagementAdapterAPI
public import EngagementHTTP
public import EngagementJSON
public import EngagementModel

/// The adapter for Vibes: an inbox, push registration, persons and events of one application.
///
/// It follows the requests and answers of the vendor's published clients. The README beside this
/// file lists each choice between contradicting sources.
///
/// The vendor has devices and persons. A device registers without a credential and gets a token
/// that only it can renew. A device belongs to a person, and a person owns the messages. So an
/// inbox needs a device first, and then the person's key.
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
      limits: .init(messages: 200, userIDBytes: VibesCall.longestPersonID, pushTokens: 1))
  }

  private static let abilities: [Operation.Verb: Ability] = [
    .settings: .idempotentRequest,
    // Each registration makes a new device.
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
    // The vendor can only expire a message; the adapter maps both to that.
    .act("dismiss", on: .inbox): .idempotentRequest,
    .act("delete", on: .inbox): .idempotentRequest,
    .act("impression", on: .inbox): .localOnly,
    .act("click", on: .inbox): .localOnly,
    .vendor(VibesCall.callback): .idempotentRequest,
    .vendor(VibesCall.release): Ability(
      .request, deduplication: .idempotentVerb, isWithdrawal: true),
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

  /// The changes of an operation that needs no request; nil if it needs one.
  private func settled(_ operation: Operation, _ memory: VibesMemory) -> [Change]? {
    switch operation {
    case .device(.register) where memory.device != nil: []
    case .device(.unregister) where memory.device == nil: VibesChanges.unregistered
    case .vendor(VibesCall.release, let detail), .vendor(VibesCall.releaseRenewal, let detail):
      memory.isDevice(detail) || memory.leavingToken(detail) != nil ? nil : []
    case .unregisterPush where memory.device == nil: []
    // The vendor's device has one token. Giving back the other environment's would take this one.
    case .unregisterPush(let environment) where memory.isPushOfOther(than: environment): []
    case .associate(let id) where memory.isTiedSince(to: id): []
    case .inbox where memory.isInboxOff, .message where memory.isInboxOff: []
    case .events(let events) where events.isEmpty: []
    case .settings, .device, .registerPush, .unregisterPush, .cards, .inbox, .message, .person,
      .associate, .updatePerson, .metrics, .campaigns, .act, .events, .templates, .upload, .optOut,
      .pushContainers, .vendor:
      nil
    }
  }

  public func answer(
    to operation: Operation, from response: HTTPResponse, in context: AdapterContext
  ) -> Answer {
    VibesResponses(configuration, context).answer(to: operation, from: response)
  }

  public func message(in item: RawItem) throws(EngagementError) -> InboxMessage {
    try VibesItems.message(in: item)
  }

  public func received(_ push: JSON, in context: AdapterContext) -> Received? {
    VibesPush(push)?.received(configuration, context)
  }

  /// The vendor gives an unknown id to the person that the device is associated with. So a device
  /// must not go directly from one person to the next, which would rename the former person.
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
    // The next user gets a new device, which needs the push token again. After a sign-out the
    // device gets no more pushes.
    if !old.isAnonymous {
      steps += memory.registeredPush.map { .enter(.registerPush($0)) }
    }
    return steps
  }
}

extension EngagementAdapter where Self == VibesAdapter {
  /// Vibes, as a value of `providers`: `["vibes": .vibes(appID: "club")]`.
  ///
  /// Throws what `VibesConfiguration.init` throws.
  public static func vibes(
    appID: String, endpoint: String = VibesConfiguration.northAmerica,
    association: VibesConfiguration.Association = .onSignIn
  ) throws(EngagementError) -> VibesAdapter {
    .vibes(
      try VibesConfiguration(appID: appID, endpoint: endpoint, association: association))
  }

  /// Vibes with every setting that the adapter has.
  public static func vibes(_ configuration: VibesConfiguration) -> VibesAdapter {
    VibesAdapter(configuration)
  }
}
