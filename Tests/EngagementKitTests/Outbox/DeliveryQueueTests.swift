import EngagementAdapterAPI
import EngagementModel
import Foundation
import Testing

@testable import EngagementKit
@testable import EngagementStore

@Suite struct DeliveryQueueTests {
  private func ids(_ bench: DeliveryQueueBench) -> [[OutboxRow.ID]] { bench.sent.map(\.rows) }

  @Test("G4: the delivery queue sends rows for one item in order and delivers each once")
  func order() {
    var bench = DeliveryQueueBench()
    for item in ["a", "b", "a", "c", "a"] { bench.act(item) }
    bench.work()
    #expect(ids(bench) == [[1], [2], [3], [4], [5]])
    #expect(bench.pending.isEmpty && bench.ended.values.allSatisfy { $0 == .delivered })
  }

  @Test("G4: a row that waits for a retry delays only later rows for the same item")
  func isolation() {
    var bench = DeliveryQueueBench()
    for item in ["a", "b", "a", "c"] { bench.act(item) }
    bench.run(until: .seconds(11)) { parcel, _ in
      parcel.rows[0].item == .test("a") ? .retry(.down) : .done
    }
    #expect(bench.pending == [1, 3])
    #expect(bench.sent.filter { $0.rows == [3] }.isEmpty)
  }

  @Test("G4: a row that the vendor refuses ends and does not block the next row")
  func refusal() {
    var bench = DeliveryQueueBench()
    bench.act("a")
    bench.act("a")
    bench.work { parcel, _ in parcel.rows[0].id == 1 ? .refused(.no) : .done }
    #expect(bench.ended == [1: .rejected(.no), 2: .delivered])
  }

  @Test("G4: an associate row waits for all earlier rows and blocks all later rows")
  func barrier() {
    var bench = DeliveryQueueBench()
    bench.act("a")
    bench.act("b")
    bench.accept(.operation(.associate("u-1")))
    bench.act("c")
    var isDown = true
    bench.run(until: .seconds(30)) { parcel, _ in
      isDown && parcel.rows[0].id == 1 ? .retry(.down) : .done
    }
    #expect(bench.pending == [1, 3, 4])
    isDown = false
    bench.run(until: .seconds(400)) { _, _ in .done }
    #expect(bench.pending.isEmpty)
    #expect(ids(bench).suffix(3) == [[1], [3], [4]])
  }

  @Test("the delivery queue batches events by group, up to the limit, in order for each item")
  func batches() {
    var bench = DeliveryQueueBench()
    bench.event("a")
    bench.event("b", .impression)
    bench.event("a")
    bench.event(nil)
    bench.event("b")
    bench.event("a")
    bench.work()
    #expect(ids(bench) == [[1, 3, 4], [2], [5, 6]])
  }

  @Test("an event does not overtake an earlier request for the same item")
  func mixed() {
    var bench = DeliveryQueueBench()
    bench.act("a")
    bench.event("a")
    bench.event("b")
    bench.work { parcel, _ in parcel.rows[0].id == 1 ? .retry(.down) : .done }
    #expect(ids(bench) == [[1]])
    bench.run(until: .seconds(5)) { parcel, _ in parcel.rows[0].id == 1 ? .retry(.down) : .done }
    #expect(ids(bench)[1] == [3])
    bench.run(until: .seconds(600)) { _, _ in .done }
    #expect(ids(bench).last == [2])
  }

  @Test("G3: a retried batch keeps its members, key and accepted time, even after a restart")
  func frozen() {
    var bench = DeliveryQueueBench()
    bench.event("a")
    bench.event("b")
    bench.work { _, _ in .retry(.down) }
    bench.event("c")
    bench.run(until: .seconds(20)) { parcel, _ in
      parcel.rows[0].id == 1 ? .retry(.down) : .done
    }
    bench.restart()
    bench.run(until: .seconds(900)) { _, _ in .done }
    let tries = bench.sent.filter { $0.rows.contains(1) }
    #expect(tries.count > 2 && tries.allSatisfy { $0.rows == [1, 2] })
    #expect(Set(tries.map(\.attempt.key)) == [OperationKey(7, 1)])
    #expect(Set(tries.map(\.attempt.acceptedAt)).count == 1)
    #expect(tries.map(\.attempt.number) == Array(1...tries.count))
    #expect(bench.pending.isEmpty)
  }

  @Test("G4: a batch that is refused as a whole is split, and each event is sent alone")
  func split() {
    var bench = DeliveryQueueBench()
    for item in ["a", "b", "a"] { bench.event(item) }
    bench.work { parcel, _ in
      parcel.rows.contains { $0.id == 2 } ? .refused(.no) : .done
    }
    #expect(ids(bench) == [[1, 2, 3], [1], [2], [3]])
    #expect(bench.ended == [1: .delivered, 2: .rejected(.no), 3: .delivered])
  }

  @Test("a split batch stays split after a restart")
  func splitForGood() {
    var bench = DeliveryQueueBench()
    for item in ["a", "b"] { bench.event(item) }
    _ = bench.step { _, _ in .done }
    _ = bench.step { _, _ in .refused(.no) }
    bench.restart()
    bench.event("c")
    bench.work()
    #expect(ids(bench) == [[1, 2], [3], [1], [2]])
  }

  @Test("a partial refusal rejects only the named events and delivers the rest")
  func partly() {
    var bench = DeliveryQueueBench()
    for item in ["a", "b", "c"] { bench.event(item) }
    bench.work { _, _ in .partly(rejected: ["event-2": "too old"]) }
    #expect(bench.ended[1] == .delivered && bench.ended[3] == .delivered)
    guard case .rejected(let error) = bench.ended[2] else { return #expect(Bool(false)) }
    #expect(error.message == "too old" && error.provider == "fake")
  }

  @Test(
    "a row that lacks a credential, user or consent is kept and retried after a minute",
    arguments: [
      EngagementError.Code.unauthenticated, .signedOut, .consentDenied,
    ])
  func waiting(code: EngagementError.Code) {
    var bench = DeliveryQueueBench()
    bench.act("a")
    bench.run(until: .seconds(59)) { _, _ in .refused(EngagementError(code, "not now")) }
    #expect(bench.sent.count == 1 && bench.pending == [1])
    bench.run(until: .seconds(60)) { _, _ in .done }
    #expect(bench.ended == [1: .delivered])
  }

  @Test(
    "waking the delivery queue ends its wait for a credential, user or consent",
    arguments: [
      EngagementError.Code.unauthenticated, .signedOut, .consentDenied,
    ])
  func woken(code: EngagementError.Code) {
    var bench = DeliveryQueueBench()
    bench.act("a")
    bench.work { _, _ in .refused(EngagementError(code, "not now")) }
    bench.lane.wake()
    bench.run(until: .seconds(5)) { _, _ in .done }
    #expect(bench.ended == [1: .delivered])
  }

  @Test(
    "a credential, user or consent that arrives during a failed attempt triggers a retry at once",
    arguments: [
      EngagementError.Code.unauthenticated, .signedOut, .consentDenied,
    ])
  func wokenUnderWay(code: EngagementError.Code) {
    var bench = DeliveryQueueBench()
    bench.act("a")
    bench.wakesUnderWay = 1
    bench.run(until: .seconds(5)) { _, _ in .refused(EngagementError(code, "not now")) }
    #expect(bench.sent.count == 2, "one retry at once, the next after a minute")
    bench.run(until: .seconds(65)) { _, _ in .done }
    #expect(bench.ended == [1: .delivered])
  }

  @Test(
    "G1 G12: a row survives a local disk failure and is delivered later, even if not repeatable",
    arguments: [EngagementError.Code.storage, .unreadable], [false, true])
  func ownDisk(code: EngagementError.Code, mayGoTwice: Bool) {
    var bench = DeliveryQueueBench()
    if mayGoTwice { bench.act("a") } else { bench.act("a", .submit(button: "ok", values: [:])) }
    bench.run(until: .seconds(2)) { _, _ in .refused(EngagementError(code, "the disk")) }
    #expect(!bench.sent.isEmpty && bench.pending == [1])
    bench.run(until: .seconds(600)) { _, _ in .done }
    #expect(bench.ended == [1: .delivered])
  }

  @Test("a cancelled attempt keeps its row, and the next attempt delivers it")
  func cancelled() {
    var bench = DeliveryQueueBench()
    bench.act("a")
    _ = bench.step { _, _ in .done }
    _ = bench.step { _, _ in .cancelled(EngagementError(.cancelled, "stopped"), wasSent: true) }
    #expect(bench.pending == [1])
    bench.work()
    #expect(bench.ended == [1: .delivered])
  }

  @Test("cancelling before the request is sent does not count as an attempt")
  func cancelledUnsent() {
    for isRestarted in [false, true] {
      var bench = DeliveryQueueBench()
      bench.act("a", .submit(button: "ok", values: [:]))
      _ = bench.step { _, _ in .done }
      _ = bench.step { _, _ in
        .cancelled(EngagementError(.cancelled, "It was cancelled."), wasSent: false)
      }
      #expect(bench.pending == [1])
      if isRestarted { bench.restart() }
      bench.work()
      #expect(bench.ended == [1: .delivered])
      #expect(bench.sent.map(\.attempt.number) == [1, 1])
    }
  }

  @Test("when consent is denied, the opt-out is sent ahead of all waiting rows")
  func optOut() {
    var bench = DeliveryQueueBench()
    bench.act("a")
    bench.event("b")
    bench.accept(.operation(.associate("u-1")))
    let optOut = bench.accept(.operation(.optOut(true)))
    bench.act("c")
    bench.run(until: .seconds(50)) { parcel, _ in
      parcel.rows[0].verb == .optOut ? .done : .refused(EngagementError(.consentDenied, "no"))
    }
    #expect(bench.ended == [optOut: .delivered])
    bench.run(until: .seconds(200)) { _, _ in .done }
    #expect(bench.pending.isEmpty)
  }

  @Test("rows of a verb that the adapter postpones wait alone and are checked once a minute")
  func muted() {
    var bench = DeliveryQueueBench()
    for item in 1...50 { bench.act("\(item)") }
    bench.event("x")
    let far = bench.date.addingTimeInterval(3_600)
    bench.run(until: .seconds(119)) { parcel, _ in
      parcel.verb == .events ? .done : .wait(until: far)
    }
    #expect(bench.sent.count == 3 && bench.ended == [51: .delivered])
    bench.run(until: .seconds(121)) { _, _ in .done }
    #expect(bench.pending.isEmpty)
  }

  @Test("C11: a pause that a person ends during an attempt holds nothing up after it")
  func pauseEndedUnderWay() {
    var bench = DeliveryQueueBench()
    bench.act("a")
    bench.pausesEndUnderWay = 1
    let far = bench.date.addingTimeInterval(3_600)
    var isPaused = true
    bench.work { _, _ in
      defer { isPaused = false }
      return isPaused ? .wait(until: far) : .done
    }
    #expect(bench.ended == [1: .delivered])
  }

  @Test("G6: after a rate limit the delivery queue sends no row until the retry-after time")
  func rateLimited() {
    var bench = DeliveryQueueBench()
    bench.act("a")
    bench.act("b")
    let error = EngagementError(.rateLimited, "slow down", retryAfter: .seconds(100))
    bench.run(until: .seconds(99)) { _, _ in .retry(error) }
    #expect(bench.sent.count == 1)
    bench.run(until: .seconds(130)) { _, _ in .done }
    #expect(bench.pending.isEmpty)
  }

  @Test("G3: a row expires when its retry horizon has passed, and no earlier")
  func expiry() throws {
    var bench = DeliveryQueueBench()
    bench.act("a")
    bench.act("b")
    bench.run(until: .seconds(86_400)) { parcel, _ in
      parcel.rows[0].id == 1 ? .retry(.down) : .done
    }
    #expect(bench.ended == [1: .expired, 2: .delivered])
    #expect(try #require(bench.sent.last).time > .seconds(86_000))
  }

  @Test("the retry horizon excludes time spent without a credential")
  func patience() {
    var bench = DeliveryQueueBench()
    bench.act("a")
    let error = EngagementError(.unauthenticated, "none")
    bench.run(until: .seconds(3 * 86_400)) { _, _ in .refused(error) }
    #expect(bench.pending == [1])
  }

  @Test("a non-idempotent action is rejected when its delivery is uncertain")
  func notRepeatable() {
    var bench = DeliveryQueueBench()
    let submit = ItemAction.submit(button: "ok", values: [:])
    bench.act("a", submit)
    bench.work { _, _ in .retry(.down) }
    #expect(bench.ended == [1: .rejected(.down)])
  }

  @Test("a non-idempotent action is retried after a rate limit")
  func repeatable() {
    var bench = DeliveryQueueBench()
    bench.act("a", .submit(button: "ok", values: [:]))
    bench.work { _, _ in .retry(EngagementError(.rateLimited, "slow down")) }
    bench.run(until: .seconds(10)) { _, _ in .done }
    #expect(bench.ended == [1: .delivered])
  }

  @Test("a non-idempotent action is not sent again after a kill during its attempt")
  func killedInTheMiddle() {
    var bench = DeliveryQueueBench()
    bench.act("a", .submit(button: "ok", values: [:]))
    bench.act("b")
    _ = bench.step { _, _ in .done }
    _ = bench.step { _, _ in .cancelled(EngagementError(.cancelled, "killed"), wasSent: true) }
    bench.restart()
    bench.work()
    #expect(bench.sent.filter { $0.rows == [1] }.count == 1)
    guard case .rejected = bench.ended[1] else { return #expect(Bool(false)) }
    #expect(bench.ended[2] == .delivered)
  }

  @Test("G4: a row that is accepted while the queue reads its rows is delivered at once")
  func acceptedDuringReading() {
    var bench = DeliveryQueueBench()
    bench.act("a")
    bench.actsDuringReading = ["b", "c"]
    bench.work()
    #expect(bench.ended == [1: .delivered, 2: .delivered, 3: .delivered])
  }

  @Test("G8: a new action is delivered within five seconds after an outage ends")
  func recovery() {
    var bench = DeliveryQueueBench()
    for item in 1...100 { bench.act("\(item)") }
    bench.run(until: .seconds(7_200)) { _, _ in .retry(.down) }
    let fresh = bench.act("fresh")
    let start = bench.now
    bench.run(until: start + .seconds(5)) { _, _ in .done }
    #expect(bench.ended[fresh] == .delivered)
    bench.run(until: start + .seconds(300)) { _, _ in .done }
    #expect(bench.pending.isEmpty)
  }
}
