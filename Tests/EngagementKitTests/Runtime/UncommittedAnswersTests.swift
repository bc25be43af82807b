import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementTesting
import FoundationEssentials
import Testing

@testable import EngagementKit

/// A host that keeps values in memory, and whose disk can fail.
private struct FragileHost: OperationHost {
  let transport: ScriptedTransport
  let fault = Locked<EngagementError.Code?>(nil)
  private let values = Locked(ScopedValues<String>())

  init(_ transport: ScriptedTransport) { self.transport = transport }

  var attempt: Attempt { Attempt(by: "u", OperationKey(1, 1), acceptedAt: .distantPast) }

  func value(_ name: String) -> String? { values.withLock { $0[.user, name] } }

  func context(
    for operation: Operation, _ attempt: Attempt, delivering rows: [Int64]
  ) -> AdapterContext {
    AdapterContext(
      user: attempt.user, device: .test, values: values.withLock(\.self), now: .distantPast,
      key: attempt.key)
  }

  func commit(
    _ changes: [Change], of operation: Operation, _ attempt: Attempt,
    recording event: EngagementEvent?
  ) throws(EngagementError) {
    if let code = fault.withLock(\.self) { throw EngagementError(code, "It can't be kept.") }
    values.withLock { values in
      for case .keep(let scope, let name, let value) in changes { values[scope, name] = value }
    }
  }

  func note(
    _ answer: Answer, _ reply: HTTPReply, to request: HTTPRequest,
    for operation: EngagementAdapterAPI.Operation, _ attempt: Attempt
  ) {}

  var liveCommits: Int { 0 }

  func renewCredential(replacing refused: Secret?, for attempt: Attempt) {}

  func excluding(
    _ operation: EngagementAdapterAPI.Operation, _ body: () async -> OperationRunner.Execution?
  ) async -> OperationRunner.Execution? { await body() }

  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPReply {
    HTTPReply(response: try await transport.send(request), time: .zero)
  }
}

@Suite struct UncommittedAnswersTests {
  /// Counts what the vendor answers, so that two answers differ.
  private static func counting() -> FakeAdapter {
    let count = Locked(0)
    var adapter = FakeAdapter()
    adapter.onAnswer = { operation, _ in
      let number = count.withLock { count in
        count += 1
        return count
      }
      return Answer([.keep(.user, "last", String(number))])
    }
    return adapter
  }

  @Test(
    "G3 G12: an answer that cannot be committed is committed later, and its request is not resent",
    arguments: [EngagementError.Code.storage, .unreadable, .busy])
  func unkeptAnswer(code: EngagementError.Code) async {
    let adapter = Self.counting()
    let transport = ScriptedTransport { _ in HTTPResponse(200) }
    let host = FragileHost(transport)
    let runner = OperationRunner(adapter, in: host)
    host.fault.withLock { $0 = code }
    #expect(await runner.execute(.events([]), host.attempt).outcome == .done)
    switch await runner.execute(.events([]), host.attempt).outcome {
    case .refused(let error), .retry(let error): #expect(error.code == code)
    default: Issue.record("What was answered before is not kept.")
    }
    #expect(transport.lines == ["GET /events"], "nothing leaves before the answer is kept")
    host.fault.withLock { $0 = nil }
    #expect(await runner.execute(.inbox, host.attempt).outcome == .done)
    #expect(transport.lines == ["GET /events", "GET /inbox"])
    #expect(host.value("last") == "2", "the answers are kept in their order")
  }

  @Test("G12: answers received during a disk failure are committed later in their order")
  func unkeptAnswers() async {
    let (adapter, gate) = (Self.counting(), Gate())
    let transport = ScriptedTransport { _ in
      await gate.pass()
      return HTTPResponse(200)
    }
    let host = FragileHost(transport)
    let runner = OperationRunner(adapter, in: host)
    async let first = runner.execute(.events([]), host.attempt).outcome
    async let second = runner.execute(.device(.register), host.attempt).outcome
    async let asked = runner.execute(.inbox, host.attempt).outcome
    await gate.isHolding(3)
    host.fault.withLock { $0 = .storage }
    gate.open()
    #expect(await [first, second] == [.done, .done])
    guard case .refused(let error) = await asked else { return #expect(Bool(false)) }
    #expect(error.code == .storage, "what was only asked for can be asked for again")
    host.fault.withLock { $0 = nil }
    #expect(await runner.execute(.inbox, host.attempt).outcome == .done)
    #expect(host.value("last") == "4")
  }

  @Test("G3: a device that is registered during a disk failure is not registered again")
  func unkeptPreparation() async {
    var adapter = FakeAdapter()
    adapter.onStep = { operation, context in
      operation == .events([]) && context.values[.installation, "device"] == nil
        ? .first(.device(.register)) : get(operation.verb.rawValue)
    }
    adapter.onAnswer = { operation, _ in
      Answer(operation == .device(.register) ? [.keep(.installation, "device", "d")] : [])
    }
    let transport = ScriptedTransport { _ in HTTPResponse(200) }
    let host = FragileHost(transport)
    let runner = OperationRunner(adapter, in: host)
    host.fault.withLock { $0 = .storage }
    let attempt = host.attempt
    guard case .refused(let error) = await runner.execute(.events([]), attempt).outcome
    else { return #expect(Bool(false)) }
    #expect(error.code == .storage)
    host.fault.withLock { $0 = nil }
    #expect(await runner.execute(.events([]), attempt).outcome == .done)
    #expect(transport.lines == ["GET /device.register", "GET /events"])
  }
}
