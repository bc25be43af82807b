import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import Foundation

@testable import EngagementKit
@testable import EngagementStore

/// Random numbers that are the same in every run.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
    return value ^ value >> 31
  }
}

/// A delivery queue with an in-memory outbox and a vendor that the test defines.
struct DeliveryQueueBench {
  typealias Vendor = (OutboxBatch, Duration) -> OperationRunner.Outcome

  /// An attempt that reached the vendor.
  struct Sent: Equatable {
    var time: Duration
    var rows: [OutboxRow.ID]
    var attempt: Attempt
  }

  let capabilities: AdapterCapabilities
  var lane: DeliveryQueue
  var random: SplitMix
  var now = Duration.zero
  var date = Date(timeIntervalSince1970: 1_790_845_200)
  var sent: [Sent] = []
  var ended: [OutboxRow.ID: Ending] = [:]
  var rowsRead = 0
  /// The number of coming attempts during which the queue is woken.
  var wakesUnderWay = 0
  /// Items that are dismissed while the queue waits for the rows of its coming readings, one in each.
  var actsDuringReading: [String] = []
  /// The number of coming attempts during which a person ends all pauses.
  var pausesEndUnderWay = 0
  private(set) var accepted: [OutboxRow] = []
  private(set) var rows: [OutboxRow.ID: OutboxRow] = [:]
  private var order: [OutboxRow.ID] = []
  private var first = 0

  init(_ capabilities: AdapterCapabilities = .test, seed: UInt64 = 1) {
    self.capabilities = capabilities
    lane = DeliveryQueue(capabilities)
    random = SplitMix(seed)
  }

  var pending: [OutboxRow.ID] { order.filter { rows[$0] != nil } }

  @discardableResult mutating func accept(_ work: OutboxRow.Work) -> OutboxRow.ID {
    let id = OutboxRow.ID(order.count + 1)
    let row = OutboxRow(
      id: id, key: OperationKey(7, UInt64(id)), partition: 1, provider: "fake", work: work,
      acceptedAt: date)
    rows[id] = row
    accepted.append(row)
    order.append(id)
    lane.invalidate()
    return id
  }

  @discardableResult mutating func act(
    _ item: String, _ action: ItemAction = .dismiss
  ) -> OutboxRow.ID {
    accept(.operation(.act(action, on: .test(item))))
  }

  @discardableResult mutating func event(
    _ item: String? = nil, _ kind: EngagementEvent.Kind = .click
  ) -> OutboxRow.ID {
    let id = EventID("event-\(order.count + 1)")
    return accept(
      .event(EngagementEvent(id: id, kind: kind, time: date, item: item.map { .test($0) })))
  }

  /// Replaces the queue by a new one, as after a kill. The outbox stays.
  mutating func restart() { lane = DeliveryQueue(capabilities) }

  /// Makes one move and returns it.
  mutating func step(_ vendor: Vendor) -> DeliveryQueue.Move {
    let move = lane.next(at: now)
    switch move {
    case .read(let limit): read(limit)
    case .end(let endings): settle(endings)
    case .send(let parcel): send(parcel, vendor)
    case .rest: break
    }
    return move
  }

  /// Makes moves until the time, and skips the rests.
  mutating func run(until end: Duration, _ vendor: Vendor) {
    while now <= end {
      guard case .rest(let next) = step(vendor) else { continue }
      guard let next, next <= end else { break }
      // A rest until now would loop forever.
      precondition(next > now)
      now = next
    }
    now = max(now, end)
  }

  /// Makes moves until the queue rests.
  mutating func work(_ vendor: Vendor = { _, _ in .done }) { run(until: now, vendor) }

  private mutating func read(_ limit: Int) {
    while first < order.count, rows[order[first]] == nil { first += 1 }
    var read: [OutboxRow] = []
    for id in order[first...] {
      guard read.count < limit else { break }
      if let row = rows[id] { read.append(row) }
    }
    rowsRead += read.count
    if !actsDuringReading.isEmpty { act(actsDuringReading.removeFirst()) }
    lane.load(read, isWhole: read.count < limit)
  }

  private mutating func send(_ parcel: OutboxBatch, _ vendor: Vendor) {
    let attempt = parcel.attempt(by: "u-1")
    for row in parcel.rows {
      rows[row.id] = rows[row.id]?.begun(as: parcel)
    }
    lane.begin(parcel, at: now)
    if wakesUnderWay > 0 {
      wakesUnderWay -= 1
      lane.wake()
    }
    if pausesEndUnderWay > 0 {
      pausesEndUnderWay -= 1
      lane.endPauses(at: now)
    }
    sent.append(Sent(time: now, rows: parcel.rows.map(\.id), attempt: attempt))
    let outcome = vendor(parcel, now)
    let moment = DeliveryQueue.Now(uptime: now, date: date, random: random.next())
    switch lane.end(parcel, outcome, at: moment) {
    case .keep: break
    case .end(let endings): settle(endings)
    case .takeBack: for row in parcel.rows { rows[row.id] = row }
    case .split(let batch):
      for row in rows.values where row.batch == batch { rows[row.id] = row.alone }
    }
  }

  private mutating func settle(_ endings: [(row: OutboxRow.ID, ending: Ending)]) {
    for (id, ending) in endings where rows.removeValue(forKey: id) != nil { ended[id] = ending }
  }
}

extension AdapterCapabilities {
  static let test = AdapterCapabilities(
    abilities: [
      .act("dismiss", on: .cards): .idempotentRequest, .act("click", on: .cards): .request,
      .act("submit", on: .cards): Ability(.request, isRetryable: false), .events: .event,
      .associate: .request, .optOut: .request,
    ], batching: EventBatching(limit: 3, groups: [.impression: "impressions"]),
    hosts: ["fake.example"])
}

extension ItemReference {
  static func test(_ item: String) -> ItemReference {
    ItemReference(ItemID("fake", item), on: .cards)
  }
}

extension EngagementError {
  static let down = EngagementError(.unavailable, "The vendor is down.")
  static let no = EngagementError(.invalidArgument, "The vendor refuses it.")
}
