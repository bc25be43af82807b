import EngagementTesting
import Testing

@testable import EngagementKit

@Suite("An alarm", .timeLimit(.minutes(20)))
struct AlarmTests {
  private let clock = TestClock()

  @Test("it lets the sleeper sleep until its time")
  func time() async {
    let alarm = Alarm()
    async let sleeping: Void = alarm.sleep(until: .seconds(5), by: clock)
    await clock.sleepers(1)
    clock.advance(by: .seconds(5))
    await sleeping
    #expect(clock.sleeping == 0)
  }

  @Test("it wakes the sleeper when it rings")
  func ring() async {
    let alarm = Alarm()
    async let sleeping: Void = alarm.sleep(until: .seconds(5), by: clock)
    await clock.sleepers(1)
    alarm.ring()
    await sleeping
    #expect(clock.sleeping == 0)
  }

  @Test("one that rang before is not slept through, and rings once")
  func early() async {
    let alarm = Alarm()
    alarm.ring()
    alarm.ring()
    await alarm.sleep(until: .seconds(5), by: clock)
    async let sleeping: Void = alarm.sleep(until: .seconds(5), by: clock)
    await clock.sleepers(1)
    clock.advance(by: .seconds(5))
    await sleeping
  }

  @Test("a cancelled task does not sleep on")
  func cancelled() async {
    let alarm = Alarm()
    let task = Task { await alarm.sleep(until: .seconds(5), by: clock) }
    await clock.sleepers(1)
    task.cancel()
    await task.value
  }
}
