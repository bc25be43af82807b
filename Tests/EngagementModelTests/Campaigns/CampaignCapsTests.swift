import EngagementModel
import FoundationEssentials
import Testing

@Suite("Campaigns: caps") struct CampaignCapsTests {
  private func allows(
    _ caps: CampaignCaps, _ limits: [Campaign.Limit] = [], counts: CampaignCounts = .init(),
    all: CampaignCounts = .init(), isExcluded: Bool = false
  ) -> Bool {
    var campaign = Campaign(ItemID("p", "1"), vendor: "v", template: "t")
    campaign.limits = limits
    campaign.isExcludedFromCaps = isExcluded
    return caps.allow(campaign, counts, amongAll: all, at: .start)
  }

  private func presented(secondsAgo: Double...) -> CampaignCounts {
    CampaignCounts(
      inSession: 1,
      presentations: secondsAgo.map { CampaignMoment.start.now.addingTimeInterval(-$0) })
  }

  @Test("C9: the vendor's caps count the presentations of all its campaigns")
  func vendorCaps() {
    let caps = CampaignCaps(perSession: 2, perDay: 3)
    #expect(allows(caps))
    #expect(allows(caps, all: CampaignCounts(inSession: 1)))
    #expect(!allows(caps, all: CampaignCounts(inSession: 2)))
    #expect(allows(caps, all: presented(secondsAgo: 3_600, 60)))
    #expect(!allows(caps, all: presented(secondsAgo: 3_600, 60, 1)))
    // The day began seven hours ago.
    #expect(allows(caps, all: presented(secondsAgo: 7 * 3_600 + 1, 60, 1)))
    #expect(!allows(CampaignCaps(perSession: 0)))
    #expect(!allows(CampaignCaps(perDay: 0)))
    #expect(allows(CampaignCaps(), all: CampaignCounts(inSession: 1_000)))
  }

  @Test("C9: an excluded campaign is not capped, and its own limits still apply")
  func excluded() {
    let caps = CampaignCaps(perSession: 0, perDay: 0)
    #expect(allows(caps, isExcluded: true))
    let shown = presented(secondsAgo: 60)
    #expect(!allows(caps, [Campaign.Limit(.ever, 1)], counts: shown, isExcluded: true))
  }

  @Test("C9: limits count again at the presentation, without those of fired triggers")
  func limits() {
    let shown = presented(secondsAgo: 60)
    #expect(!allows(CampaignCaps(), [Campaign.Limit(.session, 1)], counts: shown))
    #expect(allows(CampaignCaps(), [Campaign.Limit(.onExactly, 9), Campaign.Limit(.onEvery, 7)]))
    #expect(!allows(CampaignCaps(), [.unreadable]))
  }
}
