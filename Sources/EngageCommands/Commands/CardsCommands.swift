extension Command {
  /// `engage cards`.
  static let cards = [listCards, showCard, cardImpression, clickCard, dismissCard]

  /// How a card is named.
  static let cardID = Argument(name: "ID", help: "PROVIDER/ID, or a beginning that only one has")
}
