import EngagementAdapterAPI
import EngagementModel
import EngagementTesting
import Testing

@testable import EngagementKit

@Suite("secret storage") struct ProviderSecretsTests {
  private let store = MemorySecretStore()
  private var box: ProviderSecrets { ProviderSecrets(store: store, environment: "test") }

  @Test("G13: a secret belongs to one scope, provider and environment")
  func scopes() async throws {
    try await box.keep(
      [
        .secret(.installation, "token", Secret("of the device")),
        .secret(.user, "token", Secret("of the user")), .keep(.user, "no", "secret"),
      ], of: "vibes", for: "u-1")
    let own = try await box.contents(of: "vibes", for: "u-1").secrets
    #expect(own[.installation, "token"] == Secret("of the device"))
    #expect(own[.user, "token"] == Secret("of the user") && own[.user, "no"] == nil)
    let next = try await box.contents(of: "vibes", for: "u-2").secrets
    #expect(next[.installation, "token"] == Secret("of the device"))
    #expect(next[.user, "token"] == nil)
    #expect(try await box.contents(of: "braze", for: "u-1").secrets == ScopedValues())
    let elsewhere = ProviderSecrets(store: store, environment: "other")
    #expect(try await elsewhere.contents(of: "vibes", for: "u-1").secrets == ScopedValues())
  }

  @Test("a secret of the anonymous user is invisible to a signed-in user")
  func anonymous() async throws {
    try await box.keep([.secret(.user, "t", Secret("nobody's"))], of: "vibes", for: .anonymous)
    #expect(try await box.contents(of: "vibes", for: "u-1").secrets == ScopedValues())
    #expect(
      try await box.contents(of: "vibes", for: .anonymous).secrets[.user, "t"]
        == Secret("nobody's"))
  }

  @Test("the last change to a secret wins, including a removal")
  func last() async throws {
    try await box.keep(
      [.secret(.user, "a", Secret("1")), .secret(.user, "a", nil), .secret(.user, "b", nil)]
        + [.secret(.user, "b", Secret("2"))], of: "vibes", for: "u-1")
    let kept = try await box.contents(of: "vibes", for: "u-1").secrets
    #expect(kept[.user, "a"] == nil && kept[.user, "b"] == Secret("2"))
    try await box.keep([.secret(.user, "b", nil)], of: "vibes", for: "u-1")
    #expect(try await box.contents(of: "vibes", for: "u-1").secrets == ScopedValues())
  }

  @Test("all providers share the push tokens, one for each environment")
  func push() async throws {
    let own = PushRegistration(token: Secret("0aff"), service: .apns)
    let theirs = PushRegistration(token: Secret("t"), service: "huawei", environment: .sandbox)
    try await box.setPush(own)
    try await box.keep([.pushToken(theirs)], of: "vibes", for: "u-1")
    #expect(try await box.push() == [.production: own, .sandbox: theirs])
    #expect(try await box.contents(of: "vibes", for: "u-1").secrets == ScopedValues())
    try await box.removePush(.production)
    #expect(try await box.push() == [.sandbox: theirs])
  }
}
