import EngagementAnalytics
import EngagementFormats
import EngagementModel
import EngagementVendors

/// A vendor's format, and how the users of its files are named here.
struct VendorFormat {
  let table: VendorEventTable
  let userName: (@Sendable (String) -> String)?
}

extension Option {
  /// The vendor's format that a command reads or writes in the place of ours.
  static func vendorFormat(_ vendors: [VendorRegistration]) -> Option {
    Option(
      "as", value: "FORMAT", "a vendor's own format, in place of ours",
      choices: vendors.eventTables.map(\.name))
  }
}

extension Option {
  static let zone = Option(
    "zone", value: "OFFSET", "the zone of times that have none, such as +05:30 (default UTC)")
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
    let name = value(.vendorFormat(vendors))
    var table = vendors.eventTables.first { $0.name == name }
    guard let zone = value(Option.zone) else { return table }
    guard case .digits? = table?.timeFormat else {
      throw usage("--zone is for times without a zone, as clevertap-export has them; leave it out.")
    }
    table?.timeFormat = .digits(zoneOffset: try zoneOffset(zone))
    return table
  }

  /// The seconds by which a zone such as +05:30 is before UTC.
  private func zoneOffset(_ text: String) throws -> Int64 {
    let example = "2026-01-01T00:00:00"
    guard text.utf8.count == 6,
      let zoned = ISO8601.date(from: example + text).flatMap(Epoch.milliseconds),
      let plain = ISO8601.date(from: example + "Z").flatMap(Epoch.milliseconds)
    else {
      throw usage("--zone takes an offset from UTC such as +05:30, and not \"\(text)\".")
    }
    return (plain - zoned) / 1_000
  }
}
