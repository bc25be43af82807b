import EngagementVendors

extension Command {
  /// `engage cards`.
  static func cards(_ vendors: [VendorRegistration]) -> [Command] {
    let example = vendors.exampleCard
    return [listCards, showCard(example)] + cardActions(example) + cardAnswers(vendors)
  }

  /// How a card is named.
  static let cardID = Argument(
    name: "ID", help: "PROVIDER/ID, or a unique prefix of 4 characters or more")
}
