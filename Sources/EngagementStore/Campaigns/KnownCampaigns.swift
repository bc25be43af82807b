import EngagementModel
import EngagementPlatform

/// The campaigns of one provider and one user, prepared for evaluation until the first of them ends.
struct KnownCampaigns: Sendable {
  /// Nil without campaigns.
  let campaigns: CampaignEvaluator?
  /// Those that the vendor presents after it was told that they are due; nil without any.
  let announced: CampaignEvaluator?
  private let madeAt: Date
  private let validUntil: Date?

  init(_ campaigns: [Campaign], announced: [Campaign], at now: Date) {
    self.campaigns = CampaignEvaluator(campaigns, notEndedAt: now)
    self.announced = CampaignEvaluator(announced, notEndedAt: now)
    madeAt = now
    validUntil = (campaigns + announced).compactMap(\.end).filter { $0 > now }.min()
  }

  var isEmpty: Bool { campaigns == nil && announced == nil }

  func isValid(at now: Date) -> Bool { madeAt <= now && (validUntil.map { now < $0 } ?? true) }
}

extension Campaign {
  /// When the vendor ends the campaign. Each presentation of one with a lifetime has its own end.
  fileprivate var end: Date? { lifetimeSeconds == nil ? expiresAt : nil }
}

extension CampaignEvaluator {
  /// Nil if none of the campaigns is left.
  fileprivate init?(_ campaigns: [Campaign], notEndedAt now: Date) {
    let current = campaigns.filter { campaign in campaign.end.map { $0 > now } ?? true }
    guard !current.isEmpty else { return nil }
    self.init(current)
  }
}
