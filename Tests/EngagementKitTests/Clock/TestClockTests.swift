import EngagementModel
import EngagementTesting
import Foundation
import Testing

@Suite("the test clock", .timeLimit(.minutes(20))) struct TestClockTests {
  @Test("time that passes wakes whoever slept so long, and nobody else")
  func wakes() async {
    let clock = TestClock()
    let woken = Locked<[Int]>([])
    await withTaskGroup(of: Void.self) { group in
      for seconds in [1, 2, 3] {
        group.addTask {
          await clock.sleep(until: .seconds(seconds))
          woken.withLock { $0.append(seconds) }
        }
      }
      await clock.sleepers(3)
      clock.advance(by: .seconds(2))
      #expect(clock.sleeping == 1)
      while woken.withLock({ $0.count }) < 2 { await Task.yield() }
      #expect(woken.withLock { $0.sorted() } == [1, 2])
      clock.advance(by: .seconds(1))
    }
    #expect(clock.sleeping == 0)
  }

  @Test("a wall clock that is set wakes nobody and moves no uptime (G19)", arguments: [-1.0, 1.0])
  func jumps(direction: Double) async {
    let clock = TestClock()
    let target = clock.now.addingTimeInterval(direction * 315_360_000)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await clock.sleep(until: .seconds(60)) }
      await clock.sleepers(1)
      clock.set(to: target)
      #expect(clock.now == target && clock.uptime == .zero && clock.sleeping == 1)
      clock.advance(by: .seconds(60))
    }
    #expect(clock.now == target.addingTimeInterval(60) && clock.uptime == .seconds(60))
  }

  @Test("turning time back turns back the wall alone")
  func turnsBack() {
    let clock = TestClock()
    let start = clock.now
    clock.advance(by: .milliseconds(1_500))
    clock.advance(by: .seconds(-10))
    #expect(clock.now == start.addingTimeInterval(-8.5) && clock.uptime == .milliseconds(1_500))
  }

  @Test("a sleeper who is cancelled wakes at once, also one who was before")
  func cancelled() async {
    let clock = TestClock()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await clock.sleep(until: .seconds(60)) }
      await clock.sleepers(1)
      group.cancelAll()
      group.addTask { await clock.sleep(until: .seconds(60)) }
    }
    #expect(clock.sleeping == 0)
  }

  @Test("a time that has come is not slept for")
  func past() async {
    let clock = TestClock()
    clock.advance(by: .seconds(5))
    await clock.sleep(until: .seconds(5))
    #expect(clock.sleeping == 0)
  }
}
