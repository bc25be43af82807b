public import EngagementModel

/// Which events may travel together, and how many.
public struct EventBatching: Hashable, Sendable {
  /// The most events in a batch.
  public var limit: Int
  /// Whether a batch holds events of one kind on one surface only.
  public var isByKind: Bool
  /// Kinds that travel apart from the others, by the name of their group.
  public var groups: [EngagementEvent.Kind: String]

  public init(
    limit: Int, isByKind: Bool = false, groups: [EngagementEvent.Kind: String] = [:]
  ) {
    self.limit = limit
    self.isByKind = isByKind
    self.groups = groups
  }

  /// Events with the same key may share a batch.
  public func key(of event: EngagementEvent) -> String {
    if let group = groups[event.kind] { return group }
    return isByKind ? "\(event.kind) \(event.item?.surface.text ?? "")" : ""
  }

  /// The events in batches: no batch over the limit or of two keys, the order kept within a key.
  public func batches(of events: [EngagementEvent]) -> [[EngagementEvent]] {
    var batches: [[EngagementEvent]] = []
    var open: [String: Int] = [:]
    for event in events {
      let key = key(of: event)
      if let index = open[key], batches[index].count < max(1, limit) {
        batches[index].append(event)
      } else {
        open[key] = batches.count
        batches.append([event])
      }
    }
    return batches
  }
}
