package import EngagementPlatform

/// Decides which campaigns an event makes due. It reads no clock and keeps no counts.
///
/// It prepares the triggers once; an event then costs what the campaigns that name it cost.
package struct CampaignEvaluator: Sendable {
  /// What is due without a time of its own ends 48 hours after its event.
  package static let defaultLifetime: TimeInterval = 48 * 3_600

  private let campaigns: [Campaign]
  /// The place of each campaign in the order of those that are due at once.
  private let ranks: [Int]
  private let triggers: PreparedTriggers
  /// The places of the triggers of each event and of each attribute, by normalized name.
  private var triggersOfEvent: [String: [Int]] = [:]
  private var triggersOfAttribute: [String: [Int]] = [:]

  package init(_ campaigns: [Campaign]) {
    self.campaigns = campaigns
    ranks = Self.ranks(of: campaigns)
    var triggers = PreparedTriggers()
    for (index, campaign) in campaigns.enumerated() {
      for trigger in campaign.triggers {
        let place = triggers.add(trigger, of: index)
        triggersOfEvent[trigger.event.normalizedName, default: []].append(place)
        if let attribute = trigger.attribute {
          triggersOfAttribute[attribute.normalizedName, default: []].append(place)
        }
      }
    }
    self.triggers = triggers
  }

  private static func ranks(of campaigns: [Campaign]) -> [Int] {
    let order = campaigns.indices.sorted { campaigns[$0].isBefore(campaigns[$1]) }
    var ranks = Array(repeating: 0, count: campaigns.count)
    for (rank, index) in order.enumerated() { ranks[index] = rank }
    return ranks
  }

  /// What an event, or each change of one update of the person, makes due.
  ///
  /// `counts` returns the counts of a campaign before the event.
  package func evaluate(
    _ occurrences: [Campaign.Occurrence], at moment: CampaignMoment,
    counts: (ItemID) -> CampaignCounts
  ) -> CampaignEvaluation {
    var fired: [Int] = []
    var eligible: [Int] = []
    for occurrence in occurrences {
      let before = fired.count
      fired += campaignsFired(by: occurrence)
      for index in fired[before...] {
        let limits = campaigns[index].limits
        guard !limits.isEmpty else {
          eligible.append(index)
          continue
        }
        var counted = counts(campaigns[index].id)
        counted.fired += 1 + fired[..<before].count { $0 == index }
        if limits.allSatisfy({ $0.allows(counted, at: moment) }) { eligible.append(index) }
      }
    }
    eligible.sort { ranks[$0] < ranks[$1] }
    return CampaignEvaluation(
      fired: fired.map { campaigns[$0].id }, eligible: eligible.map { campaigns[$0] },
      at: moment.now)
  }

  /// The campaigns of which a trigger fires, in their order.
  private func campaignsFired(by occurrence: Campaign.Occurrence) -> [Int] {
    var candidates = triggersOfEvent[occurrence.name.normalizedName] ?? []
    if let attribute = occurrence.attribute {
      candidates += triggersOfAttribute[attribute.normalizedName] ?? []
      candidates.sort()
    }
    return candidates.isEmpty ? [] : triggers.campaignsFired(by: occurrence, among: candidates)
  }
}

/// What an event made due.
package struct CampaignEvaluation: Sendable {
  /// The campaigns of which a trigger fired, once for each occurrence.
  package let fired: [ItemID]
  /// The campaigns whose limits allow a presentation: by delay, then the highest priority, then the
  /// smallest id.
  package let eligible: [Campaign]
  /// The campaigns to present, at most one for each delay.
  package let due: [Due]
  /// The campaigns that would have been due but are suppressed.
  package let suppressed: [Campaign]

  /// A campaign to present, from when and until when.
  package struct Due: Hashable, Sendable {
    package var campaign: Campaign
    package var presentAt: Date
    package var expiresAt: Date

    package init(campaign: Campaign, presentAt: Date, expiresAt: Date) {
      self.campaign = campaign
      self.presentAt = presentAt
      self.expiresAt = expiresAt
    }
  }

  /// - Parameter eligible: In their order.
  init(fired: [ItemID], eligible: [Campaign], at now: Date) {
    self.fired = fired
    self.eligible = eligible
    var (due, suppressed): ([Due], [Campaign]) = ([], [])
    for campaign in eligible
    where due.last.map({ $0.campaign.delay != campaign.delay }) ?? true {
      if campaign.isSuppressed {
        suppressed.append(campaign)
      } else {
        due.append(campaign.due(at: now))
      }
    }
    self.due = due
    self.suppressed = suppressed
  }
}

extension Campaign {
  fileprivate var delay: Int { max(0, delaySeconds ?? 0) }

  /// When the campaign is presented and when it ends if its event is now. A lifetime begins when the
  /// delay is over.
  package func due(at now: Date) -> CampaignEvaluation.Due {
    let start = now.addingTimeInterval(TimeInterval(delay))
    let end =
      lifetimeSeconds.map { start.addingTimeInterval(TimeInterval($0)) } ?? expiresAt
      ?? now.addingTimeInterval(CampaignEvaluator.defaultLifetime)
    return CampaignEvaluation.Due(campaign: self, presentAt: start, expiresAt: end)
  }

  /// Priority 1 is the lowest and the default.
  fileprivate func isBefore(_ other: Campaign) -> Bool {
    if delay != other.delay { return delay < other.delay }
    let (left, right) = (priority ?? 1, other.priority ?? 1)
    if left != right { return left > right }
    if let left = Int64(id.value), let right = Int64(other.id.value), left != right {
      return left < right
    }
    return id < other.id
  }
}
