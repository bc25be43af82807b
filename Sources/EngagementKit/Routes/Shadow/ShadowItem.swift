import EngagementModel

/// What is compared of an item.
struct ShadowItem: Hashable, Sendable {
  let id: ItemID
  let key: ContentKey?
  fileprivate let fields: [Field]

  fileprivate struct Field: Hashable, Sendable {
    var name: String
    var value: String?
    /// Whether vendors lack the field without a user missing it.
    var isOptional = false
  }

  init(_ card: Card) {
    id = card.id
    key = card.contentKey
    fields = [
      Field(name: "title", value: card.title), Field(name: "text", value: card.text),
      Field(name: "image", value: card.imageURLText), Field(name: "link", value: card.urlText),
      Field(name: "linkText", value: card.linkText, isOptional: true),
      Field(name: "imageAlt", value: card.imageAlt, isOptional: true),
      Field(name: "language", value: card.language, isOptional: true),
    ]
  }

  init(_ message: InboxMessage) {
    id = message.id
    key = message.contentKey
    fields = [
      Field(name: "title", value: message.subject), Field(name: "text", value: message.text),
      Field(name: "image", value: message.imageURLText),
      Field(name: "link", value: message.detailURLText),
      Field(name: "icon", value: message.iconURLText, isOptional: true),
      Field(name: "imageAlt", value: message.imageAlt, isOptional: true),
      Field(
        name: "buttons",
        value: message.buttons.isEmpty ? nil : message.buttons.map(\.text).joined(separator: "\n"),
        isOptional: true),
    ]
  }

  /// The names of the fields with other values in a copy. An empty text is as none.
  func differences(from copy: ShadowItem) -> [String] {
    zip(fields, copy.fields).filter { $0.differs(from: $1) }.map(\.0.name)
  }
}

extension ShadowItem.Field {
  fileprivate func differs(from other: Self) -> Bool {
    let (own, theirs) = (value ?? "", other.value ?? "")
    if isOptional, own.isEmpty || theirs.isEmpty { return false }
    return !own.hasSameBytes(as: theirs)
  }
}
