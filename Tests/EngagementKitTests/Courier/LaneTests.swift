import EngagementAdapterAPI
import EngagementModel
import Foundation
import Testing

@testable import EngagementKit
@testable import EngagementStore

@Suite struct LaneTests {
  private func ids(_ bench: LaneBench) -> [[OutboxRow.ID]] { bench.sent.map(\.rows) }

  @Test("G4: rows about one item go in their order and each arrives once")
  func order() {
    var bench = LaneBench()
    for item in ["a", "b", "a", "c", "a"] { bench.act(item) }
    bench.work()
    #expect(ids(bench) == [[1], [2], [3], [4], [5]])
    #expect(bench.pending.isEmpty && bench.ended.values.allSatisfy { $0 == .delivered })
  }

  @Test("G4: a row that waits for another try holds up its item and no other")
  func isolation() {
    var bench = LaneBench()
    for item in ["a", "b", "a", "c"] { bench.act(item) }
    bench.run(until: .seconds(11)) { parcel, _ in
      parcel.rows[0].item == .test("a") ? .retry(.down) : .done
    }
    #expect(bench.pending == [1, 3])
    #expect(bench.sent.filter { $0.rows == [3] }.isEmpty)
  }

  @Test("G4: what a vendor refuses is gone and holds up nothing")
  func refusal() {
    var bench = LaneBench()
    bench.act("a")
    bench.act("a")
    bench.work { parcel, _ in parcel.rows[0].id == 1 ? .refused(.no) : .done }
    #expect(bench.ended == [1: .rejected(.no), 2: .delivered])
  }

  @Test("G4: a change of whom the vendor speaks with waits for all before and holds all after")
  func barrier() {
    var bench = LaneBench()
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

  @Test("events travel in batches of one key, no more than the limit, each item's in order")
  func batches() {
    var bench = LaneBench()
    bench.event("a")
    bench.event("b", .impression)
    bench.event("a")
    bench.event(nil)
    bench.event("b")
    bench.event("a")
    bench.work()
    #expect(ids(bench) == [[1, 3, 4], [2], [5, 6]])
  }

  @Test("an event does not overtake the request before it about the same item")
  func mixed() {
    var bench = LaneBench()
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

  @Test("G3: a batch that was tried has the same members, key, times and ids for ever")
  func frozen() {
    var bench = LaneBench()
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

  @Test("G4: a batch that is refused as a whole is taken apart and each event tried alone")
  func split() {
    var bench = LaneBench()
    for item in ["a", "b", "a"] { bench.event(item) }
    bench.work { parcel, _ in
      parcel.rows.contains { $0.id == 2 } ? .refused(.no) : .done
    }
    #expect(ids(bench) == [[1, 2, 3], [1], [2], [3]])
    #expect(bench.ended == [1: .delivered, 2: .rejected(.no), 3: .delivered])
  }

  @Test("what was taken apart stays apart over a restart")
  func splitForGood() {
    var bench = LaneBench()
    for item in ["a", "b"] { bench.event(item) }
    _ = bench.step { _, _ in .done }
    _ = bench.step { _, _ in .refused(.no) }
    bench.restart()
    bench.event("c")
    bench.work()
    #expect(ids(bench) == [[1, 2], [3], [1], [2]])
  }

  @Test("of a batch that is partly refused only those are refused")
  func partly() {
    var bench = LaneBench()
    for item in ["a", "b", "c"] { bench.event(item) }
    bench.work { _, _ in .partly(rejected: ["event-2": "too old"]) }
    #expect(bench.ended[1] == .delivered && bench.ended[3] == .delivered)
    guard case .rejected(let error) = bench.ended[2] else { return #expect(Bool(false)) }
    #expect(error.message == "too old" && error.provider == "fake")
  }

  @Test(
    "what is not the vendor's word loses nothing and is tried again after a minute",
    arguments: [
      EngagementError.Code.unauthenticated, .signedOut, .consentDenied,
    ])
  func waiting(code: EngagementError.Code) {
    var bench = LaneBench()
    bench.act("a")
    bench.run(until: .seconds(59)) { _, _ in .refused(EngagementError(code, "not now")) }
    #expect(bench.sent.count == 1 && bench.pending == [1])
    bench.run(until: .seconds(60)) { _, _ in .done }
    #expect(bench.ended == [1: .delivered])
  }

  @Test(
    "a wake ends the wait for a credential, a user or a consent",
    arguments: [
      EngagementError.Code.unauthenticated, .signedOut, .consentDenied,
    ])
  func woken(code: EngagementError.Code) {
    var bench = LaneBench()
    bench.act("a")
    bench.work { _, _ in .refused(EngagementError(code, "not now")) }
    bench.lane.wake()
    bench.run(until: .seconds(5)) { _, _ in .done }
    #expect(bench.ended == [1: .delivered])
  }

  @Test(
    "what came while an attempt was under way that lacked it is not waited for",
    arguments: [
      EngagementError.Code.unauthenticated, .signedOut, .consentDenied,
    ])
  func wokenUnderWay(code: EngagementError.Code) {
    var bench = LaneBench()
    bench.act("a")
    bench.wakesUnderWay = 1
    bench.run(until: .seconds(5)) { _, _ in .refused(EngagementError(code, "not now")) }
    #expect(bench.sent.count == 2, "at once, and then after a minute")
    bench.run(until: .seconds(65)) { _, _ in .done }
    #expect(bench.ended == [1: .delivered])
  }

  @Test(
    "G1 G12 where this machine's own disk fails, no vendor has refused anything or heard of it",
    arguments: [EngagementError.Code.storage, .unreadable], [false, true])
  func ownDisk(code: EngagementError.Code, mayGoTwice: Bool) {
    var bench = LaneBench()
    if mayGoTwice { bench.act("a") } else { bench.act("a", .submit(button: "ok", values: [:])) }
    bench.run(until: .seconds(2)) { _, _ in .refused(EngagementError(code, "the disk")) }
    #expect(!bench.sent.isEmpty && bench.pending == [1])
    bench.run(until: .seconds(600)) { _, _ in .done }
    #expect(bench.ended == [1: .delivered])
  }

  @Test("a cancelled attempt loses nothing")
  func cancelled() {
    var bench = LaneBench()
    bench.act("a")
    _ = bench.step { _, _ in .done }
    _ = bench.step { _, _ in .refused(EngagementError(.cancelled, "stopped")) }
    #expect(bench.pending == [1])
    bench.work()
    #expect(bench.ended == [1: .delivered])
  }

  @Test("what was cancelled before it left is as if never tried, also where it must not go twice")
  func cancelledUnsent() {
    for isRestarted in [false, true] {
      var bench = LaneBench()
      bench.act("a", .submit(button: "ok", values: [:]))
      _ = bench.step { _, _ in .done }
      _ = bench.step { _, _ in .refused(.cancelledUnsent) }
      #expect(bench.pending == [1])
      if isRestarted { bench.restart() }
      bench.work()
      #expect(bench.ended == [1: .delivered])
      #expect(bench.sent.map(\.attempt.number) == [1, 1])
    }
  }

  @Test("with consent withdrawn the opt-out goes past all that waits")
  func optOut() {
    var bench = LaneBench()
    bench.act("a")
    bench.event("b")
    bench.accept(.operation(.associate("u-1")))
    let optOut = bench.accept(.operation(.optOut(true)))
    bench.act("c")
    bench.run(until: .seconds(50)) { parcel, _ in
      parcel.rows[0].isOptOut ? .done : .refused(EngagementError(.consentDenied, "no"))
    }
    #expect(bench.ended == [optOut: .delivered])
    bench.run(until: .seconds(200)) { _, _ in .done }
    #expect(bench.pending.isEmpty)
  }

  @Test("a verb that the vendor does not want now waits alone, and costs one look a minute")
  func muted() {
    var bench = LaneBench()
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

  @Test("G6: a vendor that wants to be left alone is left alone, for all rows")
  func rateLimited() {
    var bench = LaneBench()
    bench.act("a")
    bench.act("b")
    let error = EngagementError(.rateLimited, "slow down", retryAfter: .seconds(100))
    bench.run(until: .seconds(99)) { _, _ in .retry(error) }
    #expect(bench.sent.count == 1)
    bench.run(until: .seconds(130)) { _, _ in .done }
    #expect(bench.pending.isEmpty)
  }

  @Test("G3: what can't be delivered expires after its horizon, and no row of it before")
  func expiry() throws {
    var bench = LaneBench()
    bench.act("a")
    bench.act("b")
    bench.run(until: .seconds(86_400)) { parcel, _ in
      parcel.rows[0].id == 1 ? .retry(.down) : .done
    }
    #expect(bench.ended == [1: .expired, 2: .delivered])
    #expect(try #require(bench.sent.last).time > .seconds(86_000))
  }

  @Test("time without a credential is not time of trying")
  func patience() {
    var bench = LaneBench()
    bench.act("a")
    let error = EngagementError(.unauthenticated, "none")
    bench.run(until: .seconds(3 * 86_400)) { _, _ in .refused(error) }
    #expect(bench.pending == [1])
  }

  @Test("what must not arrive twice is refused when nobody knows whether it arrived")
  func notRepeatable() {
    var bench = LaneBench()
    let submit = ItemAction.submit(button: "ok", values: [:])
    bench.act("a", submit)
    bench.work { _, _ in .retry(.down) }
    #expect(bench.ended == [1: .rejected(.down)])
  }

  @Test("what must not arrive twice is tried again when it is known not to have arrived")
  func repeatable() {
    var bench = LaneBench()
    bench.act("a", .submit(button: "ok", values: [:]))
    bench.work { _, _ in .retry(EngagementError(.rateLimited, "slow down")) }
    bench.run(until: .seconds(10)) { _, _ in .done }
    #expect(bench.ended == [1: .delivered])
  }

  @Test("what must not arrive twice is not sent again after a kill in the middle")
  func killedInTheMiddle() {
    var bench = LaneBench()
    bench.act("a", .submit(button: "ok", values: [:]))
    bench.act("b")
    _ = bench.step { _, _ in .done }
    _ = bench.step { _, _ in .refused(EngagementError(.cancelled, "killed")) }
    bench.restart()
    bench.work()
    #expect(bench.sent.filter { $0.rows == [1] }.count == 1)
    guard case .rejected = bench.ended[1] else { return #expect(Bool(false)) }
    #expect(bench.ended[2] == .delivered)
  }

  @Test("G8: a fresh action goes within five seconds of the end of an outage")
  func recovery() {
    var bench = LaneBench()
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
