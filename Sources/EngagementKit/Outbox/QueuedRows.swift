import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// The rows that a delivery queue has read, and which of them are admitted: those before the next
/// barrier.
struct QueuedRows: Sendable {
  /// The rows that have not ended.
  var rows: [OutboxRow.ID: OutboxRow] = [:]
  private(set) var keys: [OperationKey: OutboxRow.ID] = [:]
  private(set) var places: [OutboxRow.ID: Int] = [:]
  /// How many are admitted and have not ended.
  private(set) var open = 0

  private var order: [OutboxRow.ID] = []
  private var admitted = 0
  private var admissible = 0
  /// Whether there is nothing beyond what was read.
  private(set) var isWhole = true
  private var isBarred = false
  private var queues: [OrderingKey: Queue] = [:]

  init() {}

  init(_ rows: [OutboxRow], isWhole: Bool) {
    self.isWhole = isWhole
    order = rows.map(\.id)
    admissible = isWhole ? rows.count : max(0, rows.count - DeliveryQueue.span)
    for (place, row) in rows.enumerated() {
      self.rows[row.id] = row
      keys[row.key] = row.id
      places[row.id] = place
    }
  }

  /// Whether all rows that were read are admitted, and there are more to read.
  var wantsMore: Bool { !isWhole && admitted == admissible }

  /// How many to read to have more than now.
  var larger: Int { order.count + DeliveryQueue.window }

  /// The next row that may be looked at, once; nil behind a barrier.
  mutating func admit(_ batching: EventBatching) -> OutboxRow? {
    while admitted < admissible {
      guard let row = rows[order[admitted]] else {
        admitted += 1
        continue
      }
      guard !isBarred, open == 0 || !row.isBarrier else { return nil }
      admitted += 1
      open += 1
      isBarred = row.isBarrier
      queues[OrderingKey(row, batching), default: Queue()].ids.append(row.id)
      return row
    }
    return nil
  }

  /// Takes the row away. Returns the one that becomes the first of its ordering key, where there is
  /// one.
  mutating func remove(_ id: OutboxRow.ID, _ batching: EventBatching) -> OutboxRow? {
    guard let row = rows.removeValue(forKey: id) else { return nil }
    keys[row.key] = nil
    guard let place = places.removeValue(forKey: id), place < admitted else { return nil }
    open -= 1
    if open == 0 { isBarred = false }
    let orderingKey = OrderingKey(row, batching)
    guard var queue = queues.removeValue(forKey: orderingKey), let former = queue.head else {
      return nil
    }
    queue.drop { rows[$0] == nil }
    guard let head = queue.head else { return nil }
    queues[orderingKey] = queue
    return former == head ? nil : rows[head]
  }

  /// Whether no earlier row has the same ordering key.
  func isHead(_ row: OutboxRow, _ batching: EventBatching) -> Bool {
    queues[OrderingKey(row, batching)]?.head == row.id
  }

  /// The first withdrawal that waits, admitted or not, whose verb is not among these.
  func firstWithdrawal(
    _ capabilities: AdapterCapabilities, without suspended: Set<Operation.Verb>
  ) -> OutboxRow? {
    order.lazy.compactMap { rows[$0] }.first {
      capabilities.isWithdrawal($0.verb) && !suspended.contains($0.verb)
    }
  }

  /// The row after this one with the same ordering key.
  func follower(of row: OutboxRow, at place: inout Int, _ batching: EventBatching) -> OutboxRow? {
    guard let queue = queues[OrderingKey(row, batching)] else { return nil }
    place = max(place, queue.start) + 1
    while place < queue.ids.count {
      if let next = rows[queue.ids[place]] { return next }
      place += 1
    }
    return nil
  }

  /// The rows with one ordering key.
  private struct Queue {
    var ids: [OutboxRow.ID] = []
    private(set) var start = 0

    var head: OutboxRow.ID? { start < ids.count ? ids[start] : nil }

    mutating func drop(while isGone: (OutboxRow.ID) -> Bool) {
      while start < ids.count, isGone(ids[start]) { start += 1 }
    }
  }
}
