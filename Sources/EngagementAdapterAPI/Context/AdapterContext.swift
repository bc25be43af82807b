public import EngagementModel
public import EngagementPlatform

/// All the information that an adapter may use. The same context and the same operation give the
/// same bytes.
public struct AdapterContext: Sendable {
  public var user: User
  public var device: Device
  /// The values that the adapter stored.
  public var values: ScopedValues<String>
  /// The secrets that the vendor issued.
  public var secrets: ScopedValues<Secret>
  /// The application's credential for the user, if the application has given one.
  public var credential: Secret?
  /// The push tokens by environment.
  public var push: [PushEnvironment: PushRegistration]
  public var session: Session?
  /// The last sessions that ended, for what happened in them and was not sent then.
  public var formerSessions: [Session] = []
  public var now: Date
  /// The operation's key: 128 random bits, the same in every attempt.
  public var key: OperationKey
  /// When the application asked for the operation; `now` if it did not wait.
  public var acceptedAt: Date
  /// 1 for the first attempt.
  public var attempt: Int
  /// Whether the application has just asked for the operation; some vendors limit such requests.
  public var isUserRequested: Bool
  /// Whether all items are asked for, and not only what has changed since the adapter's watermark.
  public var wantsEverything = false
  /// The bytes of the file that an upload is about.
  public var file: [UInt8] = []
  public var counters: CampaignCounters
  /// What the device found out about campaigns and the vendor does not know yet.
  public var campaignReport: CampaignReport
  /// Until when the vendor wants no request of this kind. The kit waits; the adapter need not.
  public var quietUntil: Date?

  public init(
    user: User, device: Device, values: ScopedValues<String> = .init(),
    secrets: ScopedValues<Secret> = .init(), credential: Secret? = nil,
    push: [PushEnvironment: PushRegistration] = [:], session: Session? = nil, now: Date,
    key: OperationKey, acceptedAt: Date? = nil, attempt: Int = 1, isUserRequested: Bool = false,
    counters: CampaignCounters = .init(), campaignReport: CampaignReport = .init()
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
    self.campaignReport = campaignReport
  }

  /// The id of this operation with that index, a UUID in lower case. It is the same in every
  /// attempt.
  public func id(_ index: Int) -> String { key.id(index) }

  /// The session with that id; nil for one that ended long ago.
  public func session(_ id: SessionID) -> Session? {
    session.flatMap { $0.id == id ? $0 : nil } ?? formerSessions.last { $0.id == id }
  }

  /// Whether both contexts have the same credential and the same secrets.
  public func hasSameCredentials(as other: AdapterContext) -> Bool {
    credential == other.credential && secrets == other.secrets
  }
}

/// A session of use, as reported to vendors.
public struct Session: Hashable, Sendable {
  public var id: SessionID
  public var startedAt: Date
  /// Whether this is the first session of the installation.
  public var isFirst: Bool
  /// The length of the previous session.
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

/// What the device found out about campaigns since it last told the vendor.
public struct CampaignReport: Hashable, Sendable {
  /// The vendor's ids of announced campaigns that are due. The vendor is to send them.
  public var due: [String]
  /// The handles of campaigns that would have been presented and are suppressed.
  public var suppressed: [JSONObject]
  /// The newest entry. An answer to a request with this report confirms it with
  /// `Change.campaignsReported(through:)`, so that later entries stay.
  public var mark: Int64

  public init(due: [String] = [], suppressed: [JSONObject] = [], mark: Int64 = 0) {
    self.due = due
    self.suppressed = suppressed
    self.mark = mark
  }

  public var isEmpty: Bool { due.isEmpty && suppressed.isEmpty }
}

/// How often campaigns were shown; some vendors require these counts.
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
