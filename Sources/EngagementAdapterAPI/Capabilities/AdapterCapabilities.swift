public import EngagementHTTP
public import EngagementModel

/// The abilities of a vendor, as data. The kit, the laws, the command line and the README's table
/// use it.
public struct AdapterCapabilities: Hashable, Sendable {
  /// The ability of each verb. A verb that is absent is unsupported.
  public var abilities: [Operation.Verb: Ability]
  /// The kinds of events that the vendor accepts.
  public var eventKinds: Set<EngagementEvent.Kind>
  /// The subset of these kinds that the vendor accepts for its pushes.
  public var pushKinds: Set<EngagementEvent.Kind>
  /// How to recognise the vendor's pushes.
  public var pushMarks: PushMarks
  public var batching: EventBatching
  /// The only hosts for requests, also if an answer names another.
  public var hosts: AllowedHosts
  /// Whether the vendor has a live channel.
  public var isLive: Bool
  /// Whether the vendor has containers for cards.
  public var hasContainers: Bool
  /// The conditions with which the vendor can be asked for cards. Others are applied to the cache.
  public var filters: VendorFilters
  /// The default order of cards and messages.
  public var order: [Surface: FeedOrder]
  public var credentials: CredentialRules
  public var limits: Limits
  /// The names of the vendor's own templates, which no template of an application may have.
  public var reservedTemplates: Set<String>
  /// The fields of a person that the vendor takes, if it takes updates of a person.
  public var personFields: Set<PersonUpdate.Field>
  /// Whether the vendor knows signed-in users only. Before a sign-in nothing is accepted for it.
  public var needsUser: Bool
  /// Whether the vendor links a device's push token to one user: registering it for a user takes it from
  /// the former one. False if each user has a registration of their own.
  public var hasOneUserPerToken: Bool
  /// Whether the vendor serves an application only within a session. The kit then begins one with
  /// the first refresh or event, also if the application reports no phase, and tells its start
  /// before it refreshes.
  public var needsSession: Bool
  /// How long the application must be unused for a session to end.
  public var sessionTimeout: Duration
  /// How long the kit retries an undelivered action.
  public var retryHorizon: Duration

  public init(
    abilities: [Operation.Verb: Ability], eventKinds: Set<EngagementEvent.Kind> = [],
    pushKinds: Set<EngagementEvent.Kind> = [], pushMarks: PushMarks = .none,
    batching: EventBatching = EventBatching(limit: 50), hosts: AllowedHosts,
    isLive: Bool = false, hasContainers: Bool = false, filters: VendorFilters = [:],
    order: [Surface: FeedOrder] = [:],
    credentials: CredentialRules = CredentialRules(), limits: Limits = Limits(),
    reservedTemplates: Set<String> = [],
    personFields: Set<PersonUpdate.Field> = Set(PersonUpdate.Field.allCases),
    needsUser: Bool = false, hasOneUserPerToken: Bool = false, needsSession: Bool = false,
    sessionTimeout: Duration = .seconds(1800),
    retryHorizon: Duration = .seconds(86_400)
  ) {
    self.abilities = abilities
    self.eventKinds = eventKinds
    self.pushKinds = pushKinds
    self.pushMarks = pushMarks
    self.batching = batching
    self.hosts = hosts
    self.isLive = isLive
    self.hasContainers = hasContainers
    self.filters = filters
    self.order = order
    self.credentials = credentials
    self.limits = limits
    self.reservedTemplates = reservedTemplates
    self.personFields = personFields
    self.needsUser = needsUser
    self.hasOneUserPerToken = hasOneUserPerToken
    self.needsSession = needsSession
    self.sessionTimeout = sessionTimeout
    self.retryHorizon = retryHorizon
  }

  /// The ability of a verb; unsupported if it is not declared.
  public func ability(_ verb: Operation.Verb) -> Ability {
    abilities[verb] ?? .unsupported
  }

  /// The default order of a surface's items.
  public func order(of surface: Surface) -> FeedOrder { order[surface] ?? .asSent }

  /// The vendor's limits; nil for unknown ones.
  public struct Limits: Hashable, Sendable {
    public var cards: Int?
    public var messages: Int?
    public var userIDBytes: Int?
    public var eventBytes: Int?
    /// Of one device. With 1 the token that is registered last takes the place of that of another
    /// environment; nil if there is one for each environment.
    public var pushTokens: Int?

    public init(
      cards: Int? = nil, messages: Int? = nil, userIDBytes: Int? = nil, eventBytes: Int? = nil,
      pushTokens: Int? = nil
    ) {
      self.cards = cards
      self.messages = messages
      self.userIDBytes = userIDBytes
      self.eventBytes = eventBytes
      self.pushTokens = pushTokens
    }
  }
}
