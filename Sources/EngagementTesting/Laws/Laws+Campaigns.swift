import EngagementAdapterAPI
import EngagementKit
import EngagementModel

extension Law {
  static let campaigns = [survivesKill, toldOnce, counters]

  private static let survivesKill = Law(
    "campaigns.survive-a-kill", "a due campaign survives a kill until it was presented",
    where: \.hasCampaigns
  ) { subject, findings in
    guard let samples = subject.campaigns else { return }
    let scenario = try await LawScenario(subject)
    try await scenario.list(samples)
    try await scenario.engagement.track(samples.event)
    try await scenario.engagement.close()
    for round in ["the first", "the second"] {
      let engagement = try await scenario.reopened()
      try await engagement.presentDueTemplates(within: .seconds(60))
      try await engagement.close()
      findings.expect(
        scenario.presenter.campaigns, is: [samples.ids.onDevice],
        "A due campaign is not presented once.", "after \(round) restart")
    }
  }

  private static let toldOnce = Law(
    "campaigns.told-once", "the vendor is told once which campaigns are due, and never not at all",
    where: \.hasCampaigns
  ) { subject, findings in
    guard let samples = subject.campaigns else { return }
    let scenario = try await LawScenario(subject)
    try await scenario.list(samples)
    scenario.transport.forget()
    scenario.network.load(FaultScript([.init(.resetAfter)]))
    try await scenario.engagement.track(samples.event)
    try await scenario.deliver()
    let due = [samples.ids.announced]
    findings.expect(
      scenario.told(samples).map(\.due).filter { !$0.isEmpty }, is: [due, due],
      "The telling whose answer was lost is not repeated.")
    scenario.transport.forget()
    try await scenario.engagement.track("\(samples.event) later")
    try await scenario.deliver()
    findings.expect(
      scenario.told(samples).flatMap(\.due), is: [], "What the vendor knows is told again.")
    try await scenario.engagement.presentDueTemplates(within: .seconds(60))
    findings.expect(
      scenario.presenter.campaigns.contains(samples.ids.announced),
      "What the vendor sends is not presented.")
  }

  private static let counters = Law(
    "campaigns.counters", "the counts that the vendor is told are those of the cache",
    where: \.hasCampaigns
  ) { subject, findings in
    guard let samples = subject.campaigns else { return }
    let scenario = try await LawScenario(subject)
    try await scenario.list(samples)
    try await scenario.engagement.track(samples.event)
    try await scenario.engagement.presentDueTemplates(within: .seconds(60))
    try await scenario.deliver()
    scenario.transport.forget()
    try await scenario.engagement.track("\(samples.event) later")
    let counters = try await scenario.context().counters
    findings.expect(counters.shownToday, is: 1, "The cache counts no presentation.")
    try await scenario.deliver()
    let told = scenario.told(samples).last
    findings.expect(
      told?.shownToday, is: counters.shownToday, "The vendor is told another count of today.")
    let counts = counters.campaigns.map { ($0.campaign, $0.lifetime) }
    findings.expect(
      told?.shown, is: Dictionary(counts) { first, _ in first },
      "The vendor is told other counts of campaigns.")
  }
}

extension LawScenario {
  /// Gives the user both campaigns and lists them.
  fileprivate func list(_ samples: CampaignSamples) async throws {
    await server.put(
      [samples.onDevice(samples.ids.onDevice)], in: .campaigns, for: LawScenario.user)
    await server.put(
      [samples.announced(samples.ids.announced)], in: .announcedCampaigns, for: LawScenario.user)
    _ = await refresh(.campaigns)
    try await deliver()
  }

  /// What each request since the last `forget()` told the vendor.
  fileprivate func told(_ samples: CampaignSamples) -> [CampaignSamples.Told] {
    transport.requests.compactMap(samples.told)
  }
}

/// Shows each campaign at once and takes it away again.
final class LawPresenter: Engagement.TemplatePresenter {
  private let shown = Locked<[String]>([])

  var campaigns: [String] { shown.withLock { $0 } }

  func present(_ presentation: Engagement.Presentation) throws {
    shown.withLock { $0.append(presentation.campaign.value) }
    presentation.presented()
    presentation.dismissed()
  }

  func close(_ presentation: Engagement.Presentation) { presentation.dismissed() }
}
