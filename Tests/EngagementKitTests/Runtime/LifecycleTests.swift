import EngagementModel
import EngagementTesting
import Testing

@testable import EngagementKit

@Suite("running, suspending and closing", .timeLimit(.minutes(20))) struct LifecycleTests {
  private let life = Lifecycle()
  private let clock = TestClock()
  private let begun = Locked(0)

  /// Works until it is told to stop.
  private func run() async -> EngagementError.Code? {
    let (clock, begun) = (clock, begun)
    do throws(EngagementError) {
      try await life.run {
        begun.withLock { $0 += 1 }
        await clock.sleep(until: .seconds(3_600))
      }
      return nil
    } catch {
      return error.code
    }
  }

  @Test("a second run is refused while one is active and allowed after it ends")
  func twice() async {
    for _ in 0..<2 {
      let first = Task { await run() }
      await clock.sleepers(1)
      #expect(await run() == .busy)
      first.cancel()
      #expect(await first.value == nil)
      #expect(clock.sleeping == 0)
    }
    #expect(begun.withLock { $0 } == 2)
  }

  @Test("suspend stops the work, and resume starts it again")
  func rests() async {
    let task = Task { await run() }
    await clock.sleepers(1)
    await life.suspend()
    #expect(clock.sleeping == 0)
    await life.suspend()
    life.resume()
    await clock.sleepers(1)
    #expect(begun.withLock { $0 } == 2)
    task.cancel()
    #expect(await task.value == nil)
  }

  @Test("a run that is cancelled while suspended ends before any work starts")
  func cancelledAtRest() async {
    await life.suspend()
    let task = Task { await run() }
    task.cancel()
    #expect(await task.value == nil)
    #expect(begun.withLock { $0 } == 0)
  }

  @Test("close ends an active or suspended run and refuses later runs", arguments: [false, true])
  func closes(rests: Bool) async {
    let task = Task { await run() }
    await clock.sleepers(1)
    if rests { await life.suspend() }
    #expect(await life.close())
    #expect(clock.sleeping == 0)
    #expect(await task.value == nil)
    #expect(await !life.close())
    #expect(await run() == .conflict)
  }

  @Test("close succeeds in a cancelled task and before any run")
  func closesWhenCancelled() async {
    let closed = Task {
      while !Task.isCancelled { await Task.yield() }
      return await life.close()
    }
    closed.cancel()
    #expect(await closed.value)
    #expect(await run() == .conflict)
  }
}
