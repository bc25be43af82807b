import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

typealias Operation = EngagementAdapterAPI.Operation

@Suite struct OperationRunnerTests {
  /// An engagement with the adapter's vendor, where `u` is signed in and agrees to everything.
  private func stage(
    _ adapter: FakeAdapter,
    _ transport: ScriptedTransport = ScriptedTransport { _ in HTTPResponse(200) },
    user: User = "u", credentials: @escaping Engagement.CredentialSource = { _ in nil }
  ) async throws -> Stage {
    let stage = try await Stage([Provider("fake", adapter)], transport)
    try await stage.engagement.signIn(user, consent: .full, credentials: credentials)
    return stage
  }

  /// How the operation ends in an engagement of its own, and what the adapter knows afterwards.
  private func outcome(
    of operation: Operation = .inbox, _ adapter: FakeAdapter,
    _ transport: ScriptedTransport = ScriptedTransport { _ in HTTPResponse(200) },
    credentials: @escaping Engagement.CredentialSource = { _ in nil }
  ) async throws -> (OperationRunner.Outcome, ScopedValues<String>) {
    let stage = try await stage(adapter, transport, credentials: credentials)
    let outcome = await stage.engagement.execute(operation, with: "fake")
    let values = try await stage.engagement.context(of: "fake").values
    try await stage.end()
    return (outcome, values)
  }

  @Test("an undeclared operation is unsupported and sends no request")
  func undeclared() async throws {
    let transport = ScriptedTransport { _ in HTTPResponse(200) }
    let (outcome, _) = try await outcome(of: .optOut(true), FakeAdapter(), transport)
    guard case .refused(let error) = outcome else { return #expect(Bool(false)) }
    #expect(error.code == .unsupported && error.operation == "optOut")
    #expect(transport.requests.isEmpty)
  }

  @Test("an operation that needs no request is done, and its changes are kept")
  func done() async throws {
    var adapter = FakeAdapter()
    adapter.onStep = { _, _ in .done([.keep(.user, "seen", "yes")]) }
    let transport = ScriptedTransport { _ in HTTPResponse(200) }
    let (outcome, values) = try await outcome(adapter, transport)
    #expect(outcome == .done && values[.user, "seen"] == "yes")
    #expect(transport.requests.isEmpty)
  }

  @Test("a wait step ends the operation with the adapter's date")
  func wait() async throws {
    let date = Date(timeIntervalSince1970: 5)
    var adapter = FakeAdapter()
    adapter.onStep = { _, _ in .wait(until: date) }
    let (outcome, _) = try await outcome(adapter)
    #expect(outcome == .wait(until: date))
  }

  @Test("prerequisites run in order, and each is committed before the next starts")
  func chain() async throws {
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
    let (outcome, _) = try await outcome(adapter, transport)
    #expect(outcome == .done)
    #expect(transport.lines == ["GET /device.register", "GET /person", "GET /inbox"])
  }

  @Test(
    "a refused prerequisite does not refuse the operation that waits for it",
    arguments: [EngagementError.Code.invalidArgument, .notFound, .permissionDenied, .conflict])
  func refusedPrerequisite(code: EngagementError.Code) async throws {
    var adapter = FakeAdapter()
    adapter.onStep = { operation, _ in
      operation == .inbox ? .first(.device(.register)) : get(operation.verb.rawValue)
    }
    adapter.onAnswer = { _, _ in Answer([], .refused(EngagementError(code, "no"))) }
    let transport = ScriptedTransport { _ in HTTPResponse(400) }
    let (outcome, _) = try await outcome(adapter, transport)
    guard case .retry(let error) = outcome else { return #expect(Bool(false), "\(outcome)") }
    #expect(error.code == code && error.operation == "device.register")
    #expect(transport.lines == ["GET /device.register"])
  }

  @Test("an endless chain of prerequisites is refused after at most eight requests")
  func endless() async throws {
    var adapter = FakeAdapter()
    adapter.onStep = { operation, _ in
      operation == .inbox ? .first(.person) : get(operation.verb.rawValue)
    }
    let transport = ScriptedTransport { _ in HTTPResponse(200) }
    let (outcome, _) = try await outcome(adapter, transport)
    guard case .refused(let error) = outcome else { return #expect(Bool(false)) }
    #expect(error.code == .internalFailure)
    #expect(transport.requests.count <= 8)
  }

  @Test("a prerequisite that depends on itself is refused")
  func circular() async throws {
    var adapter = FakeAdapter()
    adapter.onStep = { operation, _ in operation == .person ? .first(.inbox) : .first(.person) }
    let (outcome, _) = try await outcome(adapter)
    guard case .refused(let error) = outcome else { return #expect(Bool(false)) }
    #expect(error.code == .internalFailure)
  }

  @Test(
    "A26: the runner refuses a URL outside the allowed hosts and sends nothing",
    arguments: [
      "https://evil.example/", "http://fake.example/", "https://fake.example.evil.example/",
      "https://fake.example@evil.example/", "https:\\\\fake.example", "",
    ])
  func hosts(url: String) async throws {
    var adapter = FakeAdapter()
    adapter.onStep = { _, _ in .send(HTTPRequest("GET", url)) }
    let transport = ScriptedTransport { _ in HTTPResponse(200) }
    let (outcome, _) = try await outcome(adapter, transport)
    guard case .refused = outcome else { return #expect(Bool(false)) }
    #expect(transport.requests.isEmpty)
  }

  @Test(
    "the runner retries unavailable and timed-out requests and refuses cancelled or denied ones",
    arguments: [
      (EngagementError.Code.unavailable, true), (.deadlineExceeded, true), (.cancelled, false),
      (.permissionDenied, false),
    ])
  func transportErrors(code: EngagementError.Code, retries: Bool) async throws {
    let transport = ScriptedTransport { _ throws(EngagementError) in
      throw EngagementError(code, "x")
    }
    let (outcome, _) = try await outcome(FakeAdapter(), transport)
    switch outcome {
    case .retry(let error): #expect(retries && error.operation == "inbox")
    case .refused(let error): #expect(!retries && error.operation == "inbox")
    case .cancelled(let error, _): #expect(code == .cancelled && error.operation == "inbox")
    case .done, .partly, .wait: Issue.record("\(outcome)")
    }
  }

  @Test("a refused answer still commits its changes")
  func refusalWithChanges() async throws {
    var adapter = FakeAdapter()
    adapter.onAnswer = { _, _ in
      Answer(
        [.keep(.user, "config", "1")], .refused(EngagementError(.permissionDenied, "no")))
    }
    let (_, values) = try await outcome(adapter)
    #expect(values[.user, "config"] == "1")
  }

  @Test("the runner asks once for a missing credential before it sends")
  func missingCredential() async throws {
    var adapter = FakeAdapter()
    adapter.onStep = { operation, context throws(EngagementError) in
      guard context.credential != nil else { throw EngagementError(.unauthenticated, "none") }
      return get(operation.verb.rawValue)
    }
    let asked = Locked(0)
    let (outcome, _) = try await outcome(adapter) { _ in
      asked.withLock { $0 += 1 }
      return Secret("jwt")
    }
    #expect(outcome == .done && asked.withLock { $0 } == 1)
    let (refused, _) = try await self.outcome(adapter)
    guard case .refused(let error) = refused else { return #expect(Bool(false)) }
    #expect(error.code == .unauthenticated)
  }

  @Test("G15: the runner renews a credential once an operation and refuses a second renewal")
  func oneRenewal() async throws {
    var adapter = FakeAdapter()
    adapter.onAnswer = { _, _ in Answer([], .renew(.credential)) }
    let asked = Locked(0)
    let transport = ScriptedTransport { _ in HTTPResponse(401) }
    let (outcome, _) = try await outcome(adapter, transport) { _ in
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
  func renewalOfRenewal() async throws {
    var adapter = FakeAdapter()
    adapter.onAnswer = { _, _ in Answer([], .renew(.operation(.device(.renew)))) }
    let transport = ScriptedTransport { _ in HTTPResponse(401) }
    let (outcome, _) = try await outcome(adapter, transport)
    guard case .refused(let error) = outcome else { return #expect(Bool(false)) }
    #expect(error.code == .unauthenticated)
    #expect(transport.lines == ["GET /inbox", "GET /device.renew"])
  }

  @Test(
    "a prerequisite and a direct call of the same operation share one request",
    arguments: [Operation.person, .associate("u")])
  func sharedPreparation(needed: Operation) async throws {
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
    let stage = try await stage(adapter, transport)
    async let own = stage.execute(needed)
    await gate.isHolding(1)
    async let inbox = stage.execute(.inbox)
    await stage.isAwaited()
    gate.open()
    #expect(await [own, inbox] == [.done, .done])
    #expect(transport.lines == ["GET /\(needed.verb)", "GET /inbox"])
    try await stage.end()
  }

  @Test(
    "G13: an answer after a user switch is stored for the former user and starts no further step")
  func switchOfUser() async throws {
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
    let stage = try await stage(adapter, transport, user: "u-1")
    async let inbox = stage.execute(.inbox)
    await gate.isHolding(1)
    try await stage.engagement.signIn("u-2")
    gate.open()
    guard case .refused(let error) = await inbox else { return #expect(Bool(false)) }
    #expect(error.code == .signedOut)
    #expect(transport.lines == ["GET /person"])
    #expect(try await stage.engagement.context(of: "fake").values[.user, "person"] == nil)
    try await stage.engagement.signIn("u-1")
    #expect(try await stage.engagement.context(of: "fake").values[.user, "person"] == "p-1")
    try await stage.end()
  }

  @Test("cancelling ends an operation that waits for another operation's prerequisite")
  func cancelled() async throws {
    let gate = Gate()
    var adapter = FakeAdapter()
    adapter.onStep = { operation, _ in
      operation == .inbox ? .first(.person) : get(operation.verb.rawValue)
    }
    let transport = ScriptedTransport { _ in
      await gate.pass()
      return HTTPResponse(200)
    }
    let stage = try await stage(adapter, transport)
    let leader = Task { await stage.execute(.person) }
    await gate.isHolding(1)
    let waiting = Task { await stage.execute(.inbox) }
    await stage.isAwaited()
    waiting.cancel()
    guard case .cancelled(_, let wasSent) = await waiting.value else {
      return #expect(Bool(false))
    }
    #expect(!wasSent)
    gate.open()
    #expect(await leader.value == .done)
    try await stage.end()
  }

  @Test("G15: when the renewing operation is cancelled, a waiting operation renews and continues")
  func cancelledRenewal() async throws {
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
    let stage = try await stage(adapter, transport)
    let leader = Task { await stage.execute(.inbox) }
    await gate.isHolding(1)
    async let other = stage.execute(.events([]))
    await stage.isAwaited()
    leader.cancel()
    gate.open()
    #expect(await other == .done)
    guard case .cancelled = await leader.value else { return #expect(Bool(false)) }
    #expect(renewals.withLock { $0 } == 2)
    try await stage.end()
  }
}

extension Stage {
  fileprivate func execute(_ operation: Operation) async -> OperationRunner.Outcome {
    await engagement.execute(operation, with: "fake")
  }

  /// Waits until an operation waits for what another one does.
  fileprivate func isAwaited() async {
    while engagement.waiting(for: "fake") < 1 { await Task.yield() }
  }
}
