import EngagementModel
import EngagementTesting
import Testing

@testable import EngagementKit

@Suite("running, resting and ending", .timeLimit(.minutes(20))) struct LifeTests {
  private let life = Life()
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

  @Test("what runs is not run twice, and may run again when it has ended")
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

  @Test("nothing works while it rests, and what ran goes on afterwards")
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

  @Test("one that is cancelled while it rests ends")
  func cancelledAtRest() async {
    await life.suspend()
    let task = Task { await run() }
    task.cancel()
    #expect(await task.value == nil)
    #expect(begun.withLock { $0 } == 0)
  }

  @Test("closing ends what runs or rests, once, and for good", arguments: [false, true])
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

  @Test("closing waits for the end also in a task that is cancelled, and before anything runs")
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
