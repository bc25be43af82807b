import EngagementModel
import EngagementTesting
import Testing

@testable import EngagementKit

@Suite("concurrent user switches", .timeLimit(.minutes(20))) struct UserChangeQueueTests {
  private let order = UserChangeQueue()

  private func change(_ body: () async -> Void = {}) async -> EngagementError.Code? {
    do throws(EngagementError) {
      let isLast = try await order.inTurn { (isLatest) async throws(EngagementError) in
        await body()
        return isLatest()
      }
      return isLast ? nil : .conflict
    } catch {
      return error.code
    }
  }

  @Test("X8: user switches run in turn, and only the last one succeeds")
  func lastWins() async {
    let gate = Gate()
    let ran = Locked<[Int]>([])
    await withTaskGroup(of: (Int, EngagementError.Code?).self) { group in
      for number in 0..<5 {
        group.addTask {
          let code = await change {
            ran.withLock { $0.append(number) }
            await gate.pass()
          }
          return (number, code)
        }
        // The switches are requested in this order.
        if number == 0 { await gate.isHolding(1) }
        while order.waiting < number { await Task.yield() }
      }
      gate.open()
      for await (number, code) in group { #expect(code == (number == 4 ? nil : .conflict)) }
    }
    #expect(ran.withLock { $0 } == [0, 4], "a switch superseded before its start never starts")
  }

  @Test("a switch that is cancelled before its turn never starts, and the next one does")
  func cancelled() async {
    let gate = Gate()
    async let first = change { await gate.pass() }
    await gate.isHolding(1)
    let second = Task { await change { Issue.record("a cancelled switch started") } }
    while order.waiting < 1 { await Task.yield() }
    second.cancel()
    gate.open()
    #expect(await first == .conflict)
    #expect(await second.value == .cancelled)
    #expect(await change() == nil)
  }

  @Test("a failed switch lets the next one start")
  func fails() async {
    await #expect(throws: EngagementError(.storage, "full")) {
      try await order.inTurn { (_) async throws(EngagementError) in
        throw EngagementError(.storage, "full")
      }
    }
    #expect(await change() == nil)
  }
}
