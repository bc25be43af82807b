import EngagementJSON
import EngagementModel
import Foundation
import Testing

@Suite struct JWTClaimsTests {
  /// The example of RFC 7519, section 3.1.
  private static let rfc = Secret(
    "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9"
      + ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
      + ".dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")

  private static func token(_ claims: String) -> Secret {
    func part(_ text: String) -> String {
      Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        .replacing("=", with: "")
    }
    return Secret("\(part(#"{"alg":"RS256"}"#)).\(part(claims)).c2ln")
  }

  @Test("A2: the claims of the published token give its issuer and its expiry")
  func published() throws {
    let claims = try #require(JWTClaims(Self.rfc))
    #expect(claims["iss"] == "joe")
    #expect(claims["http://example.com/is_root"] == true)
    #expect(claims.expiresAt == Date(timeIntervalSince1970: 1_300_819_380))
    #expect(claims.subject(["sub"]) == nil)
  }

  @Test(
    "A2: the user is the first claim that is present",
    arguments: [
      (#"{"atomic_sub":"a","sub":"s"}"#, "a"), (#"{"atomic_id":"i","sub":"s"}"#, "i"),
      (#"{"sub":"s","id":"x"}"#, "s"), (#"{"id":42}"#, "42"), (#"{"sub":null,"id":"x"}"#, "x"),
      (#"{"sub":["s"]}"#, nil), ("{}", nil),
    ])
  func subject(claims: String, user: String?) throws {
    let claims = try #require(JWTClaims(Self.token(claims)))
    #expect(claims.subject(["atomic_sub", "atomic_id", "sub", "id"]) == user)
  }

  @Test(
    "A2: a token is valid until its expiry minus the margin",
    arguments: [
      (#"{"exp":1000}"#, 899.0, true), (#"{"exp":1000}"#, 940, false),
      (#"{"exp":1000.5}"#, 939.9, true),
      (#"{"exp":1000}"#, 2000, false), (#"{"exp":"1000"}"#, 0, false), ("{}", 0, false),
      (#"{"exp":1e300}"#, 0, false),
    ])
  func expiry(claims: String, now: Double, isGood: Bool) throws {
    let claims = try #require(JWTClaims(Self.token(claims)))
    #expect(claims.isGood(at: Date(timeIntervalSince1970: now), margin: .seconds(60)) == isGood)
  }

  @Test(
    "text that is not a token gives no claims",
    arguments: [
      "", ".", "..", "a.b", "a.b.c.d", "e30.e30", "e30.W10.x", "e30.e30=.", "e30.{}.e30", "é.é.é",
      "e30.bm90IGpzb24.e30", "e30.eyJhIjoxLCJhIjoyfQ.e30",
    ])
  func noToken(text: String) {
    #expect(JWTClaims(Secret(text)) == nil)
  }

  @Test("claims are never printed")
  func redacted() throws {
    let claims = try #require(JWTClaims(Self.token(#"{"sub":"canary"}"#)))
    var text = "\(claims)" + String(reflecting: claims)
    dump(claims, to: &text)
    #expect(!text.contains("canary"))
  }
}
