/// What says that items of several providers are one content.
@nonexhaustive public enum ContentKeySource: Hashable, Sendable {
  /// A text that the campaign's author added: an extra of a card, else its metadata; the custom data of a
  /// message.
  case extra(String)
  /// The vendor's id of the campaign that sent the item.
  case campaign
  /// Title, text, image and target of a click. A change of one of them makes another content: what was
  /// dismissed comes back when its title is corrected at every vendor.
  case fingerprint
}

extension ContentKeySource {
  /// The key of the card.
  package func key(of card: Card) throws(ContentKey.Absence) -> ContentKey {
    switch self {
    case .extra(let name): try ContentKey(of: card.extras[name] ?? card.metadata[name])
    case .campaign: try ContentKey(of: card.campaignID.map { .string($0) })
    case .fingerprint:
      try ContentKey(ofParts: [card.title, card.text, card.imageURLText, card.urlText])
    }
  }

  /// The key of the message.
  package func key(of message: InboxMessage) throws(ContentKey.Absence) -> ContentKey {
    switch self {
    case .extra(let name): try ContentKey(of: message.custom[name])
    case .campaign: try ContentKey(of: message.campaignID.map { .string($0) })
    case .fingerprint:
      try ContentKey(
        ofParts: [message.subject, message.text, message.imageURLText, message.detailURLText])
    }
  }
}

extension ContentKeySource {
  /// The key of the campaign: the text of an argument, its id, or the template with its arguments.
  package func key(of campaign: Campaign) throws(ContentKey.Absence) -> ContentKey {
    switch self {
    case .extra(let name): try ContentKey(of: campaign.arguments[name])
    case .campaign: try ContentKey(of: .string(campaign.id.value))
    case .fingerprint:
      try ContentKey(
        ofParts: [campaign.template]
          + campaign.arguments.members.flatMap { [$0.key, $0.value.fingerprint] })
    }
  }
}

extension ContentKeySource {
  /// `"campaign"`, `"fingerprint"` or `{"extra": NAME}`.
  package var json: JSON {
    switch self {
    case .extra(let name): ["extra": .string(name)]
    case .campaign: "campaign"
    case .fingerprint: "fingerprint"
    }
  }
}

extension JSON {
  /// A text that is the same for equal values alone.
  fileprivate var fingerprint: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .number(let value): "\(value)"
    case .string(let text): "\(text.utf8.count) \(text)"
    case .array(let values): "[\(values.map(\.fingerprint).joined(separator: ","))]"
    case .object(let object):
      "{\(object.members.map { "\($0.key.utf8.count) \($0.key)\($0.value.fingerprint)" }.joined())}"
    }
  }
}
