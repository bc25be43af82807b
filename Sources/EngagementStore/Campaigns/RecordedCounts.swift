import EngagementModel
import EngagementPlatform

/// The counts of one vendor's campaigns for one user, over all sessions.
struct RecordedCounts: Sendable {
  private(set) var campaigns: [ItemKey: Counts] = [:]
  /// Those of all campaigns, also of removed ones.
  private(set) var all = Counts()

  struct Counts: Sendable {
    fileprivate(set) var fired = 0
    fileprivate(set) var presentations: [Date] = []
    /// The session of each presentation.
    fileprivate var sessions: [SessionID?] = []

    /// The counts as a session sees them. Without a session nothing was presented in it.
    func counts(in session: SessionID?) -> CampaignCounts {
      CampaignCounts(
        fired: fired, inSession: session == nil ? 0 : sessions.count { $0 == session },
        presentations: presentations)
    }

    fileprivate mutating func presented(at date: Date, in session: SessionID?) {
      presentations.append(date)
      sessions.append(session)
    }
  }

  func counts(of campaign: ItemID, in session: SessionID?) -> CampaignCounts {
    campaigns[ItemKey(campaign.value)]?.counts(in: session) ?? CampaignCounts()
  }

  mutating func fired(_ campaign: ItemKey, _ count: Int) {
    campaigns[campaign, default: Counts()].fired += count
  }

  mutating func presented(_ campaign: ItemKey?, at date: Date, in session: SessionID?) {
    all.presented(at: date, in: session)
    guard let campaign else { return }
    campaigns[campaign, default: Counts()].presented(at: date, in: session)
  }
}
