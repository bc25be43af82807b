import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import Foundation
import TestSupport

@testable import EngagementStore

/// A cache with a vendor that has campaigns, `bell`, and one that has none, `paper`.
final class CampaignStand: Sendable {
  static let noon = StoreStand.start

  let files: StoreStand

  init(_ files: StoreStand) { self.files = files }

  convenience init() throws { self.init(try StoreStand()) }

  func open(at position: Campaign.Position? = nil) async throws -> Store {
    let random = Locked(SeededGenerator(seed: 7))
    return try await Store.open(
      Store.Options(
        path: files.scratch.path(), adapters: ["bell": CampaignAdapter(), "paper": PaperAdapter()],
        random: { random.withLock { $0.next() } }, now: { Self.noon }, zoneOffset: { 7_200 },
        position: { position }),
      at: Self.noon)
  }

  static func campaign(
    _ id: String, on event: String, _ limits: [Campaign.Limit] = [],
    _ change: (inout Campaign) -> Void = { _ in }
  ) -> Campaign {
    var campaign = Campaign(ItemID("bell", id), vendor: "bell", template: "Banner")
    campaign.triggers = [Campaign.Trigger(event)]
    campaign.limits = limits
    campaign.handle = ["pivot": .string(id)]
    change(&campaign)
    return campaign
  }

  static func items(_ campaigns: Campaign...) -> [RawItem] {
    campaigns.enumerated().map { index, campaign in
      var object = campaign.json.object ?? [:]
      object["handle"] = .object(campaign.handle)
      return RawItem(index: index, bytes: JSON.object(object).encoded()[...])
    }
  }

  /// An event with its delivery.
  func track(
    _ name: String, kind: EngagementEvent.Kind = .custom, in session: SessionID? = "s-1",
    to provider: ProviderID = "bell", _ properties: JSONObject = [:]
  ) -> Intent {
    let event = EngagementEvent(
      id: EventID(files.key().id(0)), kind: kind, time: Self.noon, zoneOffset: 7_200,
      session: session, provider: provider, name: kind == .custom ? name : nil,
      properties: properties)
    return Intent(
      event: event, deliveries: [.init(to: provider, .event(event), key: files.key())])
  }

  /// An update of the person.
  func profile(_ values: JSON) -> Intent {
    Intent(deliveries: [
      .init(to: "bell", .operation(.vendor("profile", values)), key: files.key())
    ])
  }
}

extension Store {
  @discardableResult func list(
    _ campaigns: Campaign..., in feed: Feed = .campaigns, of user: Partition
  ) throws(EngagementError) -> CommitReport {
    var items: [RawItem] = []
    for campaign in campaigns { items += CampaignStand.items(campaign) }
    return try commit(
      [.items(feed, .replace(.nothing), items)], from: "bell", in: user, at: CampaignStand.noon)
  }

  func due(of user: Partition) throws(EngagementError) -> [String] {
    try queuedCampaigns(of: user).map(\.campaign.id.value)
  }

  func report(
    of user: Partition, at now: Date = CampaignStand.noon
  ) throws(EngagementError) -> CampaignReport {
    try operationState(of: "bell", in: user, at: now).campaignReport
  }

  /// Hands the campaign over and records its presentation.
  func present(
    _ id: Int64, in session: SessionID? = "s-1", of user: Partition, at now: Date
  ) throws(EngagementError) {
    _ = try handOverCampaign(id, count: 0, of: user)
    _ = try presentCampaign(id, in: session, of: user, at: now)
    _ = try endCampaign(id, of: user, at: now)
  }

  /// Runs SQL on the store's own connection, so that nothing in memory is dropped.
  func runOnOwnConnection(_ sql: String) throws(EngagementError) {
    try write { (_, database) throws(EngagementError) in try database.connection.execute(sql) }
  }

  /// Accepts intents in a transaction that then fails.
  func acceptAndFail(_ intents: [Intent], in user: Partition) throws(EngagementError) {
    try write { (tables, database) throws(EngagementError) in
      _ = try tables.accept(intents, in: user, at: CampaignStand.noon, on: &database)
      throw EngagementError(.internalFailure, "The disk is gone.")
    }
  }
}
