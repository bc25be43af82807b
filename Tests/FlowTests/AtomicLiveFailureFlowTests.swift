import EngagementAdapterAPI
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import OutlineAdapters
import Testing

/// Flow 11: the socket when something goes wrong.
@Suite(.timeLimit(.minutes(20))) struct AtomicLiveFailureFlowTests {
  private let clock = TestClock()
  private let fellBack = #"record provider.failed {"path":"env-1/socket","statusCode":0}"#

  // MARK: The token ends

  @Test(
    "flow 11: a token that ends is replaced and every feed subscribed to again (A2, A3)",
    arguments: [
      #"{"messageType":"token-expiry"}"#,
      #"{"messageType":"error","data":{"errorType":"expired-token","errorMessage":"Expired"}}"#,
      #"{"messageType":"error","data":{"errorType":"invalid-token"}}"#,
    ])
  func expiry(_ message: String) async throws { try await flowExpiry(.whole, message) }

  @Test("flow 11: replacing a token needs a conversation that may ask for one")
  func expiryNeedsAsking() async {
    await withKnownIssue {
      try await flowExpiry(
        .withoutAction { $0 == .renewCredential }, #"{"messageType":"token-expiry"}"#)
    }
  }

  private func flowExpiry(_ door: Door, _ message: String) async throws {
    let new = AtomicFixtures.token(ending: .seconds(7200))
    let application = AtomicApplication(.success(new))
    var script = try script(door, application)
    await script.begin()
    _ = (script.takeDone(), script.takeSaid())
    await script.hear(message)
    #expect(script.takeDone() == ["ask", "say auth", "timer authentication 7s"])
    #expect(await application.asked == ["u-1"])
    await script.hear(#"{"messageType":"auth-success"}"#)
    #expect(
      script.takeDone() == ["cancel authentication", "say subscribe", "timer pulse 30s"])
    let said = script.takeSaid()
    #expect(said.first?["authToken"] == .string(new.revealed))
    #expect(
      said.last?["data"]?["subscriptions"]?.array?.map { $0["streamContainerId"] } == ["BqWL1sT"])
  }

  @Test(
    "flow 11: without a good token the socket is given up, and no other token is sent (A2, G13)")
  func badToken() async throws {
    for answer in [nil, AtomicFixtures.token("u-2"), AtomicFixtures.token(ending: .seconds(1))] {
      let application = AtomicApplication(.success(answer))
      var script = try script(.whole, application)
      script.memory.setCredential(nil)
      await script.happen(.started)
      await script.happen(.opened)
      #expect(
        script.takeDone() == [
          "connect", "ask", "close 3001", fellBack, "poll 15s", "timer connect 135s",
        ])
      #expect(script.takeSaid().isEmpty)
    }
  }

  @Test("flow 11: a server that refuses each new token does not drive the application (G6)")
  func refusedAgain() async throws {
    let application = AtomicApplication(.success(AtomicFixtures.token(ending: .seconds(7200))))
    var script = try script(.whole, application)
    await script.happen(.started)
    await script.happen(.opened)
    let refusal = #"{"messageType":"error","data":{"errorType":"invalid-token"}}"#
    await script.hear(refusal)
    await script.hear(refusal)
    #expect(
      script.takeDone().suffix(5) == [
        "close 3001", "cancel authentication", fellBack, "poll 15s", "timer connect 135s",
      ])
    #expect(await application.asked.count == 1)
  }

  @Test("flow 11: a server that does not answer the token within seven seconds is given up (A3)")
  func authenticationTimesOut() async throws {
    var script = try script(.whole)
    await script.happen(.started)
    await script.happen(.opened)
    _ = script.takeDone()
    await script.advance(by: .milliseconds(6999))
    #expect(script.takeDone().isEmpty)
    await script.advance(by: .milliseconds(1))
    #expect(script.takeDone() == ["close 3001", fellBack, "poll 15s", "timer connect 135s"])
  }

  // MARK: Denied, polling, back

  @Test(
    "flow 11: a denied socket falls back to asking over HTTP and is tried again after nine turns (A3, A26, A28)"
  )
  func denied() async throws { try await flowDenied(.whole) }

  @Test("flow 11: falling back needs a conversation that may have HTTP asked")
  func deniedNeedsPolling() async {
    await withKnownIssue {
      try await flowDenied(.withoutAction { if case .poll = $0 { true } else { false } })
    }
  }

  @Test("flow 11: coming back needs timers")
  func deniedNeedsTimers() async {
    await withKnownIssue {
      try await flowDenied(.withoutAction { if case .timer = $0 { true } else { false } })
    }
  }

  private func flowDenied(_ door: Door) async throws {
    let transport = ScriptedTransport([
      AtomicFixtures.feedLine: [AtomicFixtures.feed([AtomicFixtures.card("c1")])]
    ])
    var script = try script(door, transport: transport)
    await script.happen(.showing([AtomicFixtures.feed]))
    await script.happen(.started)
    await script.happen(.closed(code: 1006))
    #expect(script.takeDone() == ["connect", fellBack, "poll 15s", "timer connect 135s"])
    #expect(script.memory.cards(in: AtomicFixtures.feed).map(\.id.value) == ["c1"])
    await script.advance(by: .seconds(134))
    #expect(transport.requests.count == 9)
    #expect(script.takeDone().isEmpty)
    await script.advance(by: .seconds(1))
    #expect(script.takeDone() == ["connect"])
    // The turns go on until the socket is in, and then end.
    await script.happen(.opened)
    await script.hear(#"{"messageType":"auth-success"}"#)
    #expect(
      script.takeDone() == [
        "say auth", "timer authentication 7s", "cancel authentication", "poll never",
        "say subscribe", "timer pulse 30s",
      ])
    let asked = transport.requests.count
    await script.advance(by: .seconds(29))
    #expect(transport.requests.count == asked)
  }

  @Test("flow 11: a feed that comes up while there is no socket is asked for at once (A3, A8)")
  func shownWhilePolling() async throws {
    let transport = ScriptedTransport { _ in AtomicFixtures.feed([]) }
    var script = try script(.whole, transport: transport)
    await script.happen(.started)
    await script.happen(.closed(code: 1006))
    #expect(transport.requests.isEmpty)
    await script.happen(.showing([AtomicFixtures.feed]))
    #expect(transport.lines == [AtomicFixtures.feedLine])
    await script.happen(.showing([AtomicFixtures.feed]))
    #expect(transport.requests.count == 1)
  }

  @Test("flow 11: a feed that the server refuses is tried three more times (A3)")
  func subscriptionRefused() async throws {
    var script = try script(.whole)
    await script.begin()
    let refusal =
      #"{"messageType":"error","data":{"errorType":"invalid-filter","subscriptionId":"s1"}}"#
    for _ in 1...3 {
      _ = script.takeDone()
      await script.hear(refusal)
      #expect(script.takeDone() == ["say subscribe"])
    }
    await script.hear(refusal)
    #expect(
      script.takeDone() == [
        "close 3001", "cancel pulse", fellBack, "poll 15s", "timer connect 135s",
      ])
  }

  @Test("flow 11: where polling is off, the socket is tried again all the same (A5)")
  func withoutPolling() async throws {
    var script = try script(.whole, poll: .zero)
    await script.happen(.started)
    await script.happen(.closed(code: 1006))
    #expect(script.takeDone() == ["connect", fellBack, "timer connect 135s"])
  }

  // MARK: Close codes

  @Test(
    "flow 11: a server in trouble is tried again after 0.1, 15 and 60 s, and then HTTP is asked (A3)"
  )
  func troubledServer() async throws {
    var script = try script(.whole)
    await script.happen(.started)
    for delay in ["100ms", "15s", "60s"] {
      await script.happen(.opened)
      _ = script.takeDone()
      await script.happen(.closed(code: 1011))
      #expect(script.takeDone() == ["cancel authentication", "timer connect \(delay)"])
      await script.advance(by: .seconds(60))
      #expect(script.takeDone() == ["connect"])
    }
    await script.happen(.closed(code: 1011))
    #expect(script.takeDone() == [fellBack, "poll 15s", "timer connect 135s"])
  }

  @Test("flow 11: a socket that has stood for half a minute begins its back-off anew (A3)")
  func backOffEnds() async throws {
    var script = try script(.whole)
    await script.begin()
    await script.happen(.closed(code: 1011))
    await script.advance(by: .milliseconds(100))
    await script.happen(.opened)
    await script.hear(#"{"messageType":"auth-success"}"#)
    await script.advance(by: .seconds(30))
    _ = script.takeDone()
    await script.happen(.closed(code: 1011))
    #expect(script.takeDone() == ["cancel pulse", "timer connect 100ms"])
  }

  @Test(
    "flow 11: any other end of a socket leads to HTTP at once (A3)",
    arguments: [1000, 1001, 1006, 1008, 1013, 4000] as [UInt16])
  func otherCodes(_ code: UInt16) async throws {
    var script = try script(.whole)
    await script.begin()
    _ = script.takeDone()
    await script.happen(.closed(code: code))
    #expect(
      script.takeDone() == ["cancel pulse", fellBack, "poll 15s", "timer connect 135s"])
  }

  // MARK: The application's wish

  @Test("flow 11: the socket is switched off and on while it runs (A3)")
  func switched() async throws {
    let transport = ScriptedTransport { _ in AtomicFixtures.feed([]) }
    var script = try script(.whole, transport: transport)
    await script.begin()
    _ = script.takeDone()
    await script.happen(.allowed(false))
    #expect(script.takeDone() == ["close 3001", "cancel pulse", "poll 15s"])
    await script.advance(by: .seconds(600))
    #expect(script.takeDone().isEmpty, "The choice lasts.")
    #expect(transport.requests.count == 41)
    await script.happen(.allowed(true))
    #expect(script.takeDone() == ["connect"])
  }

  @Test("flow 11: a socket that is not wanted is not opened (A3)")
  func switchedOffBefore() async throws {
    var script = try script(.whole)
    await script.happen(.allowed(false))
    await script.happen(.started)
    #expect(script.takeDone() == ["poll 15s"])
    await script.happen(.allowed(true))
    #expect(script.takeDone() == ["connect"])
  }

  @Test("flow 11: in the background the socket ends, and nothing follows (A3)")
  func background() async throws {
    var script = try script(.whole)
    await script.begin()
    _ = script.takeDone()
    await script.happen(.ended)
    #expect(script.takeDone() == ["close 3004", "cancel pulse"])
    await script.happen(.started)
    await script.happen(.showing([]))
    await script.advance(by: .seconds(3600))
    #expect(script.takeDone().isEmpty)
  }

  @Test("flow 11: a conversation ends when its user is no longer the one (A4, G13)")
  func anotherUser() async throws {
    var script = try script(.whole)
    await script.begin()
    _ = (script.takeDone(), script.takeSaid())
    await script.memory.signIn("u-2", Exchange(script.memory.adapter, in: script.memory))
    script.memory.setCredential(AtomicFixtures.token("u-2"))
    await script.hear(#"{"messageType":"token-expiry"}"#)
    #expect(script.takeDone() == ["close 3003", "cancel pulse"])
    #expect(script.takeSaid().isEmpty)
  }

  // MARK: Is anybody there

  @Test(
    "flow 11: after 30 s of silence a ping is sent, and after 30 more the peer is given up (A3, G20)"
  )
  func silence() async throws {
    var script = try script(.whole)
    await script.begin()
    await script.advance(by: .seconds(20))
    await script.hear(#"{"messageType":"events-processed","data":{"eventIds":[]}}"#)
    _ = (script.takeDone(), script.takeSaid())
    await script.advance(by: .seconds(29))
    // Looked at after 30 s, when 20 of the silence were left.
    #expect(script.takeDone() == ["timer pulse 20s"])
    await script.advance(by: .seconds(1))
    #expect(script.takeDone() == ["say custom-ping", "timer pulse 30s"])
    #expect(script.takeSaid() == [["messageType": "custom-ping"]])
    await script.hear(#"{"messageType":"custom-pong"}"#)
    await script.advance(by: .seconds(30))
    #expect(script.takeDone() == ["say custom-ping", "timer pulse 30s"])
    await script.advance(by: .seconds(30))
    #expect(script.takeDone() == ["close 3000", fellBack, "poll 15s", "timer connect 135s"])
  }

  @Test(
    "flow 11: a peer that was not heard for 65 s is gone, however long the device slept (A3, G20)")
  func stale() async throws {
    var script = try script(.whole)
    await script.begin()
    _ = script.takeDone()
    await script.sleep(for: .seconds(65))
    #expect(script.takeDone() == ["close 3000", fellBack, "poll 15s", "timer connect 135s"])

    var other = try self.script(.whole)
    await other.begin()
    _ = other.takeDone()
    clock.advance(by: .seconds(65))
    await other.happen(.showing([]))
    #expect(other.takeDone().first == "close 3000")
  }

  private func script(
    _ door: Door, _ application: AtomicApplication = AtomicApplication(.success(nil)),
    transport: ScriptedTransport = ScriptedTransport([:]), poll: Duration = .seconds(15)
  ) throws -> AtomicLiveScript {
    let memory = door.memory(
      try AtomicFixtures.adapter(poll: poll), user: "u-1", transport: transport, clock: clock
    ) { (user) async throws(EngagementError) in try await application.token(for: user) }
    memory.setCredential(AtomicFixtures.token())
    return try #require(AtomicLiveScript(memory, door.roads(in: memory), clock: clock))
  }
}
