import EngagementModel
import EngagementTesting
import Testing

@testable import EngagementKit

@Suite("changes of user at the same time", .timeLimit(.minutes(20))) struct ChangeOrderTests {
  private let order = ChangeOrder()

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

  @Test("one after the other, and only the last is told that it came through (X8)")
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
        // Asked for in this order.
        if number == 0 { await gate.isHolding(1) }
        while order.waiting < number { await Task.yield() }
      }
      gate.open()
      for await (number, code) in group { #expect(code == (number == 4 ? nil : .conflict)) }
    }
    #expect(ran.withLock { $0 } == [0, 4], "what is superseded before it begins never begins")
  }

  @Test("one that is cancelled before its turn never begins, and the next goes on")
  func cancelled() async {
    let gate = Gate()
    async let first = change { await gate.pass() }
    await gate.isHolding(1)
    let second = Task { await change { Issue.record("It was cancelled.") } }
    while order.waiting < 1 { await Task.yield() }
    second.cancel()
    gate.open()
    #expect(await first == .conflict)
    #expect(await second.value == .cancelled)
    #expect(await change() == nil)
  }

  @Test("one that fails lets the next begin")
  func fails() async {
    await #expect(throws: EngagementError(.storage, "full")) {
      try await order.inTurn { (_) async throws(EngagementError) in
        throw EngagementError(.storage, "full")
      }
    }
    #expect(await change() == nil)
  }
}
