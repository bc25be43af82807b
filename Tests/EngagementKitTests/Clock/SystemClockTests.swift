import EngagementKit
import Testing

@Suite struct SystemClockTests {
  @Test("a wait without an end does not trap, and ends with its task")
  func longest() async {
    let clock = Engagement.SystemClock()
    let wait = Task { await clock.sleep(until: .seconds(Int64.max)) }
    wait.cancel()
    await wait.value
  }
}
