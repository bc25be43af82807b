import EngagementModel
import EngagementTesting
import TestSupport
import Testing

@testable import EngagementKit

@Suite struct SingleFlightTests {
  private typealias Flights = SingleFlight<String, Int>

  @Test("concurrent callers of one key run the work once and share the result")
  func once() async {
    let flights = Flights()
    let (gate, runs) = (Gate(), Locked(0))
    let completions = await withTaskGroup(of: Int?.self) { group in
      for _ in 0..<20 {
        group.addTask {
          let completion = await flights.run("a", for: nil) {
            runs.withLock { $0 += 1 }
            await gate.pass()
            return 7
          }
          if case .completed(let value) = completion { return value } else { return nil }
        }
      }
      await gate.isHolding(1)
      while flights.waiting(for: "a") < 19 { await Task.yield() }
      gate.open()
      var all: [Int?] = []
      for await value in group { all.append(value) }
      return all
    }
    #expect(completions == Array(repeating: 7, count: 20))
    #expect(runs.withLock { $0 } == 1)
  }

  @Test("a caller that started before the work finished gets its result, a later one runs it again")
  func latecomer() async {
    let flights = Flights()
    let before = flights.completions
    #expect(await flights.run("a", for: nil, since: before) { 1 }.value == 1)
    #expect(await flights.run("a", for: nil, since: before) { 2 }.value == 1)
    #expect(await flights.run("a", for: nil, since: flights.completions) { 3 }.value == 3)
    #expect(await flights.run("a", for: nil) { 4 }.value == 4)
  }

  @Test("the work runs once whether a caller joins before, during or after it")
  func races() async {
    let flights = Flights()
    for round in 1...Effort.share(of: 4_000) {
      let moment = flights.completions
      let values = await withTaskGroup(of: Int?.self) { group in
        for _ in 0..<4 {
          group.addTask { await flights.run("a", for: nil, since: moment) { round }.value }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(values == Array(repeating: round, count: 4))
      #expect(flights.completions == moment + 1)
    }
  }

  @Test("calls with another key do not wait")
  func apart() async {
    let flights = Flights()
    let gate = Gate()
    async let slow = flights.run("slow", for: nil) {
      await gate.pass()
      return 1
    }
    await gate.isHolding(1)
    let quick = await flights.run("quick", for: nil) { 2 }
    #expect(quick.value == 2)
    gate.open()
    #expect(await slow.value == 1)
  }

  @Test("when the leader is cancelled, a waiting caller retries and leads")
  func leaderCancelled() async {
    let flights = Flights()
    let gate = Gate()
    let leader = Task {
      await flights.run("a", for: nil) {
        await gate.pass()
        return Task.isCancelled ? nil : 1
      }
    }
    await gate.isHolding(1)
    let follower = Task { () -> Int? in
      while true {
        switch await flights.run("a", for: nil, work: { 2 }) {
        case .completed(let value): return value
        case .abandoned: continue
        case .circular: return nil
        }
      }
    }
    while flights.waiting(for: "a") < 1 { await Task.yield() }
    leader.cancel()
    gate.open()
    #expect(await follower.value == 2)
    #expect(await leader.value.value == nil)
  }

  @Test("a waiting caller that is cancelled returns at once")
  func followerCancelled() async {
    let flights = Flights()
    let gate = Gate()
    let leader = Task {
      await flights.run("a", for: nil) {
        await gate.pass()
        return 1
      }
    }
    await gate.isHolding(1)
    let follower = Task { await flights.run("a", for: nil) { 2 } }
    while flights.waiting(for: "a") < 1 { await Task.yield() }
    follower.cancel()
    #expect(await follower.value.isAbandoned)
    gate.open()
    #expect(await leader.value.value == 1)
  }

  @Test("work that waits for itself through another key is refused")
  func circle() async {
    let flights = Flights()
    let completion = await flights.run("a", for: nil) {
      let inner = await flights.run("b", for: "a") {
        await flights.run("a", for: "b") { 1 }.isCircular ? 40 : 0
      }
      return (inner.value ?? 0) + 2
    }
    #expect(completion.value == 42)
  }
}

extension SingleFlight.Completion {
  fileprivate var value: Result? { if case .completed(let value) = self { value } else { nil } }
  fileprivate var isAbandoned: Bool { if case .abandoned = self { true } else { false } }
  fileprivate var isCircular: Bool { if case .circular = self { true } else { false } }
}
