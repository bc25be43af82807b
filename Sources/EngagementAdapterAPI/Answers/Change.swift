public import EngagementJSON
public import EngagementModel
public import EngagementPlatform

/// One effect of an answer, a push or a live channel on the cache. The store commits changes in one
/// transaction. Everything that an application sees comes from changes.
@nonexhaustive public enum Change: Hashable, Sendable {
  /// Items as the vendor sent them, before mapping.
  case items(Feed, ItemMode, [RawItem])
  /// The vendor's ids of items that no longer exist. Unknown ids are ignored.
  case removed(Feed, ids: [String])
  /// The vendor reports that the feed has not changed.
  case unchanged(Feed)
  /// The vendor's data about the user; nil removes it.
  case person(Person?)
  /// The vendor's settings that concern the kit.
  case settings(VendorSettings)
  case metrics(CardMetrics)
  /// The number of items in the feed at the vendor, which may be more than it lists.
  case total(Feed, Int)
  /// Events that the vendor has confirmed, in an answer or over a live channel.
  case settled([EventID])
  /// Something that happened with this answer, for the ledger and for the application: of this kind,
  /// about this item.
  case happened(EngagementEvent.Kind, ItemReference?, JSONObject)
  /// The vendor was told what the context's campaign report says, up to this mark.
  case campaignsReported(through: Int64)
  /// Rejects the pending actions on the surface with this reason. They cannot be delivered, because
  /// the vendor now has the items of another person.
  case abandoned(Surface, reason: String)
  /// The user's operations with the verb wait until this time; nil stands for all verbs.
  case throttled(Operation.Verb?, until: Date)
  /// The vendor wants no request from this installation until this time, for any user. A person can end
  /// the pause, and a later one replaces it.
  case paused(until: Date)
  /// A part of the answer that the adapter did not follow, such as a host that is not allowed.
  case ignored(EngagementError)
  /// A value to store; nil deletes it.
  case keep(Scope, String, String?)
  /// A secret to store; nil deletes it. It goes to the secret store, never to the database.
  case secret(Scope, String, Secret?)
  /// An operation that the answer requires. The store accepts it in the same commit and keeps it
  /// until it is done.
  case wanted(Operation)
  /// A push token from the vendor instead of the application.
  case pushToken(PushRegistration)
}

extension Change {
  /// Whether the change stays valid after a change of user.
  public var isOfInstallation: Bool {
    switch self {
    case .keep(let scope, _, _), .secret(let scope, _, _): scope == .installation
    case .pushToken, .wanted, .paused: true
    case .items, .removed, .unchanged, .person, .settings, .metrics, .total, .settled,
      .happened, .campaignsReported, .abandoned, .throttled, .ignored:
      false
    }
  }
}

/// The owner of a stored value.
public enum Scope: String, Hashable, Sendable, CaseIterable {
  /// The installation, for any user: a device id, for example.
  case installation
  /// The user: a watermark, for example.
  case user
}

/// A list of items at one vendor.
public struct Feed: Hashable, Sendable {
  public var surface: Surface
  /// The vendor's container; nil for a vendor without containers.
  public var container: ContainerID?
  /// The filters of the list.
  public var filters: [CardFilter]

  public init(_ surface: Surface, in container: ContainerID? = nil, matching: [CardFilter] = []) {
    self.surface = surface
    self.container = container
    self.filters = matching
  }

  public static let inbox = Feed(.inbox)
  /// The campaigns that this device evaluates. A campaign that is removed by its id loses its counts.
  public static let campaigns = Feed(.campaigns)
  /// Campaigns that the vendor wants presented now. They are put, never listed.
  public static let dueCampaigns = Feed(.campaigns, in: "due")
  /// Campaigns that this device evaluates without presenting them: the vendor is told which are due,
  /// and sends those.
  public static let announcedCampaigns = Feed(.campaigns, in: "announced")
  /// The one feed of a vendor without containers.
  public static let cards = Feed(.cards)
}

/// How items combine with the cached items of the feed.
public enum ItemMode: Hashable, Sendable {
  /// The list is complete. Items that are not in it are removed, except those that `Retention`
  /// keeps.
  case replace(Retention)
  /// Each item is new or replaces the item with its id.
  case put
  /// Each item's members replace those of the item with its id. Requires `RawItem.id`.
  case patch(PatchRules)
}

/// Cached data that survives a complete list.
public struct Retention: Hashable, Sendable {
  /// Whether test items stay if the list lacks them.
  public var testItems: Bool
  /// The ids of items that stay if the list lacks them.
  public var ids: Set<String>
  /// Boolean members that stay true once they are true.
  public var onlyEverSet: [String]

  public init(testItems: Bool = false, ids: Set<String> = [], onlyEverSet: [String] = []) {
    self.testItems = testItems
    self.ids = ids
    self.onlyEverSet = onlyEverSet
  }

  /// Keeps nothing.
  public static let nothing = Retention()
}

/// How an item's members are merged into a cached item.
public struct PatchRules: Hashable, Sendable {
  /// The numeric member that dates an item. An item that is older than the cached one is ignored as
  /// a whole.
  public var age: String?
  /// Boolean members that stay true once they are true.
  public var onlyEverSet: [String]

  public init(age: String? = nil, onlyEverSet: [String] = []) {
    self.age = age
    self.onlyEverSet = onlyEverSet
  }
}

/// The effect of a vendor's settings on the kit. A setting that is nil does not change.
public struct VendorSettings: Hashable, Sendable {
  public var cardsEnabled: Bool?
  public var inboxEnabled: Bool?
  public var sessionTimeout: Duration?
  /// How many campaigns the vendor lets a user see.
  public var campaignCaps: CampaignCaps?

  public init(
    cardsEnabled: Bool? = nil, inboxEnabled: Bool? = nil, sessionTimeout: Duration? = nil,
    campaignCaps: CampaignCaps? = nil
  ) {
    self.cardsEnabled = cardsEnabled
    self.inboxEnabled = inboxEnabled
    self.sessionTimeout = sessionTimeout
    self.campaignCaps = campaignCaps
  }
}

/// The number of a user's cards, as the vendor counts them.
public struct CardMetrics: Hashable, Sendable {
  public var active: Int
  public var unseen: [String]
  public var byContainer: [ContainerID: Count]

  public init(active: Int, unseen: [String], byContainer: [ContainerID: Count] = [:]) {
    self.active = active
    self.unseen = unseen
    self.byContainer = byContainer
  }

  /// The numbers of one container.
  public struct Count: Hashable, Sendable {
    public var active: Int
    public var unseen: [String]

    public init(active: Int, unseen: [String]) {
      self.active = active
      self.unseen = unseen
    }
  }
}
