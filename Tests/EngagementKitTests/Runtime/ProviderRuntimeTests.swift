import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementTesting
import Testing

@testable import EngagementKit

@Suite("provider runtime", .timeLimit(.minutes(20))) struct ProviderRuntimeTests {
  private static func redirect(to place: String) -> HTTPResponse {
    .json(302, "", headers: [("Location", place)])
  }

  @Test("G16: the kit follows three redirects within the origin")
  func follows() async throws {
    let stage = try await Stage(
      [PuppetAdapter("braze", abilities: [.inbox: .request])],
      routes: Routes(cards: .none, inbox: .only("braze"))
    ) { request in
      request.url.hasSuffix("/3")
        ? .json(200, #"["m"]"#)
        : Self.redirect(
          to: "/"
            + (request.url.split(separator: "/").last.flatMap { Int($0) }.map { "\($0 + 1)" } ?? "1")
        )
    }
    #expect(await stage.engagement.refresh(.inbox).providers == ["braze": .fresh])
    #expect(stage.transport.lines == ["GET /inbox", "GET /1", "GET /2", "GET /3"])
    try await stage.end()
  }

  @Test(
    "G16: the kit refuses a redirect to another origin and a redirect loop",
    arguments: [
      "https://evil.example/", "http://braze.example/", "https://braze.example:8443/", "/inbox",
    ])
  func refuses(place: String) async throws {
    let stage = try await Stage(
      [PuppetAdapter("braze", abilities: [.inbox: .request])],
      routes: Routes(cards: .none, inbox: .only("braze"))
    ) { _ in
      Self.redirect(to: place)
    }
    guard case .failed(let error)? = await stage.engagement.refresh(.inbox).providers["braze"]
    else {
      Issue.record("It was followed.")
      return
    }
    #expect(error.code == .unavailable && error.provider == "braze")
    #expect(stage.transport.requests.allSatisfy { $0.isFor("braze") && $0.url.hasPrefix("https:") })
    #expect(stage.transport.requests.count == (place == "/inbox" ? 4 : 1))
    try await stage.end()
  }

  @Test("G16: a log line states the result of a request and nothing about the user")
  func lines() async throws {
    let isDown = Locked(false)
    let stage = try await Stage(
      [PuppetAdapter("braze", abilities: [.inbox: .request])],
      routes: Routes(cards: .none, inbox: .only("braze"))
    ) { _ throws(EngagementError) in
      if isDown.withLock({ $0 }) { throw EngagementError(.unavailable, "u-canary is not there.") }
      return .json(200, "[]")
    }
    try await stage.engagement.signIn("u-canary") { _ in Secret("secret-canary") }
    _ = await stage.engagement.refresh(.inbox)
    isDown.withLock { $0 = true }
    _ = await stage.engagement.refresh(.inbox)
    let messages = stage.lines.all.filter { $0.provider == "braze" }.map(\.message)
    #expect(messages.contains("GET braze.example: 200 in 0 ms"))
    #expect(messages.contains("GET braze.example: unavailable"))
    #expect(stage.lines.all.allSatisfy { !$0.message.contains("canary") })
    try await stage.end()
  }

  @Test("G16: secrets from a vendor are stored outside the cache")
  func secrets() async throws {
    let place = Stage.Place()
    var adapter = PuppetAdapter("vibes", abilities: [.inbox: .request])
    adapter.onAnswer = { _, _, _ in
      Answer([
        .secret(.installation, "token", Secret("canary-of-a-device")),
        .secret(.user, "key", Secret("canary-of-a-user")), .keep(.user, "plain", "plain-canary"),
      ])
    }
    let stage = try await Stage(
      [adapter], routes: Routes(cards: .none, inbox: .only("vibes")), at: place)
    try await stage.signIn("u-1")
    _ = await stage.engagement.refresh(.inbox)
    let kept = try await stage.engagement.dependencies.providerSecrets.contents(
      of: "vibes", for: "u-1"
    ).secrets
    #expect(kept[.installation, "token"] == Secret("canary-of-a-device"))
    #expect(kept[.user, "key"] == Secret("canary-of-a-user"))
    try await stage.end()
    #expect(try place.holds("plain-canary"))
    #expect(try !place.holds("canary-of"))
  }

  @Test("an operation that an answer asks for is accepted and sent")
  func wanted() async throws {
    var adapter = PuppetAdapter(
      "vibes", abilities: [.inbox: .request, .vendor("welcome"): .request])
    adapter.onAnswer = { operation, _, _ in
      operation == .inbox ? Answer([.wanted(.vendor("welcome", .null))]) : nil
    }
    let stage = try await Stage([adapter], routes: Routes(cards: .none, inbox: .only("vibes")))
    _ = await stage.engagement.refresh(.inbox)
    await stage.drain("vibes")
    #expect(stage.transport.lines == ["GET /inbox", "POST /vendor.welcome"])
    try await stage.end()
  }

  @Test("a row that its own prerequisite abandons is not sent")
  func abandoned() async throws {
    var adapter = PuppetAdapter("vibes")
    adapter.onStep = { operation, context throws(EngagementError) in
      guard case .act = operation, context.values[.installation, "device"] == nil else {
        return nil
      }
      return .first(.device(.register))
    }
    adapter.onAnswer = { operation, _, _ in
      guard operation == .device(.register) else { return nil }
      return Answer([
        .keep(.installation, "device", "d"), .abandoned(.cards, reason: "It is another's device."),
      ])
    }
    let stage = try await Stage([adapter]) { request in
      .json(200, request.line.hasSuffix("cards") ? #"["a"]"# : "[]")
    }
    _ = await stage.engagement.refresh(.cards(in: "home"))
    stage.transport.forget()
    let receipt = try await stage.engagement.perform(.dismiss, on: ItemID("vibes", "a"))
    #expect(stage.engagement.cards(in: "home").cards.isEmpty)
    await stage.drain("vibes")
    #expect(stage.transport.lines == ["POST /device.register"])
    guard case .rejected(let error) = try await receipt.outcome() else {
      Issue.record("The vendor has somebody else's cards now.")
      return
    }
    #expect(error.message == "It is another's device.")
    #expect(stage.engagement.cards(in: "home").cards.map(\.id.value) == ["a"])
    try await stage.end()
  }
}
