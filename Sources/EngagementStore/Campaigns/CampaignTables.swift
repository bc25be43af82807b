import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform

/// The owner of counts, reports and facts: one provider for one user.
struct CampaignOwner: Hashable, Sendable {
  let partition: Partition.ID
  let provider: ProviderID

  init(_ partition: Partition, _ provider: ProviderID) {
    self.partition = partition.id
    self.provider = provider
  }
}

/// What the cache keeps of campaigns beside the items that vendors sent.
///
/// Each table keeps its statements private, so this bundle protects only what it has in memory.
struct CampaignTables: ~Copyable {
  /// The adapters of the vendors that have campaigns.
  let adapters: [ProviderID: any EngagementAdapter]
  var counts = CampaignCountTable()
  var queue = CampaignQueueTable()
  var reports = CampaignReportTable()
  var facts = CampaignFactTable()
  var waits = CampaignWaitTable()

  private var known: [CampaignOwner: KnownCampaigns] = [:]

  init(_ adapters: [ProviderID: any EngagementAdapter]) {
    self.adapters = adapters.filter {
      $0.value.capabilities.ability(.campaigns).travel != .unsupported
    }
  }

  // MARK: Memory

  mutating func forgetMemory() {
    known = [:]
    counts.forgetMemory()
    facts.forgetMemory()
    waits.forgetMemory()
  }

  /// Drops one user from memory.
  mutating func release(_ partition: Partition.ID) {
    known = known.filter { $0.key.partition != partition }
    counts.release(partition)
    facts.release(partition)
  }

  /// The prepared campaigns; nil if they have to be prepared.
  func known(of owner: CampaignOwner, at now: Date) -> KnownCampaigns? {
    known[owner].flatMap { $0.isValid(at: now) ? $0 : nil }
  }

  mutating func remember(_ campaigns: KnownCampaigns, of owner: CampaignOwner) {
    known[owner] = campaigns
  }

  /// Called when the vendor's campaigns change.
  mutating func forgetCampaigns(of owner: CampaignOwner) { known[owner] = nil }

  // MARK: Users

  /// Deletes everything of a user.
  mutating func erase(
    _ partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    release(partition)
    try counts.erase(partition, on: &database)
    try queue.erase(partition, on: &database)
    try reports.erase(partition, on: &database)
    try facts.erase(partition, on: &database)
  }
}
