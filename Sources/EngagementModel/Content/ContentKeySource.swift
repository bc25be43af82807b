/// What says that items of several providers are one content.
@nonexhaustive public enum ContentKeySource: Hashable, Sendable {
  /// A text that the campaign's author added: an extra of a card, else its metadata; the custom data of a
  /// message.
  case extra(String)
  /// The vendor's id of the campaign that sent the item.
  case campaign
  /// Title, text, image and target of a click. A change of one of them makes another content.
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
  /// `"campaign"`, `"fingerprint"` or `{"extra": NAME}`.
  package var json: JSON {
    switch self {
    case .extra(let name): ["extra": .string(name)]
    case .campaign: "campaign"
    case .fingerprint: "fingerprint"
    }
  }
}
