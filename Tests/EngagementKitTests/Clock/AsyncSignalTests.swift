import EngagementModel
import EngagementTesting
import Testing

@testable import EngagementKit

@Suite("Waiting for a signal", .timeLimit(.minutes(20)))
struct AsyncSignalTests {
  private let clock = TestClock()
  private let signal = AsyncSignal()

  @Test("a signal wakes its waiters, and a wait with an older count returns at once")
  func fires() async {
    let seen = signal.count
    async let waiting: Void = signal.wait(after: seen, until: .seconds(5), by: clock)
    await clock.sleepers(1)
    signal.fire()
    await waiting
    #expect(clock.sleeping == 0)
    await signal.wait(after: seen)
    await signal.waitThroughCancellation(after: seen)
    #expect(signal.count == seen + 1)
  }

  @Test("a wait on a signal ends at its deadline or when its task is cancelled")
  func ends() async {
    async let timed: Void = signal.wait(after: 0, until: .seconds(5), by: clock)
    await clock.sleepers(1)
    clock.advance(by: .seconds(5))
    await timed
    let task = Task { await signal.wait(after: 0) }
    task.cancel()
    await task.value
    let late = Task { await signal.wait(after: 0, until: .seconds(10), by: clock) }
    await clock.sleepers(1)
    late.cancel()
    await late.value
    #expect(signal.count == 0)
  }

  @Test("a wait through cancellation ends with the signal alone")
  func throughCancellation() async {
    let ended = Locked(false)
    let task = Task {
      await signal.waitThroughCancellation(after: 0)
      ended.withLock { $0 = true }
    }
    task.cancel()
    for _ in 0..<100 { await Task.yield() }
    #expect(ended.withLock { !$0 })
    signal.fire()
    await task.value
  }

  @Test("no waiter is lost while signals, waits and cancellations run at the same time")
  func races() async {
    for round in 0..<200 {
      let signal = AsyncSignal()
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<8 {
          group.addTask {
            let task = Task { await signal.wait(after: 0) }
            if number.isMultiple(of: 3) { task.cancel() }
            await task.value
          }
        }
        if round.isMultiple(of: 2) { await Task.yield() }
        group.addTask { signal.fire() }
      }
      #expect(signal.count == 1)
    }
  }
}
