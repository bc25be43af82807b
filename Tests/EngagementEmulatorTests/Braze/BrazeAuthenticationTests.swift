import EngagementEmulator
import EngagementFormats
import EngagementJSON
import EngagementModel
import Testing

@Suite(.timeLimit(.minutes(20))) struct BrazeAuthenticationTests {
  private static let later: JSON = 1_795_309_200

  private static func token(
    _ claims: JSON, algorithm: JSON = "RS256", signature: String = "c2lnbmVk"
  ) -> String {
    let head: JSON = ["alg": algorithm, "typ": "JWT"]
    let parts = [head, claims].map { Base64URL.text(of: $0.encoded()) }
    return "\(parts[0]).\(parts[1]).\(signature)"
  }

  private static let good = token(["sub": "ada", "exp": later])

  @Test(
    "each fault of a token gives its error code",
    arguments: [
      (10, token(["sub": "ada"])), (20, "no token"), (20, "a.b"),
      (20, token(["sub": "ada", "exp": later], signature: "")),
      (21, token(["sub": "bob", "exp": later])), (21, token(["exp": later])),
      (22, token(["sub": "ada", "exp": 1_795_305_600])), (23, token([1, 2])),
      (24, token(["sub": "ada", "exp": later], algorithm: "HS256")), (26, nil),
    ] as [(Int64, String?)])
  func codes(code: Int64, token: String?) async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      try await stand.emulator.configure("braze", ["authentication": "required"])
      let answer = try stand.data(token: token, ["events": [Stand.event("ce", ["n": "x"])]])
      #expect(answer["auth_error"]?["error_code"] == .integer(code))
      #expect(answer["auth_error"]?["user_id"] == "ada")
      #expect(answer["auth_error"]?["request_time"] == 1_795_305_600_000)
      #expect(answer["auth_error"]?["signature"] == token.map(JSON.string))
      #expect(await stand.emulator.effects().isEmpty)
      #expect(await stand.emulator.requests().map(\.status) == [200])
    }
  }

  @Test("a valid token is accepted, and the record never shows it")
  func good() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      try await stand.emulator.configure("braze", ["authentication": "required"])
      let answer = try stand.data(
        token: Self.good, ["events": [Stand.event("ce", ["n": "x"], user: "ada")]])
      #expect(answer["auth_error"] == nil)
      #expect(await stand.emulator.times("ce", of: "x") == 1)
      #expect(!"\(await stand.emulator.requests())".contains(Self.good))
    }
  }

  @Test("a request with an event of another user than its token's is refused")
  func otherUser() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      try await stand.emulator.configure("braze", ["authentication": "required"])
      let answer = try stand.data(
        token: Self.good, ["events": [Stand.event("ce", ["n": "x"], user: "bob")]])
      #expect(answer["auth_error"]?["error_code"] == 28)
    }
  }

  @Test("a token is refused after its key is revoked")
  func refused() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      try await stand.emulator.configure(
        "braze", ["authentication": "required", "refuseTokens": true])
      #expect(try stand.data(token: Self.good, [:])["auth_error"]?["error_code"] == 27)
    }
  }

  @Test("optional authentication reports the error and still accepts the request")
  func optional() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      try await stand.emulator.configure("braze", ["authentication": "optional"])
      let answer = try stand.data(["events": [Stand.event("ce", ["n": "x"])]])
      #expect(answer["optional_auth_error"]?["error_code"] == 26 && answer["auth_error"] == nil)
      #expect(answer["message"] == "success")
      #expect(await stand.emulator.times("ce", of: "x") == 1)
    }
  }

  @Test("an anonymous request needs no token")
  func anonymous() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      try await stand.emulator.configure("braze", ["authentication": "required"])
      #expect(try stand.sync(user: nil)["cards"]?.array?.isEmpty == false)
    }
  }

  @Test("tokens expire by the emulator's clock")
  func clock() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      try await stand.emulator.configure("braze", ["authentication": "required"])
      #expect(try stand.data(token: Self.good, [:])["auth_error"] == nil)
      await stand.emulator.advanceClock(by: .seconds(3_600))
      #expect(try stand.data(token: Self.good, [:])["auth_error"]?["error_code"] == 22)
    }
  }
}
