import EngagementFormats
public import EngagementJSON
public import EngagementModel
import EngagementPlatform

extension BrazeAdapter {
  /// The kinds of cards, by the vendor's `tp`. Only old documentation mentions `classic`.
  private static let kinds: [String: Card.Kind] = [
    "captioned_image": .captionedImage, "text_announcement": .classic, "short_news": .classic,
    "classic": .classic, "banner_image": .banner, "control": .control,
  ]

  /// Maps an item's bytes to a card.
  ///
  /// Throws `unsupported` for an unknown kind, which the vendor may have added, with the kind as
  /// `underlying`. Throws `malformedResponse` if the id or the kind is missing or a value is
  /// invalid JSON. Leaves out any other value that is absent or of the wrong type. Throws
  /// `unsupported` as well for a card that commands the vendor's own client instead of linking.
  public func card(in item: RawItem) throws(EngagementError) -> Card {
    let fields: JSONFields
    do throws(JSONFault) { fields = try JSONFields(item) } catch { throw EngagementError(error) }
    guard let id = fields.filled("id") else {
      throw EngagementError(.malformedResponse, "A card has no id.")
    }
    // The store replaces the provider with the application's id for it.
    var card = Card(ItemID("braze", id), vendor: vendor, kind: try Self.kind(in: fields))
    guard !BrazeLink.isCommand(fields.string("u")) else {
      throw EngagementError(.unsupported, "The card has a command for the vendor's own client.")
    }
    setTexts(of: &card, from: fields)
    setTimes(of: &card, from: fields)
    setStates(of: &card, from: fields)
    return card
  }

  private static func kind(in fields: JSONFields) throws(EngagementError) -> Card.Kind {
    guard let word = fields.filled("tp") else {
      throw EngagementError(.malformedResponse, "A card has no kind.")
    }
    guard let kind = kinds[word] else {
      throw EngagementError(
        .unsupported, "The kind of a card is not known.", underlying: shortName(word))
    }
    return kind
  }

  /// The word if it looks like a name. Any other text might be content.
  private static func shortName(_ word: String) -> String? {
    let isName = word.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    return isName && word.utf8.count <= 40 ? word : nil
  }

  private func setTexts(of card: inout Card, from fields: JSONFields) {
    card.title = fields.filled("tt")
    card.text = fields.filled("ds")
    card.imageURLText = VendorURL.checked(fields.string("i"))
    card.imageAlt = fields.filled("image_alt")
    card.imageAspectRatio = fields.loose("ar").flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
    card.language = fields.filled("language")
    card.urlText = BrazeLink.checked(fields.string("u"))
    card.linkText = fields.filled("dm")
    card.opensInWebView = fields.flag("uw") ?? false
    card.extras = fields.json("e")?.object ?? [:]
  }

  /// The vendor has one time for creation, change and activation.
  private func setTimes(of card: inout Card, from fields: JSONFields) {
    let time = fields.loose("ca").flatMap(Epoch.date(seconds:))
    card.createdAt = time
    card.updatedAt = time
    card.activeAt = time
    // A time before 1970 means that the card does not expire.
    card.expiresAt = fields.loose("ea").flatMap { $0 < 0 ? nil : Epoch.date(seconds: $0) }
  }

  private func setStates(of card: inout Card, from fields: JSONFields) {
    card.isPinned = fields.flag("p") ?? false
    card.isDismissible = fields.flag("db") ?? false
    card.actions = Card.Actions(canDismiss: card.isDismissible)
    card.isViewed = fields.flag("v") ?? false
    card.isClicked = fields.flag("cl") ?? false
    card.isTest = fields.flag("t") ?? false
    card.handle =
      BrazeHandle(
        isControl: card.kind == .control, isDismissible: card.isDismissible,
        hasLink: card.urlText.map(Self.leadsSomewhere) ?? false
      ).json
  }

  /// Whether a click on the address counts. An address with blanks or control bytes opens nothing.
  private static func leadsSomewhere(_ address: String) -> Bool {
    address.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f }
  }
}

/// Addresses as the vendor sends them.
enum BrazeLink {
  /// The address if it leads somewhere and cannot run code.
  static func checked(_ text: String?) -> String? {
    isCommand(text) ? nil : VendorURL.checked(text)
  }

  /// Whether the text is a command to the vendor's own client, which clients that do not know it
  /// must not show.
  static func isCommand(_ text: String?) -> Bool {
    text?.utf8.prefix(scheme.utf8.count).lowercased == Array(scheme.utf8)
  }

  private static let scheme = "brazeactions:"
}

extension Sequence<UInt8> {
  fileprivate var lowercased: [UInt8] {
    map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
  }
}

extension JSONFields {
  /// The member as a string; nil if it is empty.
  fileprivate func filled(_ key: JSONKey) -> String? {
    string(key).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The member as a number, also from a text: the vendor's own clients accept both.
  fileprivate func loose(_ key: JSONKey) -> Double? {
    number(key) ?? string(key).flatMap { Double($0) }
  }
}
