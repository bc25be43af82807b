import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

typealias Operation = EngagementAdapterAPI.Operation

@Suite struct ExchangeTests {
  private func outcome(
    of operation: Operation = .inbox, _ adapter: FakeAdapter,
    _ transport: ScriptedTransport = ScriptedTransport { _ in HTTPResponse(200) },
    credentials: @escaping MemoryHouse.CredentialSource = { _ in nil }
  ) async -> (Exchange.Outcome, MemoryHouse) {
    let house = MemoryHouse(
      adapter, user: "u", transport: transport, credentials: credentials)
    return (await Exchange(adapter, in: house).perform(operation, house.attempt()), house)
  }

  @Test("what is not declared is unsupported and no request is sent")
  func undeclared() async {
    let transport = ScriptedTransport { _ in HTTPResponse(200) }
    let (outcome, _) = await outcome(of: .optOut(true), FakeAdapter(), transport)
    guard case .refused(let error) = outcome else { return #expect(Bool(false)) }
    #expect(error.code == .unsupported && error.operation == "optOut")
    #expect(transport.requests.isEmpty)
  }

  @Test("nothing to ask is done without a request, and its changes are kept")
  func done() async {
    var adapter = FakeAdapter()
    adapter.onStep = { _, _ in .done([.keep(.user, "seen", "yes")]) }
    let transport = ScriptedTransport { _ in HTTPResponse(200) }
    let (outcome, house) = await outcome(adapter, transport)
    #expect(outcome == .done && house.value(.user, "seen") == "yes")
    #expect(transport.requests.isEmpty)
  }

  @Test("an adapter that wants to wait is not asked again and sends nothing")
  func wait() async {
    let date = Date(timeIntervalSince1970: 5)
    var adapter = FakeAdapter()
    adapter.onStep = { _, _ in .wait(until: date) }
    let (outcome, _) = await outcome(adapter)
    #expect(outcome == .wait(until: date))
  }

  @Test("prerequisites are met in order and each is committed before the next")
  func chain() async {
    var adapter = FakeAdapter()
    adapter.onStep = { operation, context throws(EngagementError) in
      if operation != .device(.register), context.values[.installation, "device"] == nil {
        return .first(.device(.register))
      }
      if operation == .inbox, context.values[.user, "person"] == nil { return .first(.person) }
      return get(operation.verb.text)
    }
    adapter.onAnswer = { operation, _ in
      switch operation {
      case .device: Answer([.keep(.installation, "device", "d")])
      case .person: Answer([.keep(.user, "person", "p")])
      default: Answer()
      }
    }
    let transport = ScriptedTransport { _ in HTTPResponse(200) }
    let (outcome, _) = await outcome(adapter, transport)
    #expect(outcome == .done)
    #expect(transport.lines == ["GET /device.register", "GET /person", "GET /inbox"])
  }

  @Test("prerequisites that do not end are refused")
  func endless() async {
    var adapter = FakeAdapter()
    adapter.onStep = { operation, _ in
      operation == .inbox ? .first(.person) : get(operation.verb.text)
    }
    let transport = ScriptedTransport { _ in HTTPResponse(200) }
    let (outcome, _) = await outcome(adapter, transport)
    guard case .refused(let error) = outcome else { return #expect(Bool(false)) }
    #expect(error.code == .internalFailure)
    #expect(transport.requests.count <= 8)
  }

  @Test("a prerequisite that needs itself is refused")
  func circular() async {
    var adapter = FakeAdapter()
    adapter.onStep = { operation, _ in operation == .person ? .first(.inbox) : .first(.person) }
    let (outcome, _) = await outcome(adapter)
    guard case .refused(let error) = outcome else { return #expect(Bool(false)) }
    #expect(error.code == .internalFailure)
  }

  @Test(
    "A26 a host that is not allowed gets no request, whoever named it",
    arguments: [
      "https://evil.example/", "http://fake.example/", "https://fake.example.evil.example/",
      "https://fake.example@evil.example/", "https:\\\\fake.example", "",
    ])
  func hosts(url: String) async {
    var adapter = FakeAdapter()
    adapter.onStep = { _, _ in .send(HTTPRequest("GET", url)) }
    let transport = ScriptedTransport { _ in HTTPResponse(200) }
    let (outcome, _) = await outcome(adapter, transport)
    guard case .refused = outcome else { return #expect(Bool(false)) }
    #expect(transport.requests.isEmpty)
  }

  @Test(
    "a dead transport may be tried again, a cancelled one may not",
    arguments: [
      (EngagementError.Code.unavailable, true), (.deadlineExceeded, true), (.cancelled, false),
      (.permissionDenied, false),
    ])
  func transportErrors(code: EngagementError.Code, retries: Bool) async {
    let transport = ScriptedTransport { _ throws(EngagementError) in
      throw EngagementError(code, "x")
    }
    let (outcome, _) = await outcome(FakeAdapter(), transport)
    switch outcome {
    case .retry(let error): #expect(retries && error.operation == "inbox")
    case .refused(let error): #expect(!retries && error.operation == "inbox")
    default: #expect(Bool(false))
    }
  }

  @Test("a refusal keeps what the answer brought")
  func refusalWithChanges() async {
    var adapter = FakeAdapter()
    adapter.onAnswer = { _, _ in
      Answer(
        [.keep(.user, "config", "1")], .refused(EngagementError(.permissionDenied, "no")))
    }
    let (_, house) = await outcome(adapter)
    #expect(house.value(.user, "config") == "1")
  }

  @Test("a missing credential is asked for before anything is sent, and only once")
  func missingCredential() async {
    var adapter = FakeAdapter()
    adapter.onStep = { operation, context throws(EngagementError) in
      guard context.credential != nil else { throw EngagementError(.unauthenticated, "none") }
      return get(operation.verb.text)
    }
    let asked = Locked(0)
    let (outcome, _) = await outcome(adapter) { _ in
      asked.withLock { $0 += 1 }
      return Secret("jwt")
    }
    #expect(outcome == .done && asked.withLock { $0 } == 1)
    let (refused, _) = await self.outcome(adapter)
    guard case .refused(let error) = refused else { return #expect(Bool(false)) }
    #expect(error.code == .unauthenticated)
  }

  @Test("G15 a renewal happens once an operation, then it is refused")
  func oneRenewal() async {
    var adapter = FakeAdapter()
    adapter.onAnswer = { _, _ in Answer([], .renew(.credential)) }
    let asked = Locked(0)
    let transport = ScriptedTransport { _ in HTTPResponse(401) }
    let (outcome, _) = await outcome(adapter, transport) { _ in
      let count = asked.withLock { asked in
        asked += 1
        return asked
      }
      return Secret("jwt-\(count)")
    }
    guard case .refused(let error) = outcome else { return #expect(Bool(false)) }
    #expect(error.code == .unauthenticated)
    #expect(asked.withLock { $0 } == 1 && transport.requests.count == 2)
  }

  @Test("a renewal that would need renewing does not go on for ever")
  func renewalOfRenewal() async {
    var adapter = FakeAdapter()
    adapter.onAnswer = { _, _ in Answer([], .renew(.operation(.device(.renew)))) }
    let transport = ScriptedTransport { _ in HTTPResponse(401) }
    let (outcome, _) = await outcome(adapter, transport)
    guard case .refused(let error) = outcome else { return #expect(Bool(false)) }
    #expect(error.code == .unauthenticated)
    #expect(transport.lines == ["GET /inbox", "GET /device.renew"])
  }

  @Test(
    "what an operation needs and what is asked for by itself is done once",
    arguments: [Operation.person, .associate("u")])
  func sharedPreparation(needed: Operation) async {
    let gate = Gate()
    var adapter = FakeAdapter()
    adapter.onStep = { operation, context in
      guard context.values[.user, "person"] == nil else {
        return operation == needed ? .done([]) : get(operation.verb.text)
      }
      return operation == .inbox ? .first(needed) : get(operation.verb.text)
    }
    adapter.onAnswer = { operation, _ in
      Answer(operation == needed ? [.keep(.user, "person", "p")] : [])
    }
    let transport = ScriptedTransport { request in
      if request.line != "GET /inbox" { await gate.pass() }
      return HTTPResponse(200)
    }
    let house = MemoryHouse(adapter, user: "u", transport: transport)
    let exchange = Exchange(adapter, in: house)
    async let own = exchange.perform(needed, house.attempt())
    await gate.isHolding(1)
    async let inbox = exchange.perform(.inbox, house.attempt())
    await exchange.isAwaited(needed, by: 1)
    gate.open()
    #expect(await [own, inbox] == [.done, .done])
    #expect(transport.lines == ["GET /\(needed.verb)", "GET /inbox"])
  }

  @Test("G13 an answer that comes after a switch is the former user's; no step follows as another")
  func switchOfUser() async {
    let gate = Gate()
    var adapter = FakeAdapter()
    adapter.onStep = { operation, context in
      operation == .inbox && context.values[.user, "person"] == nil
        ? .first(.person) : get(operation.verb.text)
    }
    adapter.onAnswer = { operation, _ in
      Answer(operation == .person ? [.keep(.user, "person", "p-1")] : [])
    }
    let transport = ScriptedTransport { _ in
      await gate.pass()
      return HTTPResponse(200)
    }
    let house = MemoryHouse(adapter, user: "u-1", transport: transport)
    let exchange = Exchange(adapter, in: house)
    async let inbox = exchange.perform(.inbox, house.attempt())
    await gate.isHolding(1)
    await house.signIn("u-2", exchange)
    gate.open()
    guard case .refused(let error) = await inbox else { return #expect(Bool(false)) }
    #expect(error.code == .signedOut)
    #expect(transport.lines == ["GET /person"])
    #expect(house.value(.user, "person") == nil)
    await house.signIn("u-1", exchange)
    #expect(house.value(.user, "person") == "p-1")
  }

  @Test("cancelling ends an operation that waits for another's prerequisite")
  func cancelled() async {
    let gate = Gate()
    var adapter = FakeAdapter()
    adapter.onStep = { operation, _ in
      operation == .inbox ? .first(.person) : get(operation.verb.text)
    }
    let transport = ScriptedTransport { _ in
      await gate.pass()
      return HTTPResponse(200)
    }
    let house = MemoryHouse(adapter, user: "u", transport: transport)
    let exchange = Exchange(adapter, in: house)
    let leader = Task { await exchange.perform(.person, house.attempt()) }
    await gate.isHolding(1)
    let waiting = Task { await exchange.perform(.inbox, house.attempt()) }
    await exchange.isAwaited(.person, by: 1)
    waiting.cancel()
    guard case .refused(let error) = await waiting.value else { return #expect(Bool(false)) }
    #expect(error.code == .cancelled)
    gate.open()
    #expect(await leader.value == .done)
  }

  @Test("when who renews is cancelled, whoever waited renews instead and goes on (G15)")
  func cancelledRenewal() async {
    let (gate, renewals) = (Gate(), Locked(0))
    var adapter = FakeAdapter()
    adapter.onAnswer = { _, response in
      response.status == 401 ? Answer([], .renew(.operation(.device(.renew)))) : Answer()
    }
    let transport = ScriptedTransport { request throws(EngagementError) in
      guard request.line == "GET /device.renew" else {
        return HTTPResponse(renewals.withLock { $0 } < 2 ? 401 : 200)
      }
      let before = renewals.withLock { count in
        count += 1
        return count - 1
      }
      guard before == 0 else { return HTTPResponse(200) }
      await gate.pass()
      throw EngagementError(.cancelled, "It was cancelled.")
    }
    let house = MemoryHouse(adapter, user: "u", transport: transport)
    let exchange = Exchange(adapter, in: house)
    let leader = Task { await exchange.perform(.inbox, house.attempt()) }
    await gate.isHolding(1)
    async let other = exchange.perform(.events([]), house.attempt())
    await exchange.isAwaited(.renewal(.operation(.device(.renew))), by: 1)
    leader.cancel()
    gate.open()
    #expect(await other == .done)
    guard case .refused(let error) = await leader.value else { return #expect(Bool(false)) }
    #expect(error.code == .cancelled)
    #expect(renewals.withLock { $0 } == 2)
  }
}

extension Exchange {
  /// Waits until so many operations wait for that one.
  fileprivate func isAwaited(_ operation: Operation, by count: Int) async {
    await isAwaited(.first(operation), by: count)
  }

  fileprivate func isAwaited(_ work: Preparation.Work, by count: Int) async {
    while flights.waiting(for: Preparation(user: "u", work: work)) < count { await Task.yield() }
  }
}
