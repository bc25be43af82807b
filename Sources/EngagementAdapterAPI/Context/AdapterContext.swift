public import EngagementModel
public import FoundationEssentials

/// All that an adapter may know. The same context and the same operation give the same bytes.
public struct AdapterContext: Sendable {
  public var user: User
  public var device: Device
  /// What the adapter asked to be remembered.
  public var values: ScopedValues<String>
  /// Secrets that the vendor gave.
  public var secrets: ScopedValues<Secret>
  /// The application's credential for the user, where it has given one.
  public var credential: Secret?
  /// The push tokens by environment.
  public var push: [PushEnvironment: PushRegistration]
  public var session: Session?
  public var now: Date
  /// The operation's key: 128 random bits, the same over every attempt.
  public var key: OperationKey
  /// When the operation was asked for; `now` for one that did not wait.
  public var acceptedAt: Date
  /// 1 for the first attempt.
  public var attempt: Int
  /// Whether the application asked for it just now, which some vendors limit.
  public var isUserRequested: Bool
  public var counters: CampaignCounters
  /// Until when the vendor wants to hear nothing of the kind. Whoever sends sees to it.
  public var quietUntil: Date?

  public init(
    user: User, device: Device, values: ScopedValues<String> = .init(),
    secrets: ScopedValues<Secret> = .init(), credential: Secret? = nil,
    push: [PushEnvironment: PushRegistration] = [:], session: Session? = nil, now: Date,
    key: OperationKey, acceptedAt: Date? = nil, attempt: Int = 1, isUserRequested: Bool = false,
    counters: CampaignCounters = .init()
  ) {
    self.user = user
    self.device = device
    self.values = values
    self.secrets = secrets
    self.credential = credential
    self.push = push
    self.session = session
    self.now = now
    self.key = key
    self.acceptedAt = acceptedAt ?? now
    self.attempt = attempt
    self.isUserRequested = isUserRequested
    self.counters = counters
  }

  /// The n-th fresh id of this operation, a UUID in lower case: the same in every attempt.
  public func id(_ index: Int) -> String { key.id(index) }

  /// Whether everything that proves who is asking is the same in both.
  public func hasSameCredentials(as other: AdapterContext) -> Bool {
    credential == other.credential && secrets == other.secrets
  }
}

/// A session of use, as vendors are told of it.
public struct Session: Hashable, Sendable {
  public var id: SessionID
  public var startedAt: Date
  /// The first of this installation.
  public var isFirst: Bool
  /// How long the one before was.
  public var previousLength: Duration?

  public init(
    _ id: SessionID, startedAt: Date, isFirst: Bool = false, previousLength: Duration? = nil
  ) {
    self.id = id
    self.startedAt = startedAt
    self.isFirst = isFirst
    self.previousLength = previousLength
  }
}

/// How often campaigns were shown, as some vendors want to be told.
public struct CampaignCounters: Hashable, Sendable {
  public var shownToday: Int
  public var campaigns: [Count]

  public init(shownToday: Int = 0, campaigns: [Count] = []) {
    self.shownToday = shownToday
    self.campaigns = campaigns
  }

  /// The counts of one campaign.
  public struct Count: Hashable, Sendable {
    public var campaign: String
    public var today: Int
    public var lifetime: Int

    public init(_ campaign: String, today: Int, lifetime: Int) {
      self.campaign = campaign
      self.today = today
      self.lifetime = lifetime
    }
  }
}
