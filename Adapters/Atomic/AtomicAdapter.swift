public import EngagementAdapterAPI
public import EngagementHTTP
public import EngagementJSON
public import EngagementModel

/// The adapter for Atomic: cards that are trees of components, in containers, over a socket or over
/// HTTP.
///
/// Every call has the application's JWT. The adapter reads it first and never sends a token that is
/// missing, about to expire or of another user.
public struct AtomicAdapter: EngagementAdapter {
  public let vendor: Vendor = "atomic"
  public let capabilities: AdapterCapabilities
  public let configuration: AtomicConfiguration

  public var summary: String {
    "\(vendor), client \(AtomicRequests.version), environment \(configuration.environmentID)"
  }

  public init(_ configuration: AtomicConfiguration) {
    self.configuration = configuration
    let host = try? HostPattern(validating: configuration.endpoint.host.text)
    capabilities = AdapterCapabilities(
      abilities: Self.abilities, eventKinds: AtomicEvents.kinds, pushKinds: [.receive],
      pushMarks: PushMarks(keys: ["atomic"]), batching: EventBatching(limit: Self.batch),
      hosts: AllowedHosts([host].compactMap(\.self)), isLive: true, hasContainers: true,
      filters: AtomicFilters.all, order: [.cards: .byPriority],
      credentials: CredentialRules(
        answerWithin: Self.tokenWait, retryInterval: configuration.retryInterval,
        expiryMargin: configuration.expiryMargin),
      needsUser: true, hasOneUserPerToken: true)
  }

  /// As many events as the vendor's web client keeps.
  private static let batch = 500
  /// So long the vendor's clients wait for a token of the application.
  private static let tokenWait = Duration.seconds(5)

  private static let abilities: [Operation.Verb: Ability] = [
    .cards: .idempotentRequest,
    .metrics: .idempotentRequest,
    .events: Ability(.request, deduplication: .eventID),
    .updatePerson: .idempotentRequest,
    .registerPush: .idempotentRequest,
    .unregisterPush: .idempotentRequest,
    .pushContainers: .idempotentRequest,
    // The request has the file's id.
    .upload: .idempotentRequest,
    // A dismissed card stays dismissed.
    .act("dismiss", on: .cards): .idempotentRequest,
    // The effect of a second submission is not documented.
    .act("submit", on: .cards): .request,
    .act("snooze", on: .cards): .idempotentRequest,
    .act("vote", on: .cards): .deduplicatedEvent,
    // Atomic counts a card as seen once it was shown; `displayed` reports that.
    .act("impression", on: .cards): .localOnly,
    .act("click", on: .cards): .localOnly,
  ]

  public func step(
    for operation: Operation, in context: AdapterContext
  ) throws(EngagementError) -> Step {
    let call = try AtomicCall(operation, in: context)
    guard !context.user.isAnonymous else {
      throw EngagementError(.signedOut, "Atomic knows signed-in users only.")
    }
    return .send(try AtomicRequests(configuration, context).request(call))
  }

  public func answer(
    to operation: Operation, from response: HTTPResponse, in context: AdapterContext
  ) -> Answer {
    AtomicResponses(context).answer(to: operation, from: response)
  }

  public func card(in item: RawItem) throws(EngagementError) -> Card {
    try AtomicItems.card(in: item)
  }

  public func received(_ push: JSON, in context: AdapterContext) -> Received? {
    AtomicPush.notification(in: push).map { Received($0) }
  }

  public func transition(
    from old: User, to new: User, in context: AdapterContext
  ) -> [TransitionStep] {
    let environments = PushEnvironment.allCases.filter { context.push[$0] != nil }
    var steps: [TransitionStep] = []
    // An anonymous user has no pending rows: the kit accepts none for a vendor that needs a user.
    if !old.isAnonymous { steps.append(.sendPending) }
    if !old.isAnonymous, configuration.unregistersPushOnSignOut {
      steps += environments.map { .leave(.unregisterPush($0)) }
    }
    // Atomic wants to be told token and containers for each user.
    guard !new.isAnonymous else { return steps }
    steps += environments.map { .enter(.registerPush($0)) }
    if let containers = AtomicContainers.kept(in: context) { steps.append(.enter(containers)) }
    return steps
  }

  public func conversation(in context: AdapterContext) -> (any Conversation)? {
    context.user.isAnonymous ? nil : AtomicConversation(configuration, for: context.user)
  }
}

// MARK: Opening

extension EngagementAdapter where Self == AtomicAdapter {
  /// Atomic, as a value of `providers`:
  /// `["atomic": .atomic(endpoint: endpoint, environmentID: "env-1", apiKey: key)]`.
  ///
  /// Throws what `AtomicConfiguration.init` throws.
  public static func atomic(
    endpoint: String = AtomicConfiguration.standardEndpoint, environmentID: String, apiKey: Secret
  ) throws(EngagementError) -> AtomicAdapter {
    .atomic(
      try AtomicConfiguration(endpoint: endpoint, environmentID: environmentID, apiKey: apiKey))
  }

  /// Atomic with every setting that the adapter has.
  public static func atomic(_ configuration: AtomicConfiguration) -> AtomicAdapter {
    AtomicAdapter(configuration)
  }
}
