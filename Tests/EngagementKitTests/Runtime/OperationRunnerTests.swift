import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

typealias Operation = EngagementAdapterAPI.Operation

@Suite struct OperationRunnerTests {
  private func outcome(
    of operation: Operation = .inbox, _ adapter: FakeAdapter,
    _ transport: ScriptedTransport = ScriptedTransport { _ in HTTPResponse(200) },
    credentials: @escaping MemoryHost.CredentialSource = { _ in nil }
  ) async -> (OperationRunner.Outcome, MemoryHost) {
    let host = MemoryHost(
      adapter, user: "u", transport: transport, credentials: credentials)
    return (
      await OperationRunner(adapter, in: host).execute(operation, host.attempt()).outcome, host
    )
  }

  @Test("an undeclared operation is unsupported and sends no request")
  func undeclared() async {
    let transport = ScriptedTransport { _ in HTTPResponse(200) }
    let (outcome, _) = await outcome(of: .optOut(true), FakeAdapter(), transport)
    guard case .refused(let error) = outcome else { return #expect(Bool(false)) }
    #expect(error.code == .unsupported && error.operation == "optOut")
    #expect(transport.requests.isEmpty)
  }

  @Test("an operation that needs no request is done, and its changes are kept")
  func done() async {
    var adapter = FakeAdapter()
    adapter.onStep = { _, _ in .done([.keep(.user, "seen", "yes")]) }
    let transport = ScriptedTransport { _ in HTTPResponse(200) }
    let (outcome, host) = await outcome(adapter, transport)
    #expect(outcome == .done && host.value(.user, "seen") == "yes")
    #expect(transport.requests.isEmpty)
  }

  @Test("a wait step ends the operation with the adapter's date")
  func wait() async {
    let date = Date(timeIntervalSince1970: 5)
    var adapter = FakeAdapter()
    adapter.onStep = { _, _ in .wait(until: date) }
    let (outcome, _) = await outcome(adapter)
    #expect(outcome == .wait(until: date))
  }

  @Test("prerequisites run in order, and each is committed before the next starts")
  func chain() async {
    var adapter = FakeAdapter()
    adapter.onStep = { operation, context throws(EngagementError) in
      if operation != .device(.register), context.values[.installation, "device"] == nil {
        return .first(.device(.register))
      }
      if operation == .inbox, context.values[.user, "person"] == nil { return .first(.person) }
      return get(operation.verb.rawValue)
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

  @Test("an endless chain of prerequisites is refused after at most eight requests")
  func endless() async {
    var adapter = FakeAdapter()
    adapter.onStep = { operation, _ in
      operation == .inbox ? .first(.person) : get(operation.verb.rawValue)
    }
    let transport = ScriptedTransport { _ in HTTPResponse(200) }
    let (outcome, _) = await outcome(adapter, transport)
    guard case .refused(let error) = outcome else { return #expect(Bool(false)) }
    #expect(error.code == .internalFailure)
    #expect(transport.requests.count <= 8)
  }

  @Test("a prerequisite that depends on itself is refused")
  func circular() async {
    var adapter = FakeAdapter()
    adapter.onStep = { operation, _ in operation == .person ? .first(.inbox) : .first(.person) }
    let (outcome, _) = await outcome(adapter)
    guard case .refused(let error) = outcome else { return #expect(Bool(false)) }
    #expect(error.code == .internalFailure)
  }

  @Test(
    "A26: the runner refuses a URL outside the allowed hosts and sends nothing",
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
    "the runner retries unavailable and timed-out requests and refuses cancelled or denied ones",
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
    case .cancelled(let error, _): #expect(code == .cancelled && error.operation == "inbox")
    case .done, .partly, .wait: Issue.record("\(outcome)")
    }
  }

  @Test("a refused answer still commits its changes")
  func refusalWithChanges() async {
    var adapter = FakeAdapter()
    adapter.onAnswer = { _, _ in
      Answer(
        [.keep(.user, "config", "1")], .refused(EngagementError(.permissionDenied, "no")))
    }
    let (_, host) = await outcome(adapter)
    #expect(host.value(.user, "config") == "1")
  }

  @Test("the runner asks once for a missing credential before it sends")
  func missingCredential() async {
    var adapter = FakeAdapter()
    adapter.onStep = { operation, context throws(EngagementError) in
      guard context.credential != nil else { throw EngagementError(.unauthenticated, "none") }
      return get(operation.verb.rawValue)
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

  @Test("G15: the runner renews a credential once an operation and refuses a second renewal")
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

  @Test("a renewal that itself needs a renewal is refused")
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
    "a prerequisite and a direct call of the same operation share one request",
    arguments: [Operation.person, .associate("u")])
  func sharedPreparation(needed: Operation) async {
    let gate = Gate()
    var adapter = FakeAdapter()
    adapter.onStep = { operation, context in
      guard context.values[.user, "person"] == nil else {
        return operation == needed ? .done([]) : get(operation.verb.rawValue)
      }
      return operation == .inbox ? .first(needed) : get(operation.verb.rawValue)
    }
    adapter.onAnswer = { operation, _ in
      Answer(operation == needed ? [.keep(.user, "person", "p")] : [])
    }
    let transport = ScriptedTransport { request in
      if request.line != "GET /inbox" { await gate.pass() }
      return HTTPResponse(200)
    }
    let host = MemoryHost(adapter, user: "u", transport: transport)
    let runner = OperationRunner(adapter, in: host)
    async let own = runner.execute(needed, host.attempt()).outcome
    await gate.isHolding(1)
    async let inbox = runner.execute(.inbox, host.attempt()).outcome
    await runner.isAwaited(needed, by: 1)
    gate.open()
    #expect(await [own, inbox] == [.done, .done])
    #expect(transport.lines == ["GET /\(needed.verb)", "GET /inbox"])
  }

  @Test(
    "G13: an answer after a user switch is stored for the former user and starts no further step")
  func switchOfUser() async {
    let gate = Gate()
    var adapter = FakeAdapter()
    adapter.onStep = { operation, context in
      operation == .inbox && context.values[.user, "person"] == nil
        ? .first(.person) : get(operation.verb.rawValue)
    }
    adapter.onAnswer = { operation, _ in
      Answer(operation == .person ? [.keep(.user, "person", "p-1")] : [])
    }
    let transport = ScriptedTransport { _ in
      await gate.pass()
      return HTTPResponse(200)
    }
    let host = MemoryHost(adapter, user: "u-1", transport: transport)
    let runner = OperationRunner(adapter, in: host)
    async let inbox = runner.execute(.inbox, host.attempt()).outcome
    await gate.isHolding(1)
    await host.signIn("u-2", runner)
    gate.open()
    guard case .refused(let error) = await inbox else { return #expect(Bool(false)) }
    #expect(error.code == .signedOut)
    #expect(transport.lines == ["GET /person"])
    #expect(host.value(.user, "person") == nil)
    await host.signIn("u-1", runner)
    #expect(host.value(.user, "person") == "p-1")
  }

  @Test("cancelling ends an operation that waits for another operation's prerequisite")
  func cancelled() async {
    let gate = Gate()
    var adapter = FakeAdapter()
    adapter.onStep = { operation, _ in
      operation == .inbox ? .first(.person) : get(operation.verb.rawValue)
    }
    let transport = ScriptedTransport { _ in
      await gate.pass()
      return HTTPResponse(200)
    }
    let host = MemoryHost(adapter, user: "u", transport: transport)
    let runner = OperationRunner(adapter, in: host)
    let leader = Task { await runner.execute(.person, host.attempt()).outcome }
    await gate.isHolding(1)
    let waiting = Task { await runner.execute(.inbox, host.attempt()).outcome }
    await runner.isAwaited(.person, by: 1)
    waiting.cancel()
    guard case .cancelled(_, let wasSent) = await waiting.value else {
      return #expect(Bool(false))
    }
    #expect(!wasSent)
    gate.open()
    #expect(await leader.value == .done)
  }

  @Test("G15: when the renewing operation is cancelled, a waiting operation renews and continues")
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
    let host = MemoryHost(adapter, user: "u", transport: transport)
    let runner = OperationRunner(adapter, in: host)
    let leader = Task { await runner.execute(.inbox, host.attempt()).outcome }
    await gate.isHolding(1)
    async let other = runner.execute(.events([]), host.attempt()).outcome
    await runner.isAwaited(.renewal(.operation(.device(.renew))), by: 1)
    leader.cancel()
    gate.open()
    #expect(await other == .done)
    guard case .cancelled = await leader.value else { return #expect(Bool(false)) }
    #expect(renewals.withLock { $0 } == 2)
  }
}

extension OperationRunner {
  /// Waits until so many operations wait for that one.
  fileprivate func isAwaited(_ operation: Operation, by count: Int) async {
    await isAwaited(.first(operation), by: count)
  }

  fileprivate func isAwaited(_ work: Preparation.Work, by count: Int) async {
    while singleFlight.waiting(for: Preparation(user: "u", work: work)) < count {
      await Task.yield()
    }
  }
}
