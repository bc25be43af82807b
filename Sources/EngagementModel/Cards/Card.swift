public import EngagementPlatform

/// One card of any vendor: a flat content card or a tree of components.
///
/// A value that the vendor did not send is nil or empty. `title`, `text` and `imageURL` of a
/// composed card are its first headline, text and image.
///
/// A card takes one word of memory. Copies share their fields until one of them changes.
@dynamicMemberLookup
public struct Card: Hashable, Sendable, Identifiable, CustomReflectable {
  @usableFromInline var shared: Shared

  public init(_ id: ItemID, vendor: Vendor, kind: Kind) {
    shared = Shared(Fields(id: id, vendor: vendor, kind: kind))
  }

  /// The provider and the vendor's own id.
  @inlinable public var id: ItemID {
    get { shared.fields.id }
    set { self[dynamicMember: \.id] = newValue }
  }

  /// Which content the card is a copy of; nil if it has no content key.
  package var contentKey: ContentKey? {
    get { shared.fields.contentKey }
    set { self[dynamicMember: \.contentKey] = newValue }
  }

  /// The field. Setting it copies the fields if another card shares them.
  @inlinable
  public subscript<Value>(
    dynamicMember field: WritableKeyPath<Fields, Value>
  ) -> Value {
    get { shared.fields[keyPath: field] }
    _modify {
      if !isKnownUniquelyReferenced(&shared) { shared = Shared(shared.fields) }
      yield &shared.fields[keyPath: field]
    }
  }

  /// The target of a click, parsed on access; nil if the vendor sent none or it is not a URL.
  public var url: URL? { shared.fields.urlText.flatMap { URL(string: $0) } }

  /// The image's address, parsed on access; nil if the vendor sent none or it is not a URL.
  public var imageURL: URL? { shared.fields.imageURLText.flatMap { URL(string: $0) } }

  // Cards that share their fields are equal; there is no need to compare them.
  public static func == (left: Card, right: Card) -> Bool {
    left.shared === right.shared || left.shared.fields == right.shared.fields
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(shared.fields) }

  public var customMirror: Mirror { Mirror(reflecting: shared.fields) }

  /// The fields of a card. Each has the same name as the card's own property.
  public struct Fields: Hashable, Sendable {
    /// The provider and the vendor's own id.
    public var id: ItemID
    public var vendor: Vendor
    /// The vendor's container; nil if the vendor has no containers.
    public var container: ContainerID?
    public var kind: Kind
    public var title: String?
    public var text: String?
    /// The image's address as the vendor sent it. Its scheme never runs code.
    public var imageURLText: String?
    public var imageAlt: String?
    /// Width divided by height.
    public var imageAspectRatio: Double?
    public var language: String?
    /// The target of a click as the vendor sent it. Its scheme never runs code.
    public var urlText: String?
    public var linkText: String?
    public var opensInWebView = false
    public var createdAt: Date?
    public var updatedAt: Date?
    /// When the card last became active: when it was sent, or when its snooze ended.
    public var activeAt: Date?
    /// When the card expires; nil for never.
    public var expiresAt: Date?
    /// The urgency: 1 is the most urgent of 10. Feeds treat nil as 5.
    public var priority: Int?
    public var isPinned = false
    public var isDismissible = false
    public var isViewed = false
    public var isClicked = false
    public var isDismissed = false
    /// Whether the vendor sent the card to a test user. A test card survives a full sync.
    public var isTest = false
    /// The vendor's own word for the card's state, such as `active`.
    public var status: String?
    /// The vendor event that made the card.
    public var eventName: String?
    public var lifecycleID: String?
    /// The vendor's id of the campaign that sent the card.
    public var campaignID: String?
    /// The id and the name of the vendor's template, if the vendor sends them.
    public var templateID: String?
    public var templateName: String?
    /// The values that the sender gave the template's variables. Filters on variables compare
    /// these.
    public var variables = JSONObject()
    /// Key-value pairs that the campaign's author added to the card.
    public var extras = JSONObject()
    /// Data that the sender added to the card for the application.
    public var metadata = JSONObject()
    public var actions = Card.Actions()
    public var components: [Component] = []
    public var buttons: [CardButton] = []
    public var subviews: [Subview] = []
    public var runtimeVariables: [RuntimeVariable] = []
    /// Data that the card's adapter needs to act on the card later. Opaque to all other code. Every
    /// action on the card carries it, and it is never printed.
    public var handle = JSONObject()
    /// Which content the card is a copy of. The store sets it, where the provider has content keys.
    package var contentKey: ContentKey?
  }

  // `Card` writes to an object only while it holds the only reference, so threads can share
  // objects.
  @usableFromInline final class Shared: @unchecked Sendable {
    // Thousands of cards are read at once. The exclusivity rules of `Card` itself already prevent a
    // write during a read.
    @exclusivity(unchecked) @usableFromInline var fields: Fields

    @usableFromInline init(_ fields: Fields) { self.fields = fields }
  }

  /// The layout of a card.
  public struct Kind: ByteComparable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// An image and nothing else.
    public static let banner: Kind = "banner"
    /// An image with title and text.
    public static let captionedImage: Kind = "captionedImage"
    /// Title and text, possibly with a small image.
    public static let classic: Kind = "classic"
    /// Never shown: represents a card in the control group of an experiment.
    public static let control: Kind = "control"
    /// A tree of components.
    public static let composed: Kind = "composed"
  }

  /// A placeholder in the card's texts. The application fills it in when it shows the card.
  public struct RuntimeVariable: Hashable, Sendable {
    public var name: String
    public var defaultValue: String

    public init(_ name: String, defaultValue: String) {
      self.name = name
      self.defaultValue = defaultValue
    }
  }

  /// A second page of the card, opened by a link button.
  public struct Subview: Hashable, Sendable, Identifiable {
    public var id: String
    public var title: String?
    public var components: [Component]
    public var buttons: [CardButton]

    public init(
      _ id: String, title: String? = nil, components: [Component] = [], buttons: [CardButton] = []
    ) {
      self.id = id
      self.title = title
      self.components = components
      self.buttons = buttons
    }
  }
}
