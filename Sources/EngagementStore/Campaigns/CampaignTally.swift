import EngagementAdapterAPI
package import EngagementModel
import EngagementPlatform

/// What decides whether a campaign of one provider may be presented now.
package struct CampaignTally: Hashable, Sendable {
  /// How many campaigns the vendor lets the user see.
  package var caps: CampaignCaps
  /// The counts of the campaigns that have any.
  package var counts: [ItemID: CampaignCounts]
  /// Those of all campaigns, also of removed ones.
  package var all: CampaignCounts

  package init(
    caps: CampaignCaps = CampaignCaps(), counts: [ItemID: CampaignCounts] = [:],
    all: CampaignCounts = CampaignCounts()
  ) {
    self.caps = caps
    self.counts = counts
    self.all = all
  }

  /// Whether the campaign may be presented at that time.
  package func allows(_ campaign: Campaign, at moment: CampaignMoment) -> Bool {
    caps.allow(campaign, counts[campaign.id] ?? CampaignCounts(), amongAll: all, at: moment)
  }
}

extension Tables {
  mutating func campaignTallies(
    of partition: Partition, in sessions: [ProviderID: SessionID], on database: inout Database
  ) throws(EngagementError) -> [ProviderID: CampaignTally] {
    var tallies: [ProviderID: CampaignTally] = [:]
    for provider in campaigns.adapters.keys {
      let counts = try campaigns.counts.counts(
        of: CampaignOwner(partition, provider), on: &database)
      let session = sessions[provider]
      let settings = try values.memory(of: provider, in: partition, on: &database).settings
      var tally = CampaignTally(
        caps: settings.campaignCaps ?? CampaignCaps(), all: counts.all.counts(in: session))
      for (campaign, own) in counts.campaigns {
        tally.counts[ItemID(provider, campaign.rawValue)] = own.counts(in: session)
      }
      tallies[provider] = tally
    }
    return tallies
  }

  /// The counts that vendors ask for; days are those of the device's time zone.
  mutating func campaignCounters(
    of provider: ProviderID, in partition: Partition, at now: Date, on database: inout Database
  ) throws(EngagementError) -> CampaignCounters {
    guard campaigns.adapters[provider] != nil else { return CampaignCounters() }
    let counts = try campaigns.counts.counts(of: CampaignOwner(partition, provider), on: &database)
    let moment = CampaignMoment(now, zoneOffset: options.zoneOffset())
    let campaigns = counts.campaigns.filter { !$0.value.presentations.isEmpty }
      .sorted { $0.key < $1.key }
    return CampaignCounters(
      shownToday: counts.all.counts(in: nil).presentationsToday(at: moment),
      campaigns: campaigns.map { campaign, own in
        CampaignCounters.Count(
          campaign.rawValue, today: own.counts(in: nil).presentationsToday(at: moment),
          lifetime: own.presentations.count)
      })
  }

  /// What the vendor does not know yet.
  mutating func campaignReport(
    of provider: ProviderID, in partition: Partition, on database: inout Database
  ) throws(EngagementError) -> CampaignReport {
    guard campaigns.adapters[provider] != nil else { return CampaignReport() }
    return try campaigns.reports.report(of: CampaignOwner(partition, provider), on: &database)
  }

  /// The counts of a user as objects, one for each campaign.
  mutating func heldCampaignCounts(
    of partition: Partition, on database: inout Database
  ) throws(EngagementError) -> [JSONObject] {
    var objects: [JSONObject] = []
    for provider in try campaigns.counts.providers(of: partition.id, on: &database) {
      let counts = try campaigns.counts.counts(
        of: CampaignOwner(partition, provider), on: &database)
      for (campaign, own) in counts.campaigns.sorted(by: { $0.key < $1.key }) {
        objects.append(own.held(of: campaign.rawValue, provider))
      }
      objects.append(counts.all.held(of: nil, provider))
    }
    return objects
  }
}

extension RecordedCounts.Counts {
  /// - Parameter campaign: Nil for the counts of all campaigns.
  fileprivate func held(of campaign: String?, _ provider: ProviderID) -> JSONObject {
    ObjectEncoder([
      "record": "campaignCount", "provider": provider, "campaign": campaign,
      "triggersFired": campaign == nil ? nil : fired,
      "presentations": presentations.map(\.writable),
    ]).object
  }
}
