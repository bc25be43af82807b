import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementTesting
import Testing

@testable import EngagementKit

/// A house whose disk can fail.
private struct FragileHouse: ExchangeHouse {
  let inner: MemoryHouse
  let fault = Locked<EngagementError.Code?>(nil)

  func context(
    for operation: Operation, _ attempt: Attempt
  ) async throws(EngagementError) -> AdapterContext {
    try await inner.context(for: operation, attempt)
  }

  func commit(
    _ changes: [Change], of operation: Operation, _ attempt: Attempt
  ) async throws(EngagementError) {
    if let code = fault.withLock(\.self) { throw EngagementError(code, "It can't be kept.") }
    try await inner.commit(changes, of: operation, attempt)
  }

  func renewCredential(
    replacing refused: Secret?, for attempt: Attempt
  ) async throws(EngagementError) {
    try await inner.renewCredential(replacing: refused, for: attempt)
  }

  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    try await inner.send(request)
  }
}

@Suite struct UnkeptAnswersTests {
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
    "G3 G12 what was answered is not sent again where it can't be kept: it is kept later",
    arguments: [EngagementError.Code.storage, .unreadable, .busy])
  func unkeptAnswer(code: EngagementError.Code) async {
    let adapter = Self.counting()
    let transport = ScriptedTransport { _ in HTTPResponse(200) }
    let house = FragileHouse(inner: MemoryHouse(adapter, user: "u", transport: transport))
    let exchange = Exchange(adapter, in: house)
    house.fault.withLock { $0 = code }
    #expect(await exchange.perform(.events([]), house.inner.attempt()) == .done)
    switch await exchange.perform(.events([]), house.inner.attempt()) {
    case .refused(let error), .retry(let error): #expect(error.code == code)
    default: Issue.record("What was answered before is not kept.")
    }
    #expect(transport.lines == ["GET /events"], "nothing leaves before the answer is kept")
    house.fault.withLock { $0 = nil }
    #expect(await exchange.perform(.inbox, house.inner.attempt()) == .done)
    #expect(transport.lines == ["GET /events", "GET /inbox"])
    #expect(house.inner.value(.user, "last") == "2", "the answers are kept in their order")
  }

  @Test("G12 answers that came together while the disk failed are kept in their order")
  func unkeptAnswers() async {
    let (adapter, gate) = (Self.counting(), Gate())
    let transport = ScriptedTransport { _ in
      await gate.pass()
      return HTTPResponse(200)
    }
    let house = FragileHouse(inner: MemoryHouse(adapter, user: "u", transport: transport))
    let exchange = Exchange(adapter, in: house)
    async let first = exchange.perform(.events([]), house.inner.attempt())
    async let second = exchange.perform(.device(.register), house.inner.attempt())
    async let asked = exchange.perform(.inbox, house.inner.attempt())
    await gate.isHolding(3)
    house.fault.withLock { $0 = .storage }
    gate.open()
    #expect(await [first, second] == [.done, .done])
    guard case .refused(let error) = await asked else { return #expect(Bool(false)) }
    #expect(error.code == .storage, "what was only asked for can be asked for again")
    house.fault.withLock { $0 = nil }
    #expect(await exchange.perform(.inbox, house.inner.attempt()) == .done)
    #expect(house.inner.value(.user, "last") == "4")
  }

  @Test("G3 a device that the vendor has made is not made twice where it can't be kept at once")
  func unkeptPreparation() async {
    var adapter = FakeAdapter()
    adapter.onStep = { operation, context in
      operation == .events([]) && context.values[.installation, "device"] == nil
        ? .first(.device(.register)) : get(operation.verb.text)
    }
    adapter.onAnswer = { operation, _ in
      Answer(operation == .device(.register) ? [.keep(.installation, "device", "d")] : [])
    }
    let transport = ScriptedTransport { _ in HTTPResponse(200) }
    let house = FragileHouse(inner: MemoryHouse(adapter, user: "u", transport: transport))
    let exchange = Exchange(adapter, in: house)
    house.fault.withLock { $0 = .storage }
    let attempt = house.inner.attempt()
    guard case .refused(let error) = await exchange.perform(.events([]), attempt)
    else { return #expect(Bool(false)) }
    #expect(error.code == .storage)
    house.fault.withLock { $0 = nil }
    #expect(await exchange.perform(.events([]), attempt) == .done)
    #expect(transport.lines == ["GET /device.register", "GET /events"])
  }
}
