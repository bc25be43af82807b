public import EngagementJSON
public import EngagementModel
public import FoundationEssentials

/// What an answer, a push or a live channel changes here. The store commits changes in one
/// transaction and everything that an application sees comes out of them.
@nonexhaustive public enum Change: Hashable, Sendable {
  /// Items as the vendor sent them, not mapped.
  case items(Feed, ItemMode, [RawItem])
  /// Items that the vendor says are gone, by its ids. Unknown ids are ignored.
  case removed(Feed, ids: [String])
  /// The vendor says that the feed is as it was.
  case unchanged(Feed)
  /// Who the vendor says the user is; nil takes away what was known.
  case person(Person?)
  /// What the vendor's settings mean here.
  case settings(VendorSettings)
  case metrics(CardMetrics)
  /// How many items the feed has at the vendor, more than it lists.
  case total(Feed, Int)
  /// Events that have arrived for good, on whichever road they were confirmed.
  case settled([EventID])
  /// Pending actions on the surface cannot be delivered any more; each is rejected with the
  /// reason. The vendor now speaks of somebody else's items.
  case abandoned(Surface, reason: String)
  /// Operations with the verb, all with nil, wait until then.
  case throttled(Operation.Verb?, until: Date)
  /// Something in the answer was not followed, such as a host outside the allowed ones.
  case ignored(EngagementError)
  /// A value to remember; nil forgets it.
  case keep(Scope, String, String?)
  /// A secret to remember; nil forgets it. It goes to the secret store, never to the database.
  case secret(Scope, String, Secret?)
  /// Something that has to be done about the answer: accepted in the same commit, kept until done.
  case wanted(Operation)
  /// A push token that came from the vendor and not from the application.
  case pushToken(PushRegistration)
}

extension Change {
  /// Whether it outlives the user it came with.
  public var isOfInstallation: Bool {
    switch self {
    case .keep(.installation, _, _), .secret(.installation, _, _), .pushToken, .wanted: true
    default: false
    }
  }
}

/// Whose value it is.
public enum Scope: String, Hashable, Sendable, CaseIterable {
  /// This installation's, whoever is signed in: a device id.
  case installation
  /// The user's: a watermark.
  case user
}

/// A list of items at one vendor.
public struct Feed: Hashable, Sendable {
  public var surface: Surface
  /// The vendor's container; nil for a vendor without containers.
  public var container: ContainerID?
  /// What the list was asked to match.
  public var filters: [CardFilter]

  public init(_ surface: Surface, in container: ContainerID? = nil, matching: [CardFilter] = []) {
    self.surface = surface
    self.container = container
    self.filters = matching
  }

  public static let inbox = Feed(.inbox)
  public static let campaigns = Feed(.campaigns)
  /// The one feed of a vendor without containers.
  public static let cards = Feed(.cards)
}

/// How items meet those that are there.
public enum ItemMode: Hashable, Sendable {
  /// The list is complete: what is not in it is gone, but for what is kept.
  case replace(Retention)
  /// Each item is new or takes the place of the one with its id.
  case put
  /// Each item's members are laid over those of the item with its id; needs `RawItem.id`.
  case patch(PatchRules)
}

/// What a complete list does not take away.
public struct Retention: Hashable, Sendable {
  /// Test items stay although the list leaves them out.
  public var testItems: Bool
  /// Members that stay true once they were true.
  public var onlyEverSet: [String]

  public init(testItems: Bool = false, onlyEverSet: [String] = []) {
    self.testItems = testItems
    self.onlyEverSet = onlyEverSet
  }

  /// Nothing is kept.
  public static let nothing = Retention()
}

/// How an item's members are laid over earlier ones.
public struct PatchRules: Hashable, Sendable {
  /// The member with the item's age, a number: an item that is older than ours is ignored whole.
  public var age: String?
  /// Members that stay true once they were true.
  public var onlyEverSet: [String]

  public init(age: String? = nil, onlyEverSet: [String] = []) {
    self.age = age
    self.onlyEverSet = onlyEverSet
  }
}

/// What a vendor's settings change in how it is spoken to. What is nil stays as it is.
public struct VendorSettings: Hashable, Sendable {
  public var cardsEnabled: Bool?
  public var inboxEnabled: Bool?
  public var sessionTimeout: Duration?

  public init(
    cardsEnabled: Bool? = nil, inboxEnabled: Bool? = nil, sessionTimeout: Duration? = nil
  ) {
    self.cardsEnabled = cardsEnabled
    self.inboxEnabled = inboxEnabled
    self.sessionTimeout = sessionTimeout
  }
}

/// How many cards a user has, as the vendor counts them.
public struct CardMetrics: Hashable, Sendable {
  public var active: Int
  public var unseen: [String]
  public var byContainer: [ContainerID: Count]

  public init(active: Int, unseen: [String], byContainer: [ContainerID: Count] = [:]) {
    self.active = active
    self.unseen = unseen
    self.byContainer = byContainer
  }

  /// The same for one container.
  public struct Count: Hashable, Sendable {
    public var active: Int
    public var unseen: [String]

    public init(active: Int, unseen: [String]) {
      self.active = active
      self.unseen = unseen
    }
  }
}
