import EngagementModel
import EngagementTesting
import Foundation
import Testing

@Suite("the test clock", .timeLimit(.minutes(20))) struct TestClockTests {
  @Test("advancing the clock wakes only the sleepers whose time has come")
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

  @Test(
    "G19: setting the wall clock wakes no sleeper and leaves the uptime unchanged",
    arguments: [-1.0, 1.0])
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

  @Test("a negative advance turns back only the wall clock")
  func turnsBack() {
    let clock = TestClock()
    let start = clock.now
    clock.advance(by: .milliseconds(1_500))
    clock.advance(by: .seconds(-10))
    #expect(clock.now == start.addingTimeInterval(-8.5) && clock.uptime == .milliseconds(1_500))
  }

  @Test("a cancelled sleeper wakes at once, even if cancelled before it sleeps")
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

  @Test("sleeping until a past time returns at once")
  func past() async {
    let clock = TestClock()
    clock.advance(by: .seconds(5))
    await clock.sleep(until: .seconds(5))
    #expect(clock.sleeping == 0)
  }
}
