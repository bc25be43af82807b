import EngagementAdapterAPI
import EngagementModel
import EngagementTesting
import Testing

@testable import EngagementKit
@testable import EngagementStore

@Suite(.timeLimit(.minutes(20))) struct ReceiptTests {
  private func key(_ number: UInt64) -> OperationKey { OperationKey(1, number) }

  private func ended(_ number: UInt64, _ ending: Ending) -> CommitReport.Ended {
    CommitReport.Ended(key(number), ending)
  }

  @Test(
    "a receipt tells how its row ended",
    arguments: [
      (Ending.delivered, Receipt.Outcome.delivered), (.rejected(.no), .refused(.no)),
      (.expired, .expired), (.evicted, .wiped), (.wiped, .wiped),
    ])
  func outcome(ending: Ending, outcome: Receipt.Outcome) async {
    let endings = Endings()
    let before = Receipt(endings.watch([key(1)]))
    async let waiting = before.outcome
    endings.note([ended(1, ending)])
    #expect(await waiting == outcome)
    #expect(await Receipt(endings.watch([key(1)])).outcome == outcome)
  }

  @Test("a receipt for nothing to send is delivered at once")
  func nothing() async {
    #expect(await Receipt(Endings().watch([])).outcome == .delivered)
  }

  @Test("of several rows the worst end is told, when all have ended")
  func several() async {
    let endings = Endings()
    let receipt = Receipt(endings.watch([key(1), key(2), key(3)]))
    endings.note([ended(1, .delivered), ended(2, .rejected(.no))])
    endings.note([ended(3, .expired)])
    #expect(await receipt.outcome == .refused(.no))
  }

  @Test("whoever stops waiting is told nothing, and others still are")
  func cancelled() async {
    let endings = Endings()
    let receipt = Receipt(endings.watch([key(1)]))
    let task = Task { await receipt.outcome }
    task.cancel()
    #expect(await task.value == nil)
    endings.note([ended(1, .delivered)])
    #expect(await receipt.outcome == .delivered)
  }

  @Test("a thousand endings are remembered, and what is watched is told however many there are")
  func memory() async {
    let endings = Endings()
    let early = Receipt(endings.watch([key(5_000)]))
    endings.note((0...UInt64(Endings.memory)).map { ended($0, .expired) })
    endings.note([ended(5_000, .delivered)])
    #expect(await early.outcome == .delivered)
    #expect(endings.watch([key(0)]).left == [key(0)])
    #expect(endings.watch([key(2)]).left.isEmpty)
  }

  @Test("a row that nobody was told of is looked up, once somebody waits")
  func lookedUp() async {
    let receipt = Receipt(Endings().watch([key(1)])) { watch in
      for key in watch.left { watch.note(key, .delivered) }
    }
    #expect(await receipt.outcome == .delivered)
  }

  @Test("a bell wakes those who wait, and whoever looked before it rang does not wait")
  func bell() async {
    let bell = Bell()
    let seen = bell.count
    async let waiting: Void = bell.wait(after: seen)
    bell.ring()
    await waiting
    await bell.wait(after: seen)
    #expect(bell.count == seen + 1)
  }

  @Test("a wait for a bell ends with its time or its task")
  func bellEnds() async {
    let (bell, clock) = (Bell(), TestClock())
    async let timed: Void = bell.wait(after: 0, until: .seconds(5), by: clock)
    await clock.sleepers(1)
    clock.advance(by: .seconds(5))
    await timed
    let task = Task { await bell.wait(after: 0) }
    task.cancel()
    await task.value
    #expect(bell.count == 0)
  }

  @Test("G11: a process takes the right to send once for all who send, and gives it back after all")
  func right() throws {
    let right = CountedRight()
    let shared = SharedRight(right)
    #expect(try shared.tryAcquire() && shared.tryAcquire())
    #expect(right.counts.withLock { $0 } == [1, 0])
    shared.release()
    #expect(right.counts.withLock { $0 } == [1, 0])
    shared.release()
    #expect(right.counts.withLock { $0 } == [1, 1])
  }

  @Test("G11: without the right nobody sends")
  func noRight() throws {
    let right = CountedRight(isFree: false)
    #expect(try !SharedRight(right).tryAcquire())
    #expect(right.counts.withLock { $0 } == [1, 0])
  }
}

/// A right that counts how often it was asked for and given back.
private final class CountedRight: SendingRight {
  let counts = Locked([0, 0])
  let isFree: Bool

  init(isFree: Bool = true) { self.isFree = isFree }

  func tryAcquire() throws(EngagementError) -> Bool {
    counts.withLock { $0[0] += 1 }
    return isFree
  }

  func release() { counts.withLock { $0[1] += 1 } }
}
