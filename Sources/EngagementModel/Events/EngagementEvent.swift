public import EngagementPlatform

/// One occurrence of something, such as a click. Its id stays the same in every attempt to report
/// it.
public struct EngagementEvent: Hashable, Sendable, Identifiable {
  public let id: EventID
  public var kind: Kind
  public var time: Date
  /// The local time zone's offset from UTC in seconds when the event happened.
  public var zoneOffset: Int
  public var session: SessionID?
  /// A number that increases with every event of the installation. It orders events when clocks
  /// jump.
  public var sequence: Int64
  /// The provider that the event concerns, if any.
  public var provider: ProviderID?
  /// The item that the event concerns.
  public var item: ItemReference?
  /// The name of a custom event or a purchase.
  public var name: String?
  /// Where the item is shown as one of the other kind, `vendorKind` is the vendor's word for what the user
  /// did, if it differs from `kind`.
  public var properties: JSONObject

  public init(
    id: EventID, kind: Kind, time: Date, zoneOffset: Int = 0, session: SessionID? = nil,
    sequence: Int64 = 0, provider: ProviderID? = nil, item: ItemReference? = nil,
    name: String? = nil, properties: JSONObject = [:]
  ) {
    self.id = id
    self.kind = kind
    self.time = time
    self.zoneOffset = zoneOffset
    self.session = session
    self.sequence = sequence
    self.provider = provider
    self.item = item
    self.name = name
    self.properties = properties
  }

  /// The property with the vendor's word for what was done to an item that is shown as one of the other kind.
  package static let vendorKindName = "vendorKind"
}

/// A reference to an item in an action or an event: its id, its place, and the handle that its
/// adapter gave it.
public struct ItemReference: Hashable, Sendable {
  public var id: ItemID
  public var surface: Surface
  public var container: ContainerID?
  /// The item's own `handle`.
  public var handle: JSONObject

  public init(
    _ id: ItemID, on surface: Surface, in container: ContainerID? = nil, handle: JSONObject = [:]
  ) {
    self.id = id
    self.surface = surface
    self.container = container
    self.handle = handle
  }

  /// A reference to the card.
  public init(_ card: Card) {
    self.init(card.id, on: .cards, in: card.container, handle: card.handle)
  }

  /// A reference to the campaign.
  public init(_ campaign: Campaign) {
    self.init(campaign.id, on: .campaigns, handle: campaign.handle)
  }

  /// A reference to the message.
  public init(_ message: InboxMessage) {
    self.init(message.id, on: .inbox, handle: message.handle)
  }
}

/// A kind of item, each with its own place in an application.
public struct Surface: ByteComparable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let cards: Surface = "cards"
  public static let inbox: Surface = "inbox"
  public static let campaigns: Surface = "campaigns"
  public static let push: Surface = "push"
  /// Campaigns as routes name them, after what presents them.
  public static let templates: Surface = "templates"
  /// Without items; routes say who is told.
  public static let person: Surface = "person"
  /// Without items; routes say who is told.
  public static let events: Surface = "events"
}
