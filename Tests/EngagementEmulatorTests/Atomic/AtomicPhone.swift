import EngagementEmulator
import EngagementFormats
import EngagementJSON
import EngagementModel
import Foundation
import Testing

/// A client of the emulated Atomic: a user with a token, and every header of the vendor's clients.
struct AtomicPhone {
  let stand: Stand
  var user = "user_123"
  var token: String

  init(_ stand: Stand, user: String = "user_123") {
    self.stand = stand
    self.user = user
    token = Self.token(user)
  }

  // MARK: Tokens

  /// A token of one day.
  static func token(_ user: String, serial: Int64 = 0, for seconds: Double = 86_400) -> String {
    token([
      "sub": .string(user), "exp": .number(Stand.start.timeIntervalSince1970 + seconds),
      "jti": .integer(serial),
    ])
  }

  static func token(_ claims: JSON) -> String {
    let parts = [["alg": "RS256", "typ": "JWT"], claims].map { Base64URL.text(of: $0.encoded()) }
    return "\(parts[0]).\(parts[1]).c2lnbmF0dXJl"
  }

  // MARK: Requests

  private static let values = [
    "platform": "Web", "version": "1.5.0", "timezone": "Pacific/Auckland", "device": "Tests",
    "instance-id": "7c7f", "client-app-version": "unknown",
  ]

  static let headers =
    [
      ("Content-Type", "application/json"), ("x-atomic-sdk-api-key", "key"),
    ] + values.map { ("x-atomic-sdk-\($0.key)", $0.value) }

  static let query = values.reduce("api-key=key") {
    "\($0)&x-atomic-sdk-\($1.key)=\($1.value.replacing("/", with: "%2F"))"
  }

  func request(_ method: String, _ path: String, _ body: JSON? = nil) -> RawRequest {
    var request = RawRequest(method, "/env-1/\(path)", body)
    request.headers = Self.headers + [("Authorization", "Bearer \(token)")]
    return request
  }

  func call(_ method: String, _ path: String, _ body: JSON? = nil) throws -> RawAnswer {
    try request(method, path, body).send(to: stand.atomic)
  }

  func feed(_ container: String = "BqWL1sT", filters: String? = nil) throws -> [JSON] {
    let query = filters.map { "?filters=\($0)" } ?? ""
    let answer = try call("GET", "feed/\(container)\(query)")
    #expect(answer.status == 200)
    let cards = try #require(answer.json?["cardInstances"]?.array)
    #expect(answer.json?["metadata"] == ["totalCards": .integer(Int64(cards.count))])
    return cards
  }

  /// The ids of the cards in a feed.
  func ids(_ container: String = "BqWL1sT", filters: String? = nil) throws -> [String] {
    try feed(container, filters: filters).map(\.instanceID)
  }

  func act(_ verb: String, _ id: String, _ more: JSON = [:]) throws -> RawAnswer {
    var body: JSONObject = ["streamContainerId": "BqWL1sT", "cardInstanceId": .string(id)]
    for member in more.object?.members ?? [] { body[member.key] = member.value }
    return try call("POST", verb, .object(body))
  }

  // MARK: The socket

  func socket(_ path: String = "/env-1/socket") throws -> AtomicSocketClient {
    AtomicSocketClient(socket: try RawSocket(stand.atomic, "\(path)?\(Self.query)"))
  }

  /// A socket whose user is known.
  func authenticatedSocket() throws -> AtomicSocketClient {
    let socket = try socket()
    socket.send("auth", ["authToken": .string(token)])
    #expect(socket.next() == ["messageType": "auth-success"])
    return socket
  }
}

/// The messages of a client on its socket.
struct AtomicSocketClient {
  let socket: RawSocket

  func send(_ type: String, _ more: JSON = [:]) {
    var message: JSONObject = ["messageType": .string(type), "messageId": "m1"]
    for member in more.object?.members ?? [] { message[member.key] = member.value }
    socket.send(JSON.object(message).encodedText)
  }

  /// The next message; nil after the end.
  func next() -> JSON? { socket.text().flatMap { try? JSON(parsing: Array($0.utf8)) } }

  /// The updates of the next message.
  func updates() throws -> [JSON] {
    let message = try #require(next())
    #expect(message["messageType"] == "update-cards", "\(message)")
    return try #require(message["data"]?["updates"]?.array)
  }

  /// Subscribes to a container and returns the ids of its cards.
  func subscribe(
    _ container: String = "BqWL1sT", as id: String = "s1", filters: JSON? = nil
  ) throws -> [String] {
    var subscription: JSONObject = [
      "subscriptionId": .string(id), "streamContainerId": .string(container),
    ]
    subscription["filters"] = filters
    send("subscribe", ["data": ["subscriptions": [.object(subscription)]]])
    let message = try #require(next())
    #expect(message["messageType"] == "update-cards", "\(message)")
    let updates = try #require(message["data"]?["updates"]?.array)
    #expect(updates.map { $0["type"] } == ["replace-feed"])
    #expect(updates[0]["data"]?["subscriptionId"] == .string(id))
    let feed = try #require(updates[0]["data"]?["cardInstances"])
    let cards = try #require(feed["instances"]?.array)
    #expect(feed["totalCards"]?.integer == Int64(cards.count))
    let totals = message["data"]?["meta"]?["subscriptions"]?[id]
    #expect(totals == ["totalCards": .integer(Int64(cards.count))])
    return cards.map(\.instanceID)
  }
}

extension JSON {
  /// The id of a card.
  var instanceID: String { self["instance"]?["id"]?.string ?? "" }
}

extension Stand {
  var atomic: String { emulator.endpoint(of: "atomic") }

  /// Runs a test with an emulated Atomic that has no cards but those of the test.
  static func runAtomic(
    cards: [JSON] = [], faults: JSON? = nil, _ body: (Stand) async throws -> Void
  ) async throws {
    try await run(vendors: ["atomic"], faults: faults) { stand async throws in
      for item in try await stand.emulator.items(of: "atomic") {
        _ = try await stand.emulator.remove(item.instanceID, from: "atomic")
      }
      for card in cards { try await stand.emulator.put(card, in: "atomic") }
      try await body(stand)
    }
  }

  /// A card of the emulated Atomic.
  static func card(_ id: String, _ more: JSON = [:], options: JSON = [:]) -> JSON {
    var card: JSONObject = ["instance": ["id": .string(id)]]
    if options != [:] { card["payload"] = ["cardOptions": options] }
    for member in more.object?.members ?? [] { card[member.key] = member.value }
    return .object(card)
  }
}
