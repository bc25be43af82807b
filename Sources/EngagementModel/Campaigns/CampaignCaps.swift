/// How many campaigns a vendor lets one user see.
public struct CampaignCaps: Hashable, Sendable {
  /// In one session of use; nil for any number.
  public var perSession: Int?
  /// In one day of the device's time zone; nil for any number.
  public var perDay: Int?

  public init(perSession: Int? = nil, perDay: Int? = nil) {
    self.perSession = perSession
    self.perDay = perDay
  }

  /// Whether the campaign may be presented now. It is asked again before each presentation: since the
  /// campaign was due, it or others may have been presented.
  ///
  /// - Parameters:
  ///   - counts: Those of the campaign.
  ///   - all: The presentations of all the vendor's campaigns; `fired` does not count.
  package func allow(
    _ campaign: Campaign, _ counts: CampaignCounts, amongAll all: CampaignCounts,
    at moment: CampaignMoment
  ) -> Bool {
    let limits = campaign.limits.filter { !$0.countsTriggers }
    guard limits.allSatisfy({ $0.allows(counts, at: moment) }) else { return false }
    if campaign.isExcludedFromCaps { return true }
    if let perSession, all.inSession >= perSession { return false }
    guard let perDay else { return true }
    return all.presentations(since: moment.startOfDay(before: 0)) < perDay
  }
}
