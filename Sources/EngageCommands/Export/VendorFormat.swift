import EngagementAnalytics
import EngagementModel
import EngagementVendors

/// A vendor's format, and how the users of its files are named here.
struct VendorFormat {
  let table: VendorEventTable
  let userName: @Sendable (String) -> String
}

extension Option {
  /// The vendor's format that a command reads or writes in the place of ours.
  static func vendorFormat(_ vendors: [VendorRegistration]) -> Option {
    Option(
      "as", value: "FORMAT", "a vendor's own format, in place of ours",
      choices: vendors.eventTables.map(\.name))
  }
}

extension [VendorRegistration] {
  /// The vendors' formats of exported events.
  var eventTables: [VendorEventTable] { flatMap(\.eventTables) }
}

extension [VendorEventTable] {
  /// What help says of each format.
  var help: String { map { "\($0.name):\n\($0.summary)" }.joined(separator: "\n\n") }
}

extension Invocation {
  /// The vendor's format that is asked for; nil for ours.
  func vendorFormat() throws -> VendorEventTable? {
    guard let name = value(.vendorFormat(vendors)) else { return nil }
    return vendors.eventTables.first { $0.name == name }
  }
}
