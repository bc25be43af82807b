public import FoundationEssentials

/// Something that happened, once, with the id it keeps over every attempt to report it.
public struct EngagementEvent: Hashable, Sendable, Identifiable {
  public let id: EventID
  public var kind: Kind
  public var time: Date
  /// The zone's offset from UTC in seconds, where and when it happened.
  public var zoneOffset: Int
  public var session: SessionID?
  /// Counts up with every event of the installation; orders events when clocks jump.
  public var sequence: Int64
  /// The provider that is concerned, where one is.
  public var provider: ProviderID?
  /// The item it is about.
  public var item: ItemReference?
  /// What a custom event or a purchase is called.
  public var name: String?
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
}

/// An item as an action or an event speaks of it: its id, where it was, and what its adapter
/// asked to be told again.
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

  /// How the card is spoken of.
  public init(_ card: Card) {
    self.init(card.id, on: .cards, in: card.container, handle: card.handle)
  }

  /// How the message is spoken of.
  public init(_ message: InboxMessage) {
    self.init(message.id, on: .inbox, handle: message.handle)
  }
}

/// A kind of item with a place where it is shown.
public struct Surface: ByteComparable {
  public let text: String
  public init(_ text: String) { self.text = text }

  public static let cards: Surface = "cards"
  public static let inbox: Surface = "inbox"
  public static let campaigns: Surface = "campaigns"
  public static let push: Surface = "push"
}
