import EngagementAdapterAPI
import EngagementModel
import Foundation
import Testing

@testable import EngagementStore

private let noon = CampaignStand.noon

/// What the vendor is told about campaigns.
@Suite(.timeLimit(.minutes(20))) struct CampaignReportTests {
  private let stand: CampaignStand

  init() throws { stand = try CampaignStand() }

  @Test("C9: announced campaigns that are due are told once and not queued")
  func announced() async throws {
    var store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    try await store.list(
      CampaignStand.campaign("1", on: "a"), CampaignStand.campaign("2", on: "a"),
      in: .announcedCampaigns, of: user)
    try await store.accept(stand.track("a"), in: user)
    try await store.accept(stand.track("a"), in: user)
    store = try await stand.open()
    #expect(try await store.due(of: user).isEmpty)
    let report = try await store.report(of: user)
    #expect(report.due == ["1", "2"] && report.suppressed.isEmpty)
    _ = try await store.commit(
      [.campaignsReported(through: report.mark)], from: "bell", in: user, at: noon)
    #expect(try await store.report(of: user).isEmpty)
    try await store.accept(stand.track("a"), in: user)
    #expect(try await store.report(of: user).mark > report.mark)
  }

  @Test("C9: suppressed campaigns are told with their handles, recorded and not queued")
  func suppressed() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    try await store.list(
      CampaignStand.campaign("1", on: "a") {
        $0.isSuppressed = true
        $0.priority = 9
      }, CampaignStand.campaign("2", on: "a"), of: user)
    try await store.accept(stand.track("a"), in: user)
    #expect(try await store.due(of: user) == ["2"])
    #expect(try await store.report(of: user).suppressed == [["pivot": "1"]])
    let dropped = try await store.ledger().filter { $0.kind == .campaignDropped }
    #expect(dropped.map { $0.properties } == [["reason": "suppressed"]])
  }

  @Test("C9: what is found out while a report is under way stays for the next one")
  func underWay() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    try await store.list(
      CampaignStand.campaign("1", on: "a"), CampaignStand.campaign("2", on: "b"),
      in: .announcedCampaigns, of: user)
    try await store.accept(stand.track("a"), in: user)
    let report = try await store.report(of: user)
    for name in ["b", "a"] { try await store.accept(stand.track(name), in: user) }
    let confirmation = Change.campaignsReported(through: report.mark)
    _ = try await store.commit([confirmation], from: "bell", in: user, at: noon)
    #expect(try await store.report(of: user).due == ["2", "1"])
    _ = try await store.commit([confirmation], from: "bell", in: user, at: noon)
    #expect(try await store.report(of: user).due == ["2", "1"])
    let other = try await store.operationState(of: "paper", in: user, at: noon)
    #expect(other.campaignReport.isEmpty && other.counters == CampaignCounters())
  }
}
