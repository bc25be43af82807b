public import FoundationEssentials

/// One card, whichever vendor sent it: a flat content card and a tree of components alike.
///
/// A value that a vendor did not send is nil or empty; `title`, `text` and `imageURL` of a
/// composed card are its first headline, text and image.
///
/// A card is a value of one word: lists of cards share what is in them, and only a card that is
/// changed gets fields of its own.
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

  /// The field; setting it makes the card's fields its own.
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

  // Cards that share their fields are told to be equal without a look at these.
  public static func == (left: Card, right: Card) -> Bool {
    left.shared === right.shared || left.shared.fields == right.shared.fields
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(shared.fields) }

  public var customMirror: Mirror { Mirror(reflecting: shared.fields) }

  /// What a card has, each field under the same name as the card's own property.
  public struct Fields: Hashable, Sendable {
    /// The provider and the vendor's own id.
    public var id: ItemID
    public var vendor: Vendor
    /// The vendor's container, where the vendor has containers.
    public var container: ContainerID?
    public var kind: Kind
    public var title: String?
    public var text: String?
    /// An address as the vendor sent it; no scheme that can run code.
    public var imageURL: String?
    public var imageAlt: String?
    /// Width divided by height.
    public var imageAspectRatio: Double?
    public var language: String?
    /// Where a click leads, as the vendor sent it; no scheme that can run code.
    public var url: String?
    public var linkText: String?
    public var opensInWebView = false
    public var createdAt: Date?
    public var updatedAt: Date?
    /// When the card last became active: sent, or back from a snooze.
    public var activeAt: Date?
    /// When the card ends; nil for never.
    public var expiresAt: Date?
    /// 1 is the most urgent of 10; feeds take an absent one as 5.
    public var priority: Int?
    public var pinned = false
    public var dismissible = false
    public var viewed = false
    public var clicked = false
    public var dismissed = false
    /// Sent to a test user; survives a full sync.
    public var test = false
    /// The vendor's own word for the card's state, such as `active`.
    public var status: String?
    /// The vendor event that made the card.
    public var eventName: String?
    public var lifecycleID: String?
    /// The vendor's template of the card, by id and by name, where the vendor tells them.
    public var templateID: String?
    public var templateName: String?
    /// The values that the sender gave the template's variables; what filters on variables see.
    public var variables = JSONObject()
    /// What the campaign's author put beside the card.
    public var extras = JSONObject()
    /// What the sender put beside the card for the application.
    public var metadata = JSONObject()
    public var actions = Card.Actions()
    public var components: [Component] = []
    public var buttons: [CardButton] = []
    public var subviews: [Subview] = []
    public var runtimeVariables: [RuntimeVariable] = []
    /// What the card's own adapter needs to speak of it again; opaque to everyone else, part of
    /// every action on the card and never printed.
    public var handle = JSONObject()
  }

  // Written to only through a card that nobody else refers to.
  @usableFromInline final class Shared: @unchecked Sendable {
    // Cards are read by the thousand, and the card's own rules hold off who writes meanwhile.
    @exclusivity(unchecked) @usableFromInline var fields: Fields

    @usableFromInline init(_ fields: Fields) { self.fields = fields }
  }

  /// What a card looks like.
  public struct Kind: ByteComparable {
    public let text: String
    public init(_ text: String) { self.text = text }

    /// An image and nothing else.
    public static let banner: Kind = "banner"
    /// An image with title and text.
    public static let captionedImage: Kind = "captionedImage"
    /// Title and text, perhaps with a small image.
    public static let classic: Kind = "classic"
    /// Never shown: stands for a card in the control group of an experiment.
    public static let control: Kind = "control"
    /// A tree of components.
    public static let composed: Kind = "composed"
  }

  /// What the user may do with the card besides its own buttons.
  public struct Actions: Hashable, Sendable {
    public var dismiss: Bool
    public var snooze: Bool
    public var voteUp: Bool
    public var voteDown: Bool

    public init(
      dismiss: Bool = false, snooze: Bool = false, voteUp: Bool = false, voteDown: Bool = false
    ) {
      self.dismiss = dismiss
      self.snooze = snooze
      self.voteUp = voteUp
      self.voteDown = voteDown
    }
  }

  /// A name in the card's texts that the application fills in when the card is shown.
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
