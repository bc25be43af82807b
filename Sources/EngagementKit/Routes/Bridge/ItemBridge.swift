package import EngagementModel

extension InboxMessage {
  /// The message that shows the card where messages are shown. It has the card's id.
  ///
  /// Fields that both kinds have keep their values, and the others are left out. Placeholders of runtime
  /// variables have their defaults.
  package init(showing card: Card) {
    let card = card.runtimeVariables.isEmpty ? card : card.filled()
    self.init(card.id, vendor: card.vendor)
    subject = card.title
    text = card.text
    detailURLText = card.urlText
    imageURLText = card.imageURLText
    imageAlt = card.imageAlt
    isRead = card.isViewed
    createdAt = card.createdAt
    expiresAt = card.expiresAt
    campaignID = card.campaignID
    custom = card.extras
    buttons = card.buttons.compactMap(Button.init)
    handle = card.handle
    contentKey = card.contentKey
  }
}

extension Card {
  /// The card that shows the message where cards are shown. It has the message's id.
  ///
  /// Fields that both kinds have keep their values, and the others are left out. The kind follows from
  /// what there is to show.
  ///
  /// - Parameter canDismiss: Whether the message's vendor has an action that dismisses it.
  package init(showing message: InboxMessage, canDismiss: Bool) {
    self.init(message.id, vendor: message.vendor, kind: message.cardKind)
    self.title = message.subject
    self.text = message.text
    self.urlText = message.detailURLText
    self.imageURLText = message.imageURLText
    self.imageAlt = message.imageAlt
    self.isViewed = message.isRead
    self.createdAt = message.createdAt
    // A message is active from when it was sent.
    self.activeAt = message.createdAt
    self.expiresAt = message.expiresAt
    self.campaignID = message.campaignID
    self.extras = message.custom
    self.buttons = message.buttons.compactMap(CardButton.init)
    self.isDismissible = canDismiss
    self.actions = Actions(canDismiss: canDismiss)
    self.handle = message.handle
    self.contentKey = message.contentKey
  }
}

extension InboxMessage {
  fileprivate var cardKind: Card.Kind {
    guard imageURLText != nil else { return .classic }
    return subject == nil && text == nil ? .banner : .captionedImage
  }
}

extension InboxMessage.Button {
  /// Nil for an action that no button of a message has.
  fileprivate init?(_ button: CardButton) {
    switch button.action {
    case .link(.url(let url)): self.init(button.text, .openURL(url))
    case .link(.payload(let payload)): self.init(button.text, .keyValues(payload))
    case .link(.subview), .submit, .dismiss, .snooze, .vote: return nil
    }
  }
}

extension CardButton {
  /// Nil for an action that no button of a card has.
  fileprivate init?(_ button: InboxMessage.Button) {
    switch button.action {
    case .openURL(let url): self.init(button.text, .link(.url(url)))
    case .keyValues(let values): self.init(button.text, .link(.payload(values)))
    case .copy, .askForPushes: return nil
    }
  }
}
