import EngagementAdapterAPI
import EngagementModel
import EngagementVendors

extension Command {
  /// Every command, in the order in which help lists them.
  static func all(for vendors: [VendorRegistration]) -> [Command] {
    let first =
      [demo, initialise, doctor, status, emulate(vendors), providers] + routes + [sync, parity]
      + migrate
    let items = cards(vendors) + inbox(vendors)
    let people = person + [signIn, signOut] + consent
    let ledger =
      [events, export(vendors), verify, importing(vendors)] + cursors + [
        compare, planExperiment, reportExperiment,
      ]
    let rest =
      [track] + templates + outbox + push + device + cache + [decode(vendors)] + ledger + [
        completions, manual,
      ]
    return first + items + people + rest
  }
}

extension [VendorRegistration] {
  /// The vendors that this version can use.
  var available: [VendorRegistration] { filter { $0.makeProvider != nil } }

  /// The vendors that have a server.
  var served: [VendorRegistration] { filter { $0.server != nil } }

  /// A card for examples in help: its id, with and without its provider.
  var exampleCard: (id: String, full: String) { example(\.card, else: "card-1") }

  /// A card of a vendor that has the action.
  func exampleCard(for action: String) -> (id: String, full: String) {
    filter { vendor in
      let adapter = try? vendor.makeReader?()
      return adapter?.capabilities.ability(.act(action, on: .cards)).travel ?? .unsupported
        != .unsupported
    }.exampleCard
  }

  /// A message for examples in help.
  var exampleMessage: (id: String, full: String) { example(\.message, else: "message-1") }

  private func example(
    _ id: (VendorRegistration.Examples) -> String?, else other: String
  ) -> (id: String, full: String) {
    for vendor in available {
      if let id = id(vendor.examples) { return (id, "\(vendor.name)/\(id)") }
    }
    return (other, other)
  }
}
