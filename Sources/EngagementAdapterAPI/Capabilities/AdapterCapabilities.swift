public import EngagementHTTP
public import EngagementModel

/// What a vendor can do, as data: the kit, the laws, the command line and the README's table all
/// read it.
public struct AdapterCapabilities: Hashable, Sendable {
  /// How each verb travels. A verb that is not here is unsupported.
  public var abilities: [Operation.Verb: Ability]
  /// The kinds of events that the vendor takes.
  public var eventKinds: Set<EngagementEvent.Kind>
  /// Of those, the kinds of which the vendor hears about its pushes.
  public var pushKinds: Set<EngagementEvent.Kind>
  /// How its pushes are told from everybody else's.
  public var pushMarks: PushMarks
  public var batching: EventBatching
  /// The hosts that requests may go to, whatever an answer says.
  public var hosts: AllowedHosts
  /// Whether there is a live channel.
  public var isLive: Bool
  /// Whether the vendor has containers for cards.
  public var hasContainers: Bool
  /// How cards and messages are ordered when nobody asks for another order.
  public var order: [Surface: FeedOrder]
  public var credentials: CredentialRules
  public var limits: Limits
  /// When a session ends without use.
  public var sessionTimeout: Duration
  /// How long an undelivered action is worth retrying.
  public var retryHorizon: Duration

  public init(
    abilities: [Operation.Verb: Ability], eventKinds: Set<EngagementEvent.Kind> = [],
    pushKinds: Set<EngagementEvent.Kind> = [], pushMarks: PushMarks = .none,
    batching: EventBatching = EventBatching(limit: 50), hosts: AllowedHosts,
    isLive: Bool = false, hasContainers: Bool = false, order: [Surface: FeedOrder] = [:],
    credentials: CredentialRules = CredentialRules(), limits: Limits = Limits(),
    sessionTimeout: Duration = .seconds(1800), retryHorizon: Duration = .seconds(86_400)
  ) {
    self.abilities = abilities
    self.eventKinds = eventKinds
    self.pushKinds = pushKinds
    self.pushMarks = pushMarks
    self.batching = batching
    self.hosts = hosts
    self.isLive = isLive
    self.hasContainers = hasContainers
    self.order = order
    self.credentials = credentials
    self.limits = limits
    self.sessionTimeout = sessionTimeout
    self.retryHorizon = retryHorizon
  }

  /// How the verb travels; unsupported where nothing is declared.
  public func ability(_ verb: Operation.Verb) -> Ability {
    abilities[verb] ?? .unsupported
  }

  /// The order of the surface's items.
  public func order(of surface: Surface) -> FeedOrder { order[surface] ?? .asSent }

  /// Numbers that the vendor sets; nil for none known.
  public struct Limits: Hashable, Sendable {
    public var cards: Int?
    public var messages: Int?
    public var userIDBytes: Int?
    public var eventBytes: Int?

    public init(
      cards: Int? = nil, messages: Int? = nil, userIDBytes: Int? = nil, eventBytes: Int? = nil
    ) {
      self.cards = cards
      self.messages = messages
      self.userIDBytes = userIDBytes
      self.eventBytes = eventBytes
    }
  }
}
