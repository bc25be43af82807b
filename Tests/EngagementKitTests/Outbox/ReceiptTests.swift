import EngagementAdapterAPI
import EngagementModel
import EngagementTesting
import Testing

@testable import EngagementKit
@testable import EngagementStore

@Suite(.timeLimit(.minutes(20))) struct ReceiptTests {
  private let outcomes = ReceiptOutcomes()
  private let clock = TestClock()
  private let partition = Partition(id: 1, environment: "test", user: "u-1")

  private func provider(of number: UInt64) -> ProviderID { number == 3 ? "vibes" : "braze" }

  private func key(_ number: UInt64) -> OperationKey { OperationKey(1, number) }

  private func receipt(_ numbers: UInt64...) -> (Engagement.Receipt, ReceiptWatch) {
    let watch = ReceiptWatch()
    outcomes.add(
      watch,
      of: numbers.map { number in
        Intent(deliveries: [.init(to: provider(of: number), .operation(.person), key: key(number))])
      })
    return (Engagement.Receipt(watch, clock: clock), watch)
  }

  private func end(_ endings: (UInt64, Ending)...) async {
    var report = CommitReport()
    report.ended = endings.map { CommitReport.Ended(key($0.0), $0.1) }
    await outcomes.observe(report, of: partition)
  }

  @Test(
    "a receipt reports how its row ended",
    arguments: [
      (Ending.delivered, Engagement.Receipt.Outcome.delivered), (.kept, .kept),
      (.rejected(.no), .rejected(.no)),
      (.expired, .expired), (.evicted, .discarded(.evicted)), (.wiped, .discarded(.wiped)),
    ])
  func outcome(ending: Ending, outcome: Engagement.Receipt.Outcome) async throws {
    let (receipt, _) = receipt(1)
    async let waiting = receipt.outcome()
    await end((1, ending))
    #expect(try await waiting == outcome)
    #expect(try await receipt.outcome() == outcome, "a second call returns the same outcome")
  }

  @Test("closing the engagement ends every wait for an outcome, and later waits at once")
  func closing() async throws {
    let (waiting, _) = receipt(1)
    let (ended, _) = receipt(2)
    await end((2, .delivered))
    let wait = Task { try await waiting.outcome() }
    let limited = Task { try await waiting.outcome(within: .seconds(3_600)) }
    await Task.yield()
    outcomes.close()
    await #expect(throws: CancellationError.self) { try await wait.value }
    #expect(try await limited.value == nil)
    await #expect(throws: CancellationError.self) { try await waiting.outcome() }
    #expect(try await ended.outcome() == .delivered)
  }

  @Test("a receipt without rows says at once that the action is kept on this device")
  func nothing() async throws {
    #expect(try await receipt().0.outcome() == .kept)
  }

  @Test("a receipt reports the outcome at each provider that has answered")
  func providers() async throws {
    let (receipt, _) = receipt(1, 2, 3)
    #expect(receipt.providers == ["braze", "vibes"] && receipt.outcomes.isEmpty)
    await end((1, .delivered), (3, .kept))
    #expect(receipt.outcomes == ["vibes": .kept], "a row for braze is still pending")
    await end((2, .expired))
    #expect(receipt.outcomes == ["braze": .expired, "vibes": .kept])
    #expect(receipt.providers == ["braze", "vibes"])
  }

  @Test("a receipt for several rows reports the worst outcome after all have ended")
  func several() async throws {
    let (receipt, watch) = receipt(1, 2, 3)
    await end((1, .delivered), (2, .rejected(.no)))
    #expect(watch.left == [key(3)])
    await end((3, .expired))
    #expect(try await receipt.outcome() == .rejected(.no))
  }

  @Test("a cancelled wait throws CancellationError, and other waits still get the outcome")
  func cancelled() async throws {
    let (receipt, _) = receipt(1)
    let task = Task { try await receipt.outcome() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await end((1, .delivered))
    #expect(try await receipt.outcome() == .delivered)
  }

  @Test("a receipt receives only the endings of its own accepted rows")
  func own() async {
    let (_, first) = receipt(1)
    let (_, second) = receipt(2)
    outcomes.remove(second)
    await end((1, .delivered), (2, .delivered), (3, .delivered))
    #expect(first.left.isEmpty)
    #expect(second.left == [key(2)])
  }

  @Test("waiting with a limit returns nil while the row is pending, and the outcome once it ended")
  func limited() async throws {
    let (receipt, _) = receipt(1)
    async let early = receipt.outcome(within: .seconds(5))
    await clock.sleepers(1)
    clock.advance(by: .seconds(5))
    #expect(try await early == nil)
    await end((1, .expired))
    #expect(try await receipt.outcome(within: .zero) == .expired)
    let (waiting, _) = self.receipt(2)
    let task = Task { try await waiting.outcome(within: .seconds(5)) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test(
    "G11: a process acquires the sending lease once for all senders and releases it after the last")
  func right() throws {
    let right = CountedRight()
    let shared = SharedLease(right)
    #expect(try shared.tryAcquire() && shared.tryAcquire())
    #expect(right.counts.withLock { $0 } == [1, 0])
    shared.release()
    #expect(right.counts.withLock { $0 } == [1, 0])
    shared.release()
    #expect(right.counts.withLock { $0 } == [1, 1])
  }

  @Test("G11: acquiring a sending lease that is not free fails")
  func noRight() throws {
    let right = CountedRight(isFree: false)
    #expect(try !SharedLease(right).tryAcquire())
    #expect(right.counts.withLock { $0 } == [1, 0])
  }
}

/// A lease that counts its acquisitions and releases.
private final class CountedRight: SendLease {
  let counts = Locked([0, 0])
  let isFree: Bool

  init(isFree: Bool = true) { self.isFree = isFree }

  func tryAcquire() throws(EngagementError) -> Bool {
    counts.withLock { $0[0] += 1 }
    return isFree
  }

  func release() { counts.withLock { $0[1] += 1 } }
}
