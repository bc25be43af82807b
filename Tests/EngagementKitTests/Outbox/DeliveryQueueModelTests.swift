import EngagementAdapterAPI
import EngagementModel
import Foundation
import TestSupport
import Testing

@testable import EngagementKit
@testable import EngagementStore

/// Random and long runs of the delivery queue.
@Suite struct DeliveryQueueModelTests {
  @Test(
    "G2 G3 G4: under random failures every row ends, in order, and batches never change",
    arguments: 0..<UInt64(Effort.share(of: 40)))
  func random(seed: UInt64) {
    var bench = DeliveryQueueBench(seed: seed)
    var dice = SplitMix(seed &* 977)
    for _ in 0..<60 {
      for _ in 0..<Int.random(in: 0...6, using: &dice) { accept(&bench, &dice) }
      if Int.random(in: 0..<8, using: &dice) == 0 { bench.restart() }
      let end = bench.now + .seconds(Int.random(in: 0...40, using: &dice))
      bench.run(until: end) { parcel, _ in outcome(parcel, &dice) }
      bench.date.addTimeInterval(.random(in: -3e8...3e8, using: &dice))
    }
    bench.run(until: bench.now + .seconds(2 * 86_400)) { _, _ in .done }
    #expect(bench.pending.isEmpty, "seed \(seed)")
    #expect(hasOrder(bench), "seed \(seed)")
    #expect(hasFrozenBatches(bench), "seed \(seed)")
  }

  private func accept(_ bench: inout DeliveryQueueBench, _ dice: inout SplitMix) {
    let item = "item-\(Int.random(in: 0..<5, using: &dice))"
    switch Int.random(in: 0..<12, using: &dice) {
    case 0: bench.accept(.operation(.associate("u-1")))
    case 1...4: bench.act(item)
    case 5...6: bench.event(nil)
    case 7...8: bench.event(item, .impression)
    default: bench.event(item)
    }
  }

  private func outcome(_ parcel: OutboxBatch, _ dice: inout SplitMix) -> OperationRunner.Outcome {
    switch Int.random(in: 0..<12, using: &dice) {
    case 0...2: .retry(.down)
    case 3: .refused(.no)
    case 4: .refused(EngagementError(.unauthenticated, "none"))
    case 5: .wait(until: .distantFuture)
    case 6:
      .partly(rejected: [parcel.rows.last?.event?.id ?? "none": "bad"])
    case 7: .retry(EngagementError(.rateLimited, "slow", retryAfter: .seconds(30)))
    case 8: .refused(EngagementError(.cancelled, "stopped"))
    default: .done
    }
  }

  /// Whether each row was first sent after the last attempt of every row that must precede it.
  private func hasOrder(_ bench: DeliveryQueueBench) -> Bool {
    var last: [OutboxRow.ID: Int] = [:]
    var first: [OutboxRow.ID: Int] = [:]
    for (index, sent) in bench.sent.enumerated() {
      for (place, id) in sent.rows.enumerated() {
        last[id] = index * 1_000 + place
        first[id] = first[id] ?? index * 1_000 + place
      }
    }
    return bench.laidBefore.allSatisfy { pair in
      guard let before = last[pair.0], let after = first[pair.1] else { return false }
      return before < after
        // Rows of one batch have no order before the batch is split.
        || bench.sent.contains { $0.rows.contains(pair.0) && $0.rows.contains(pair.1) }
    }
  }

  /// Whether each batch kept its members in every attempt, except for rows that were sent alone.
  private func hasFrozenBatches(_ bench: DeliveryQueueBench) -> Bool {
    var company: [OutboxRow.ID: [OutboxRow.ID]] = [:]
    for sent in bench.sent {
      for id in sent.rows {
        if let former = company[id], former != sent.rows, sent.rows != [id] { return false }
        company[id] = sent.rows
      }
    }
    return true
  }

  @Test("G6 G7: a week-long outage with 10,000 rows costs 12 attempts a minute and few reads")
  func outage() {
    var bench = DeliveryQueueBench()
    for item in 0..<Effort.share(of: 10_000) { bench.act("\(item)") }
    let week = Duration.seconds(7 * 86_400)
    bench.run(until: week) { _, _ in .retry(.down) }
    let times = bench.sent.map(\.time)
    #expect(zip(times, times.dropFirst(12)).allSatisfy { $1 - $0 >= .seconds(60) })
    #expect(bench.rowsRead < 200_000)
    #expect(bench.ended.values.allSatisfy { $0 == .expired })
    bench.run(until: week + .seconds(300)) { _, _ in .done }
    #expect(bench.pending.isEmpty)
  }

  @Test("the delivery queue sends 20,000 rows in order with at most 2.25 reads a row")
  func long() {
    var bench = DeliveryQueueBench()
    let count = Effort.share(of: 20_000)
    for row in 0..<count { bench.act("\(row % 7)") }
    bench.work()
    #expect(bench.sent.map(\.rows) == (1...Int64(count)).map { [$0] })
    #expect(bench.rowsRead <= count * 9 / 4)
  }

  @Test("G4: 2,000 rows that always fail do not starve the row behind them")
  func starving() {
    var bench = DeliveryQueueBench()
    for item in 0..<2_000 { bench.act("\(item)") }
    let last = bench.event("last")
    bench.run(until: .seconds(3 * 3_600)) { parcel, _ in
      parcel.verb == .events ? .done : .retry(.down)
    }
    #expect(bench.ended == [last: .delivered])
  }

  @Test("large batches keep their members across a read window's edge and a restart")
  func largeBatches() {
    var capabilities = AdapterCapabilities.test
    capabilities.batching = EventBatching(limit: 500, groups: [.impression: "impressions"])
    var bench = DeliveryQueueBench(capabilities)
    for row in 0..<3_000 { bench.event("\(row % 11)", row % 3 == 0 ? .impression : .click) }
    bench.run(until: .seconds(60)) { _, _ in .retry(.down) }
    bench.restart()
    bench.run(until: .seconds(3_600)) { _, _ in .done }
    #expect(bench.pending.isEmpty && hasFrozenBatches(bench))
  }

  @Test(
    "G19: a ten-year jump of the wall clock changes no attempt time",
    arguments: [-315_360_000.0, 315_360_000])
  func clockJumps(jump: TimeInterval) {
    func times(_ jump: TimeInterval) -> [Duration] {
      var bench = DeliveryQueueBench(seed: 5)
      for item in 0..<20 { bench.act("\(item)") }
      bench.run(until: .seconds(100)) { _, _ in .retry(.down) }
      bench.date.addTimeInterval(jump)
      bench.run(until: .seconds(2_000)) { _, now in now < .seconds(1_000) ? .retry(.down) : .done }
      return bench.sent.map(\.time)
    }
    #expect(times(jump) == times(0))
  }

  @Test(
    "G19: the delivery queue checks a wait date from the vendor again every minute",
    arguments: [-315_360_000.0, 0, 315_360_000])
  func wallWait(jump: TimeInterval) {
    var bench = DeliveryQueueBench()
    bench.act("a")
    let date = bench.date.addingTimeInterval(jump)
    bench.run(until: .seconds(60)) { _, now in now < .seconds(60) ? .wait(until: date) : .done }
    #expect(bench.ended == [1: .delivered] && bench.sent.count <= 61)
  }
}

extension DeliveryQueueBench {
  /// Pairs of rows of which the first must end before the second: rows of one entity, and rows on
  /// both sides of a barrier.
  var laidBefore: [(OutboxRow.ID, OutboxRow.ID)] {
    var pairs: [(OutboxRow.ID, OutboxRow.ID)] = []
    var last: [OrderingKey: OutboxRow.ID] = [:]
    var barrier: OutboxRow.ID?
    var sinceBarrier: [OutboxRow.ID] = []
    for row in accepted {
      if let barrier { pairs.append((barrier, row.id)) }
      let entity = OrderingKey(row, capabilities.batching)
      if let before = last.updateValue(row.id, forKey: entity) { pairs.append((before, row.id)) }
      if row.isBarrier {
        pairs += sinceBarrier.map { ($0, row.id) }
        (barrier, sinceBarrier) = (row.id, [])
      } else {
        sinceBarrier.append(row.id)
      }
    }
    return pairs
  }
}
