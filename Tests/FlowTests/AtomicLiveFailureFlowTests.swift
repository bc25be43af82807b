import AtomicFixtures
import EngagementAdapterAPI
import EngagementAtomic
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import Testing

/// Flow 11: the socket when something goes wrong.
@Suite(.timeLimit(.minutes(20))) struct AtomicLiveFailureFlowTests {
  private let fellBack = #"record provider.fallback {"path":"env-1/socket"}"#
  private let refused = #"record provider.failed {"path":"env-1/socket","statusCode":0}"#

  // MARK: The token ends

  @Test(
    "flow 11 A2 A3: the socket replaces an expired token and subscribes to every feed again",
    arguments: [
      #"{"messageType":"token-expiry"}"#,
      #"{"messageType":"error","data":{"errorType":"expired-token","errorMessage":"Expired"}}"#,
      #"{"messageType":"error","data":{"errorType":"invalid-token"}}"#,
    ])
  func expiry(_ message: String) async throws { try await flowExpiry(.complete, message) }

  @Test("flow 11: the expired token flow fails when the conversation may not ask for a credential")
  func expiryNeedsAsking() async {
    await withKnownIssue {
      try await flowExpiry(
        .withoutAction { $0 == .renewCredential }, #"{"messageType":"token-expiry"}"#)
    }
  }

  private func flowExpiry(_ variant: KitVariant, _ message: String) async throws {
    let new = AtomicSamples.token(ending: .seconds(7200))
    let application = AtomicApplication(.success(new))
    var script = try await AtomicLiveScript(variant, asking: application)
    try await script.begin()
    _ = (script.takeDone(), script.takeSaid())
    try await script.hear(message)
    #expect(script.takeDone() == ["ask", "say auth", "timer authentication 7s"])
    #expect(await application.asked == ["u-1"])
    try await script.hear(#"{"messageType":"auth-success"}"#)
    #expect(
      script.takeDone() == ["cancel authentication", "say subscribe", "timer pulse 30s"])
    let said = script.takeSaid()
    #expect(said.first?["authToken"] == .string(new.revealed))
    #expect(
      said.last?["data"]?["subscriptions"]?.array?.map { $0["streamContainerId"] } == ["BqWL1sT"])
    try await script.scene.end()
  }

  @Test(
    "flow 11 A2 G13: the socket closes instead of sending another user's or an expired token")
  func badToken() async throws {
    for answer in [nil, AtomicSamples.token("u-2"), AtomicSamples.token(ending: .seconds(1))] {
      let application = AtomicApplication(.success(answer))
      var script = try await AtomicLiveScript(holding: nil, asking: application)
      try await script.happen(.started)
      try await script.happen(.opened)
      #expect(
        script.takeDone() == [
          "connect", "ask", "close 3001", fellBack, "poll 15s", "timer connect 135s",
        ])
      #expect(script.takeSaid().isEmpty)
      try await script.scene.end()
    }
  }

  @Test(
    "flow 11 G6: a server that refuses each new token makes the kit ask the application only once")
  func refusedAgain() async throws {
    let application = AtomicApplication(.success(AtomicSamples.token(ending: .seconds(7200))))
    var script = try await AtomicLiveScript(asking: application)
    try await script.happen(.started)
    try await script.happen(.opened)
    let refusal = #"{"messageType":"error","data":{"errorType":"invalid-token"}}"#
    try await script.hear(refusal)
    try await script.hear(refusal)
    #expect(
      script.takeDone().suffix(5) == [
        "close 3001", "cancel authentication", refused, "poll 15s", "timer connect 135s",
      ])
    #expect(await application.asked.count == 1)
    try await script.scene.end()
  }

  @Test("flow 11 A3: the socket closes if the server leaves the token unanswered for seven seconds")
  func authenticationTimesOut() async throws {
    var script = try await AtomicLiveScript()
    try await script.happen(.started)
    try await script.happen(.opened)
    _ = script.takeDone()
    try await script.advance(by: .milliseconds(6999))
    #expect(script.takeDone().isEmpty)
    try await script.advance(by: .milliseconds(1))
    #expect(script.takeDone() == ["close 3001", fellBack, "poll 15s", "timer connect 135s"])
    try await script.scene.end()
  }

  // MARK: Denied, polling, back

  @Test(
    "flow 11 A3 A26 A28: a denied socket falls back to polling and connects again after nine polls"
  )
  func denied() async throws { try await flowDenied(.complete) }

  @Test("flow 11: the denied socket flow fails when the conversation may not poll")
  func deniedNeedsPolling() async {
    await withKnownIssue {
      try await flowDenied(.withoutAction { if case .poll = $0 { true } else { false } })
    }
  }

  @Test("flow 11: the denied socket flow fails without timers")
  func deniedNeedsTimers() async {
    await withKnownIssue {
      try await flowDenied(.withoutAction { if case .timer = $0 { true } else { false } })
    }
  }

  private func flowDenied(_ variant: KitVariant) async throws {
    let transport = ScriptedTransport([
      AtomicSamples.feedLine: [AtomicSamples.feed([AtomicSamples.card("c1")])]
    ])
    var script = try await AtomicLiveScript(variant, transport)
    try await script.happen(.showing([AtomicSamples.feed]))
    try await script.happen(.started)
    try await script.happen(.closed(code: 1006))
    #expect(script.takeDone() == ["connect", fellBack, "poll 15s", "timer connect 135s"])
    #expect(script.ids() == ["c1"])
    try await script.advance(by: .seconds(134))
    #expect(transport.requests.count == 9)
    #expect(script.takeDone().isEmpty)
    try await script.advance(by: .seconds(1))
    #expect(script.takeDone() == ["connect"])
    // The turns go on until the socket is in, and then end.
    try await script.happen(.opened)
    try await script.hear(#"{"messageType":"auth-success"}"#)
    #expect(
      script.takeDone() == [
        "say auth", "timer authentication 7s", "cancel authentication", "poll never",
        "say subscribe", "timer pulse 30s",
      ])
    let asked = transport.requests.count
    try await script.advance(by: .seconds(29))
    #expect(transport.requests.count == asked)
    try await script.scene.end()
  }

  @Test("flow 11 A3 A8: a feed shown while the socket is closed is polled at once")
  func shownWhilePolling() async throws {
    let transport = ScriptedTransport { _ in AtomicSamples.feed([]) }
    var script = try await AtomicLiveScript(.complete, transport)
    try await script.happen(.started)
    try await script.happen(.closed(code: 1006))
    #expect(transport.requests.isEmpty)
    try await script.happen(.showing([AtomicSamples.feed]))
    #expect(transport.lines == [AtomicSamples.feedLine])
    try await script.happen(.showing([AtomicSamples.feed]))
    #expect(transport.requests.count == 1)
    try await script.scene.end()
  }

  @Test(
    "flow 11 A3: a refused subscription is retried three times, then the socket falls back to polling"
  )
  func subscriptionRefused() async throws {
    var script = try await AtomicLiveScript()
    try await script.begin()
    let refusal =
      #"{"messageType":"error","data":{"errorType":"invalid-filter","subscriptionId":"s1"}}"#
    for _ in 1...3 {
      _ = script.takeDone()
      try await script.hear(refusal)
      #expect(script.takeDone() == ["say subscribe"])
    }
    try await script.hear(refusal)
    #expect(
      script.takeDone() == [
        "close 3001", "cancel pulse", refused, "poll 15s", "timer connect 135s",
      ])
    try await script.scene.end()
  }

  @Test("flow 11 A3: a refusal that names only the message is one of what the message asked for")
  func messageRefused() async throws {
    var script = try await AtomicLiveScript()
    try await script.begin()
    _ = script.takeDone()
    let asked = try #require(script.messageIDs.last)
    func refusal(_ id: String) -> String {
      #"{"messageType":"error","data":{"errorType":"invalid-filter","messageId":"\#(id)"}}"#
    }
    try await script.hear(refusal(asked))
    #expect(script.takeDone() == ["say subscribe"])
    try await script.hear(refusal("another"))
    #expect(
      script.takeDone() == [
        "close 3001", "cancel pulse", refused, "poll 15s", "timer connect 135s",
      ])
    try await script.scene.end()
  }

  @Test("flow 11 A5: a closed socket connects again even if polling is off")
  func withoutPolling() async throws {
    var script = try await AtomicLiveScript(poll: .zero)
    try await script.happen(.started)
    try await script.happen(.closed(code: 1006))
    #expect(script.takeDone() == ["connect", fellBack, "timer connect 135s"])
    try await script.scene.end()
  }

  // MARK: Close codes

  @Test(
    "flow 11 A3: after close code 1011 the socket retries after 0.1, 15 and 60 s, then falls back to polling"
  )
  func troubledServer() async throws {
    var script = try await AtomicLiveScript()
    try await script.happen(.started)
    for delay in ["100ms", "15s", "60s"] {
      try await script.happen(.opened)
      _ = script.takeDone()
      try await script.happen(.closed(code: 1011))
      #expect(script.takeDone() == ["cancel authentication", "timer connect \(delay)"])
      try await script.advance(by: .seconds(60))
      #expect(script.takeDone() == ["connect"])
    }
    try await script.happen(.closed(code: 1011))
    #expect(script.takeDone() == [refused, "poll 15s", "timer connect 135s"])
    try await script.scene.end()
  }

  @Test("flow 11 A3: a socket that stayed open for 30 s restarts its backoff")
  func backOffEnds() async throws {
    var script = try await AtomicLiveScript()
    try await script.begin()
    try await script.happen(.closed(code: 1011))
    try await script.advance(by: .milliseconds(100))
    try await script.happen(.opened)
    try await script.hear(#"{"messageType":"auth-success"}"#)
    try await script.advance(by: .seconds(30))
    _ = script.takeDone()
    try await script.happen(.closed(code: 1011))
    #expect(script.takeDone() == ["cancel pulse", "timer connect 100ms"])
    try await script.scene.end()
  }

  @Test(
    "flow 11 A3: any other close code falls back to polling at once",
    arguments: [1000, 1001, 1006, 1008, 1013, 4000] as [UInt16])
  func otherCodes(_ code: UInt16) async throws {
    var script = try await AtomicLiveScript()
    try await script.begin()
    _ = script.takeDone()
    try await script.happen(.closed(code: code))
    #expect(
      script.takeDone() == [
        "cancel pulse", code == 1006 ? fellBack : refused, "poll 15s", "timer connect 135s",
      ])
    try await script.scene.end()
  }

  // MARK: The application's wish

  @Test("flow 11 A3: the application switches the socket off and on while it runs")
  func switched() async throws {
    let transport = ScriptedTransport { _ in AtomicSamples.feed([]) }
    var script = try await AtomicLiveScript(.complete, transport)
    try await script.begin()
    _ = script.takeDone()
    try await script.happen(.allowed(false))
    #expect(script.takeDone() == ["close 3001", "cancel pulse", "poll 15s"])
    try await script.advance(by: .seconds(600))
    #expect(script.takeDone().isEmpty, "The choice lasts.")
    #expect(transport.requests.count == 41)
    try await script.happen(.allowed(true))
    #expect(script.takeDone() == ["connect"])
    try await script.scene.end()
  }

  @Test("flow 11 A3: a socket switched off before the start stays closed until it is switched on")
  func switchedOffBefore() async throws {
    var script = try await AtomicLiveScript()
    try await script.happen(.allowed(false))
    try await script.happen(.started)
    #expect(script.takeDone() == ["poll 15s"])
    try await script.happen(.allowed(true))
    #expect(script.takeDone() == ["connect"])
    try await script.scene.end()
  }

  @Test("flow 11 A3: the socket closes in the background, and nothing happens afterwards")
  func background() async throws {
    var script = try await AtomicLiveScript()
    try await script.begin()
    _ = script.takeDone()
    try await script.happen(.ended(.background))
    #expect(script.takeDone() == ["close 3004", "cancel pulse"])
    try await script.happen(.started)
    try await script.happen(.showing([]))
    try await script.advance(by: .seconds(3600))
    #expect(script.takeDone().isEmpty)
    try await script.scene.end()
  }

  @Test("flow 11 A4 G13: a conversation ends when another user signs in")
  func anotherUser() async throws {
    var script = try await AtomicLiveScript()
    try await script.begin()
    _ = (script.takeDone(), script.takeSaid())
    try await script.scene.engagement.signIn("u-2") { _ in AtomicSamples.token("u-2") }
    try await script.scene.engagement.renewCredential(of: "atomic")
    try await script.hear(#"{"messageType":"token-expiry"}"#)
    #expect(script.takeDone() == ["close 3003", "cancel pulse"])
    #expect(script.takeSaid().isEmpty)
    try await script.scene.end()
  }

  // MARK: Is anybody there

  @Test(
    "flow 11 A3 G20: the socket pings after 30 s of silence and closes after 30 s more"
  )
  func silence() async throws {
    var script = try await AtomicLiveScript()
    try await script.begin()
    try await script.advance(by: .seconds(20))
    try await script.hear(#"{"messageType":"events-processed","data":{"eventIds":[]}}"#)
    _ = (script.takeDone(), script.takeSaid())
    try await script.advance(by: .seconds(29))
    // Looked at after 30 s, when 20 of the silence were left.
    #expect(script.takeDone() == ["timer pulse 20s"])
    try await script.advance(by: .seconds(1))
    #expect(script.takeDone() == ["say custom-ping", "timer pulse 30s"])
    #expect(script.takeSaid() == [["messageType": "custom-ping"]])
    try await script.hear(#"{"messageType":"custom-pong"}"#)
    try await script.advance(by: .seconds(30))
    #expect(script.takeDone() == ["say custom-ping", "timer pulse 30s"])
    try await script.advance(by: .seconds(30))
    #expect(script.takeDone() == ["close 3000", fellBack, "poll 15s", "timer connect 135s"])
    try await script.scene.end()
  }

  @Test(
    "flow 11 A3 G20: the socket closes after 65 s of silence, device sleep included")
  func stale() async throws {
    var script = try await AtomicLiveScript()
    try await script.begin()
    _ = script.takeDone()
    try await script.sleep(for: .seconds(65))
    #expect(script.takeDone() == ["close 3000", fellBack, "poll 15s", "timer connect 135s"])

    var other = try await AtomicLiveScript()
    try await other.begin()
    _ = other.takeDone()
    other.scene.clock.advance(by: .seconds(65))
    try await other.happen(.showing([]))
    #expect(other.takeDone().first == "close 3000")
    try await script.scene.end()
    try await other.scene.end()
  }
}
