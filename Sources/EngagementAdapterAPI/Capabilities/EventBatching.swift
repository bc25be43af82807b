public import EngagementModel

/// How events are grouped into batches.
public struct EventBatching: Hashable, Sendable {
  /// The most events in a batch.
  public var limit: Int
  /// Whether a batch contains events of only one kind on one surface.
  public var isByKind: Bool
  /// The name of a separate group for some kinds.
  public var groups: [EngagementEvent.Kind: String]

  public init(
    limit: Int, isByKind: Bool = false, groups: [EngagementEvent.Kind: String] = [:]
  ) {
    self.limit = limit
    self.isByKind = isByKind
    self.groups = groups
  }

  /// The key of an event. Events with the same key may share a batch.
  public func key(of event: EngagementEvent) -> String {
    if let group = groups[event.kind] { return group }
    return isByKind ? "\(event.kind) \(event.item?.surface.rawValue ?? "")" : ""
  }

  /// Splits events into batches. No batch is over the limit or mixes keys. The order within a key
  /// is kept.
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
