import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementStore
import EngagementTesting
import Testing

@testable import EngagementKit

@Suite("push", .timeLimit(.minutes(20))) struct PushTests {
  private static let token = PushRegistration(token: Secret("0aff"), service: .apns)

  /// A vendor that sends the context's token and recognizes pushes with its name as a key.
  private static func vendor(_ provider: ProviderID) -> PuppetAdapter {
    var adapter = PuppetAdapter(provider)
    adapter.onStep = { operation, context throws(EngagementError) in
      guard operation == .registerPush(.production) else { return nil }
      guard let push = context.push[.production] else {
        throw EngagementError(.invalidArgument, "There is no token.")
      }
      return .send(
        HTTPRequest(
          "POST", "https://\(provider).example/push", body: Array(push.token.revealed.utf8)))
    }
    adapter.onPush = { push, context in
      guard push[provider.rawValue] != nil else { return nil }
      var notification = PushNotification(vendor: "puppet")
      notification.title = "For \(context.user.id?.rawValue ?? "nobody")"
      return Received(
        notification, changes: [.items(.cards, .put, [RawCard("pushed").item])],
        operations: [.vendor("welcome", .null)])
    }
    return adapter
  }

  @Test("G16: a push token goes to every vendor that takes one and is never in the database")
  func registers() async throws {
    let place = Stage.Place()
    let bare = PuppetAdapter("bare", abilities: [.cards: .request, .inbox: .request])
    let stage = try await Stage(
      [Self.vendor("braze"), Self.vendor("vibes"), bare], at: place)
    try await stage.engagement.registerPush(
      PushRegistration(token: Secret("canary-of-a-token"), service: .fcm))
    await stage.drain("braze", "vibes", "bare")
    #expect(stage.transport.lines.sorted() == ["POST /push", "POST /push"])
    #expect(stage.transport.requests.allSatisfy { $0.text == "canary-of-a-token" })
    try await stage.end()
    #expect(try place.holds("vibes"), "the database contains the delivered rows' counts")
    #expect(try !place.holds("canary-of-a-token"))
  }

  @Test("unregistering removes the token and informs the vendor")
  func unregisters() async throws {
    let stage = try await Stage([Self.vendor("braze")])
    try await stage.engagement.registerPush(Self.token)
    await stage.drain("braze")
    try await stage.engagement.unregisterPush()
    #expect(try await stage.engagement.dependencies.providerSecrets.push().isEmpty)
    await stage.drain("braze")
    #expect(stage.transport.lines == ["POST /push", "POST /push.unregister"])
    try await stage.end()
  }

  @Test("X20: after a denial the token is given back at once, and nothing that waits goes with it")
  func unregistersAfterDenial() async throws {
    let stage = try await Stage([Self.vendor("braze")]) { _ in .json(200, #"["a"]"#) }
    try await stage.engagement.registerPush(Self.token)
    _ = await stage.engagement.refresh(.cards(in: "home"))
    await stage.drain("braze")
    let before = stage.transport.lines.count
    try await stage.engagement.perform(.dismiss, on: ItemID("braze", "a"), surface: .cards)
    try await stage.engagement.setConsent(.denied)
    try await stage.engagement.unregisterPush()
    await stage.drain("braze")
    #expect(stage.transport.lines.dropFirst(before) == ["POST /optOut", "POST /push.unregister"])
    #expect(
      await failure { try await stage.engagement.registerPush(Self.token) }?.code == .consentDenied)
    try await stage.end()
  }

  @Test(
    "a vendor learns which token is unregistered, even after a restart, and the token is then erased"
  )
  func retires() async throws {
    let place = Stage.Place()
    var vendor = Self.vendor("braze")
    vendor.onStep = { operation, context throws(EngagementError) in
      guard operation == .unregisterPush(.production) else { return nil }
      let token = context.push[.production]?.token.revealed ?? "none"
      return .send(HTTPRequest("POST", "https://braze.example/back", body: Array(token.utf8)))
    }
    let first = try await Stage([vendor], at: place)
    try await first.engagement.registerPush(Self.token)
    try await first.engagement.unregisterPush()
    try await first.engagement.registerPush(PushRegistration(token: Secret("0bff"), service: .apns))
    try await first.end()
    let second = try await Stage([vendor], at: place)
    await second.drain("braze")
    #expect(second.transport.requests.filter { $0.line == "POST /back" }.map(\.text) == ["0aff"])
    let providerSecrets = second.engagement.dependencies.providerSecrets
    #expect(try await providerSecrets.retiredKeys().isEmpty)
    #expect(try await providerSecrets.push()[.production]?.token.revealed == "0bff")
    try await second.end()
  }

  @Test("an empty push token and a provider list without push support are refused")
  func refused() async throws {
    let bare = PuppetAdapter("bare", abilities: [.cards: .request, .inbox: .request])
    let stage = try await Stage([bare])
    let empty = PushRegistration(token: Secret(""), service: .apns)
    #expect(
      await failure { try await stage.engagement.registerPush(empty) }?.code == .invalidArgument)
    for text in ["0af", "0afg", "0A ff", "<0aff>"] {
      let token = PushRegistration(token: Secret(text), service: .apns)
      let error = await failure { try await stage.engagement.registerPush(token) }
      #expect(error?.code == .invalidArgument)
      #expect(
        error?.message
          == "The token of APNs is no hex text; give two hex digits for each byte.")
    }
    let texts: [(String, PushRegistration.Service)] = [("fcm:x", .fcm), ("0AfF", .apns)]
    for (text, service) in texts {
      let token = PushRegistration(token: Secret(text), service: service)
      #expect(
        await failure { try await stage.engagement.registerPush(token) }?.code == .unsupported)
    }
    #expect(
      await failure { try await stage.engagement.registerPush(Self.token) }?.code == .unsupported)
    #expect(
      await failure { try await stage.engagement.unregisterPush() }?.code == .unsupported)
    #expect(try await stage.engagement.dependencies.providerSecrets.push().isEmpty)
    try await stage.end()
  }

  @Test("the provider that recognizes a push owns it, and its content is stored")
  func received() async throws {
    let stage = try await Stage([Self.vendor("braze"), Self.vendor("vibes")])
    try await stage.signIn("u-1")
    #expect(try await stage.engagement.handlePush(["aps": [:]]) == nil)
    #expect(stage.engagement.cards(in: "home").cards.isEmpty)
    let reception = try await stage.engagement.handlePush(["vibes": true])
    #expect(reception?.provider == "vibes" && reception?.notification.title == "For u-1")
    #expect(
      stage.engagement.cards(in: "home").cards.map(\.id) == [ItemID("vibes", "pushed")])
    #expect(
      try await stage.waiting(for: "vibes", of: "u-1") == [.operation(.vendor("welcome", .null))])
    #expect(try await stage.waiting(for: "braze", of: "u-1").isEmpty)
    try await stage.end()
  }

  @Test("X20: a push received under denied consent is shown but not stored")
  func denied() async throws {
    let stage = try await Stage([Self.vendor("braze")])
    let partition = stage.engagement.dependencies.currentUser.userSession.partition
    try await stage.engagement.dependencies.store.setConsent(.denied, of: partition)
    let reception = try await stage.engagement.handlePush(["braze": true])
    #expect(reception?.notification.title == "For nobody")
    #expect(stage.engagement.cards(in: "home").cards.isEmpty)
    #expect(try await stage.waiting(for: "braze", of: .anonymous).isEmpty)
    #expect(
      await failure { try await stage.engagement.registerPush(Self.token) }?.code
        == .consentDenied)
    try await stage.end()
  }
}
