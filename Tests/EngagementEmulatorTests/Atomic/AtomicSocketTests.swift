import EngagementAtomicTools
import EngagementCurl
import EngagementEmulator
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementVendors
import Foundation
import Testing

/// The web socket of the emulated Atomic.
@Suite(.timeLimit(.minutes(20))) struct AtomicSocketTests {
  @Test("X18: a subscription brings the whole feed, and then what comes, changes and goes")
  func updates() async throws {
    try await Stand.runAtomic(cards: [Stand.card("1"), Stand.card("2")]) { stand async throws in
      let phone = AtomicPhone(stand)
      let socket = try phone.authenticatedSocket()
      #expect(try socket.subscribe() == ["1", "2"])
      try await stand.emulator.put(Stand.card("3"), in: "atomic")
      var updates = try socket.updates()
      #expect(updates.map { $0["type"] } == ["update-card"])
      #expect(updates[0]["data"]?["subscriptionId"] == "s1")
      let added = try phone.feed().last
      #expect(updates[0]["data"]?["cardInstance"] == added)
      #expect(updates[0]["data"]?["actionType"] == nil)
      try await stand.emulator.put(
        Stand.card("3", ["metadata": ["title": "New"]]), in: "atomic")
      updates = try socket.updates()
      #expect(updates[0]["data"]?["cardInstance"]?["metadata"]?["title"] == "New")
      try await stand.emulator.remove("1", from: "atomic")
      #expect(try socket.updates() == [Self.removal("1")])
      #expect(try phone.act("dismiss", "2").status == 200)
      #expect(try socket.updates() == [Self.removal("2")])
      #expect(try phone.act("response", "3", ["values": [:]]).status == 200)
      #expect(try socket.updates() == [Self.removal("3")])
    }
  }

  private static func removal(_ id: String, from subscription: String = "s1") -> JSON {
    [
      "type": "remove-card",
      "data": ["cardInstanceId": .string(id), "subscriptionId": .string(subscription)],
    ]
  }

  @Test("a snoozed card goes and comes back by itself, with the action that brought it")
  func unsnooze() async throws {
    try await Stand.runAtomic(cards: [Stand.card("1")]) { stand async throws in
      let phone = AtomicPhone(stand)
      let socket = try phone.authenticatedSocket()
      #expect(try socket.subscribe() == ["1"])
      #expect(try phone.act("snooze", "1", ["interval": "PT60S"]).status == 200)
      #expect(try socket.updates() == [Self.removal("1")])
      await stand.emulator.advanceClock(by: .seconds(60))
      let update = try #require(try socket.updates().first)
      #expect(update["type"] == "update-card" && update["data"]?["actionType"] == "unsnooze")
      let card = try phone.feed().first
      #expect(update["data"]?["cardInstance"] == card)
    }
  }

  @Test("a card comes back, begins and ends while nothing else happens, by the machine's clock")
  func movingClock() async throws {
    let emulator = try await Emulator.start(.init([.atomic]))
    var phone = AtomicPhone(Stand(emulator: emulator))
    phone.token = AtomicPhone.token(
      "user_123", for: 86_400 + (try await Self.difference(of: emulator)))
    let socket = try phone.authenticatedSocket()
    let id = try #require(try socket.subscribe().first)
    #expect(try phone.act("snooze", id, ["interval": "PT0.05S"]).status == 200)
    #expect(try socket.updates() == [Self.removal(id)])
    #expect(try socket.updates().first?["data"]?["actionType"] == "unsnooze")
    await emulator.stop()
  }

  /// How far the vendors' clock is after the start of the other tests.
  private static func difference(of emulator: Emulator) async throws -> Double {
    _ = try RawRequest("GET", "/").send(to: emulator.endpoint(of: "atomic"))
    let time = try #require(await emulator.requests().last?.time)
    return time.timeIntervalSince(Stand.start)
  }

  @Test("two users and two subscriptions each get their own updates")
  func several() async throws {
    let cards = [Stand.card("1", ["metadata": ["priority": 1]]), Stand.card("2")]
    try await Stand.runAtomic(cards: cards) { stand async throws in
      let (phone, other) = (AtomicPhone(stand), AtomicPhone(stand, user: "other"))
      let (first, second) = (try phone.authenticatedSocket(), try other.authenticatedSocket())
      #expect(try first.subscribe(as: "all") == ["1", "2"])
      #expect(try first.subscribe(as: "few", filters: ["metadata.priority__lt": 3]) == ["1"])
      #expect(try second.subscribe() == ["1", "2"])
      #expect(try phone.act("dismiss", "1").status == 200)
      #expect(
        try first.updates() == [Self.removal("1", from: "all"), Self.removal("1", from: "few")])
      first.send("unsubscribe", ["data": ["subscriptionIds": ["all", "unknown"]]])
      // The answer to the ping shows that the message before it was heard.
      first.send("custom-ping")
      #expect(first.next() == ["messageType": "custom-pong"])
      try await stand.emulator.remove("2", from: "atomic")
      first.send("custom-ping")
      #expect(first.next() == ["messageType": "custom-pong"], "its filter never showed the card")
      #expect(try second.updates() == [Self.removal("2")])
    }
  }

  @Test("events are confirmed, and count once over the socket and HTTP together")
  func events() async throws {
    try await Stand.runAtomic { stand async throws in
      let phone = AtomicPhone(stand)
      let socket = try phone.authenticatedSocket()
      let events: JSON = [
        AtomicEventSample.json("e1", card: "1"), AtomicEventSample.custom("e2", "page-viewed"),
      ]
      for _ in 0..<2 {
        socket.send("events", ["data": ["events": events]])
        #expect(
          socket.next() == [
            "messageType": "events-processed", "data": ["eventIds": ["e1", "e2"]],
          ])
      }
      #expect(try phone.call("PUT", "analytics", ["data": events]).status == 200)
      #expect(await stand.emulator.times("card-displayed", of: "1", by: "user_123") == 1)
      #expect(await stand.emulator.times("custom", of: "page-viewed") == 1)
      let recorded = await stand.emulator.requests()
      #expect(recorded.filter { $0.method == "MESSAGE" }.map(\.summary).first == "auth of user_123")
      #expect(!recorded.map { $0.json.encodedText }.joined().contains(phone.token))
    }
  }

  @Test("a token that ends, by the clock or on demand, is told of, and subscriptions end with it")
  func expiry() async throws {
    try await Stand.runAtomic(cards: [Stand.card("1")]) { stand async throws in
      var phone = AtomicPhone(stand)
      let socket = try phone.authenticatedSocket()
      #expect(try socket.subscribe() == ["1"])
      await stand.emulator.advanceClock(by: .seconds(86_400))
      #expect(socket.next() == ["messageType": "token-expiry"])
      socket.send("auth", ["authToken": .string(phone.token)])
      #expect(socket.next()?["data"]?["errorType"] == "expired-token")
      phone.token = AtomicPhone.token("user_123", serial: 1, for: 172_800)
      socket.send("auth", ["authToken": .string(phone.token)])
      #expect(socket.next() == ["messageType": "auth-success"])
      try await stand.emulator.remove("1", from: "atomic")
      #expect(try socket.subscribe() == [], "the former subscription has brought nothing")
      try await stand.emulator.expireCredentials(of: "atomic")
      #expect(socket.next() == ["messageType": "token-expiry"])
      socket.send("auth", ["authToken": .string(phone.token)])
      #expect(socket.next()?["data"]?["errorType"] == "expired-token")
    }
  }

  @Test("messages that need a user are refused before auth, and a ping is answered")
  func beforeAuth() async throws {
    try await Stand.runAtomic { stand async throws in
      let socket = try AtomicPhone(stand).socket()
      for type in ["subscribe", "unsubscribe", "events"] {
        socket.send(type, ["data": [:]])
        #expect(socket.next()?["data"]?["errorType"] == "invalid-token")
      }
      socket.send("custom-ping")
      #expect(socket.next() == ["messageType": "custom-pong"])
    }
  }

  @Test(
    "a malformed message is refused, and the socket stays open",
    arguments: [
      "", "{", "[]", "{\"messageId\":\"m\"}", "{\"messageType\":\"custom-ping\"}",
      "{\"messageType\":\"shout\",\"messageId\":\"m\"}", "{\"messageType\":5,\"messageId\":\"m\"}",
      "{\"messageType\":\"auth\",\"messageId\":\"m\"}",
      "{\"messageType\":\"subscribe\",\"messageId\":\"m\"}",
      "{\"messageType\":\"subscribe\",\"messageId\":\"m\",\"data\":{\"subscriptions\":[{}]}}",
      """
      {"messageType":"subscribe","messageId":"m","data":{"subscriptions":[
      {"subscriptionId":"s1","streamContainerId":"BqWL1sT"},{"streamContainerId":"BqWL1sT"}]}}
      """,
      "{\"messageType\":\"unsubscribe\",\"messageId\":\"m\",\"data\":{\"subscriptionIds\":[5]}}",
      "{\"messageType\":\"events\",\"messageId\":\"m\",\"data\":{\"events\":[{}]}}",
    ])
  func malformed(text: String) async throws {
    try await Stand.runAtomic { stand async throws in
      let socket = try AtomicPhone(stand).authenticatedSocket()
      socket.socket.send(text)
      let error = try #require(socket.next())
      #expect(error["messageType"] == "error" && error["data"]?["errorType"] == "invalid-message")
      // A message that is refused subscribes to nothing.
      try await stand.emulator.put(Stand.card("1"), in: "atomic")
      socket.send("custom-ping")
      #expect(socket.next() == ["messageType": "custom-pong"])
    }
  }

  @Test("a wrong container refuses its subscription alone")
  func wrongContainer() async throws {
    try await Stand.runAtomic(cards: [Stand.card("1")]) { stand async throws in
      let socket = try AtomicPhone(stand).authenticatedSocket()
      let subscriptions: JSON = [
        ["subscriptionId": "s1", "streamContainerId": "no container"],
        ["subscriptionId": "s2", "streamContainerId": "BqWL1sT"],
      ]
      socket.send("subscribe", ["data": ["subscriptions": subscriptions]])
      let error = try #require(socket.next()?["data"])
      #expect(error["errorType"] == "invalid-stream-container-id")
      #expect(error["subscriptionId"] == "s1")
      #expect(try socket.updates().first?["data"]?["subscriptionId"] == "s2")
    }
  }

  @Test("the socket wants its query, is at two paths, and is refused when it is off")
  func upgrade() async throws {
    try await Stand.runAtomic { stand async throws in
      func status(_ target: String) throws -> Int {
        try RawSocket.handshake(target).send(to: stand.atomic).status
      }
      #expect(try status("/env-1/socket") == 401)
      #expect(try status("/env-1/socket?api-key=key") == 400)
      #expect(try status("/a/b/socket?\(AtomicPhone.query)") == 404)
      let socket = try AtomicPhone(stand).socket("/socket")
      socket.send("custom-ping")
      #expect(socket.next() == ["messageType": "custom-pong"])
      try await stand.emulator.configure("atomic", ["answerPings": false, "socket": false])
      #expect(try status("/env-1/socket?\(AtomicPhone.query)") == 503)
      socket.send("custom-ping")
      socket.send("shout")
      #expect(socket.next()?["messageType"] == "error", "the ping has no answer")
    }
  }

  @Test("a client of this package opens the socket, subscribes and gets an update")
  func client() async throws {
    try await Stand.runAtomic(cards: [Stand.card("1")]) { stand async throws in
      var configuration = CurlTransport.Configuration()
      configuration.proxy = .none
      let transport = CurlTransport(configuration)
      let url = stand.atomic.replacing("http:", with: "ws:")
      let socket = try await transport.connect(
        HTTPRequest(.get, "\(url)/env-1/socket?\(AtomicPhone.query)"))
      func next() async throws -> JSON? {
        guard case .message(.text(let text)) = try await socket.receive() else { return nil }
        return try? JSON(parsing: Array(text.utf8))
      }
      func send(_ message: JSON) async throws {
        try await socket.send(.text(message.encodedText))
      }
      let token = JSON.string(AtomicPhone(stand).token)
      try await send(["messageType": "auth", "authToken": token, "messageId": "m1"])
      #expect(try await next() == ["messageType": "auth-success"])
      try await send([
        "messageType": "subscribe", "messageId": "m2",
        "data": [
          "subscriptions": [["subscriptionId": "s1", "streamContainerId": "BqWL1sT"]]
        ],
      ])
      #expect(try await next()?["messageType"] == "update-cards")
      try await stand.emulator.remove("1", from: "atomic")
      #expect(try await next()?["data"]?["updates"] == [Self.removal("1")])
      await socket.close(.normal)
      while await !stand.emulator.sockets().isEmpty { await Task.yield() }
    }
  }
}
