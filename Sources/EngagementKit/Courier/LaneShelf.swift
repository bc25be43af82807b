import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// The rows of a lane that were read, and which of them may be looked at.
struct LaneShelf: Sendable {
  /// Those that have not ended.
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
  private var queues: [Entity: Queue] = [:]

  init() {}

  init(_ rows: [OutboxRow], isWhole: Bool) {
    self.isWhole = isWhole
    order = rows.map(\.id)
    admissible = isWhole ? rows.count : max(0, rows.count - Lane.span)
    for (place, row) in rows.enumerated() {
      self.rows[row.id] = row
      keys[row.key] = row.id
      places[row.id] = place
    }
  }

  /// Whether everything is admitted that was read, and there is more to read.
  var wantsMore: Bool { !isWhole && admitted == admissible }

  /// How many to read to have more than now.
  var larger: Int { order.count + Lane.window }

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
      queues[Entity(row, batching), default: Queue()].ids.append(row.id)
      return row
    }
    return nil
  }

  /// Takes the row away. Returns the one that its entity was waiting to send, where there is one.
  mutating func remove(_ id: OutboxRow.ID, _ batching: EventBatching) -> OutboxRow? {
    guard let row = rows.removeValue(forKey: id) else { return nil }
    keys[row.key] = nil
    guard let place = places.removeValue(forKey: id), place < admitted else { return nil }
    open -= 1
    if open == 0 { isBarred = false }
    let entity = Entity(row, batching)
    guard var queue = queues.removeValue(forKey: entity), let former = queue.head else {
      return nil
    }
    queue.drop { rows[$0] == nil }
    guard let head = queue.head else { return nil }
    queues[entity] = queue
    return former == head ? nil : rows[head]
  }

  /// Whether nothing of its entity has to go before the row.
  func isHead(_ row: OutboxRow, _ batching: EventBatching) -> Bool {
    queues[Entity(row, batching)]?.head == row.id
  }

  /// The first opt-out that waits, admitted or not.
  var firstOptOut: OutboxRow? {
    order.lazy.compactMap { rows[$0] }.first { $0.isOptOut }
  }

  /// The rows of an entity in their order, one by one.
  func follower(of row: OutboxRow, at place: inout Int, _ batching: EventBatching) -> OutboxRow? {
    guard let queue = queues[Entity(row, batching)] else { return nil }
    place = max(place, queue.start) + 1
    while place < queue.ids.count {
      if let next = rows[queue.ids[place]] { return next }
      place += 1
    }
    return nil
  }

  /// What waits for one entity.
  private struct Queue {
    var ids: [OutboxRow.ID] = []
    private(set) var start = 0

    var head: OutboxRow.ID? { start < ids.count ? ids[start] : nil }

    mutating func drop(while isGone: (OutboxRow.ID) -> Bool) {
      while start < ids.count, isGone(ids[start]) { start += 1 }
    }
  }
}
