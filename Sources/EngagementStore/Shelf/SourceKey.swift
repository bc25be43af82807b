import EngagementModel

/// All that one provider has on one surface for one user: what is one item there is one item in
/// every feed.
struct SourceKey: Hashable, Sendable {
  let partition: Partition.ID
  let provider: ProviderID
  let surface: Surface
}
