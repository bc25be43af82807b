import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// The rows that were never tried and that no earlier row of their item holds up.
struct FreshRows: Sendable {
  private var ids = Heap<OutboxRow.ID>()
  /// The events among them, by batch key.
  private var events: [String: Heap<OutboxRow.ID>] = [:]

  mutating func insert(_ row: OutboxRow, _ batching: EventBatching) {
    ids.insert(row.id)
    if let event = row.event {
      events[batching.key(of: event), default: Heap()].insert(row.id)
    }
  }

  /// Takes the oldest.
  mutating func pop() -> OutboxRow.ID? { ids.pop() }

  /// The row and the events of the same key that may be sent with it.
  mutating func batch(
    from first: OutboxRow, in queued: QueuedRows, _ batching: EventBatching
  ) -> [OutboxRow] {
    guard let event = first.event else { return [first] }
    let key = batching.key(of: event)
    let end = (queued.places[first.id] ?? 0) + DeliveryQueue.span
    var candidates = events.removeValue(forKey: key) ?? Heap()
    defer { events[key] = candidates }
    var members: [OutboxRow] = []
    var places: [OrderingKey: Int] = [:]
    var taken: Set<OutboxRow.ID> = []
    while members.count < max(1, batching.limit), let id = candidates.least {
      guard let row = queued.rows[id], !row.isTried, !taken.contains(id) else {
        _ = candidates.pop()
        continue
      }
      guard let place = queued.places[id], place < end else { break }
      _ = candidates.pop()
      let item = OrderingKey(row, batching)
      guard places[item] != nil || queued.isHead(row, batching) else { continue }
      members.append(row)
      taken.insert(id)
      let next = queued.follower(of: row, at: &places[item, default: 0], batching)
      if let next, let event = next.event, !next.isTried, batching.key(of: event) == key {
        candidates.insert(next.id)
      }
    }
    return members
  }
}
