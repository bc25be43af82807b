import EngagementModel
import EngagementVendors

extension ConfigurationReader {
  private static let day = Duration.seconds(86_400)

  /// How long recorded events are kept.
  func ledgerRetention(_ field: ConfigurationField) throws(EngagementError) -> LedgerRetention {
    let members = try field.members(among: [
      "maximumDays", "maximumEvents", "evictsWhatWasNotExported", "maximumPayloadBytes",
    ])
    var retention = LedgerRetention()
    if let days = members["maximumDays"] {
      retention.maximumAge = Self.day * (try days.count(atMost: 1_000_000))
    }
    if let events = members["maximumEvents"] {
      retention.maximumEvents = try events.count(atMost: .max)
    }
    retention.maximumPayload = try members["maximumPayloadBytes"]?.count(atMost: .max)
    retention.evictsWhatWasNotExported = try members["evictsWhatWasNotExported"]?.bool() ?? false
    return retention
  }
}

extension ConfigurationField {
  /// A whole number from 1 on.
  fileprivate func count(atMost most: Int) throws(EngagementError) -> Int {
    guard case .integer(let number) = value else { throw wrongType("a whole number") }
    guard number > 0 else { throw fault("is not above zero") }
    guard number <= most else { throw fault("is above \(most)") }
    return Int(number)
  }
}
