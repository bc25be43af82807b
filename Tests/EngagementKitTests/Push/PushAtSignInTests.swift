import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

/// The installation's token at vendors whose adapters wait for the application to register it again.
@Suite("tokens at a sign-in", .timeLimit(.minutes(20))) struct PushAtSignInTests {
  private typealias Operation = EngagementAdapterAPI.Operation

  private static let tests = PushRouteTests()
  private static let farewell = Operation.vendor("farewell", .null)

  /// A vendor that does these things at a change of user.
  private static func vendor(
    _ provider: ProviderID,
    _ transition: @escaping @Sendable (User, User, AdapterContext) -> [TransitionStep]
  ) -> PuppetAdapter {
    var adapter = PushRouteTests.vendor(provider)
    adapter.onTransition = transition
    return adapter
  }

  /// A vendor that gives the token back at a sign-out and registers none at a sign-in.
  private static let waiting = vendor("a") { old, new, _ in
    old.isAnonymous ? [.adoptPending] : [.sendPending, .leave(.unregisterPush(.production))]
  }

  /// A vendor whose installation is given up at a sign-out, with its token.
  private static let released = vendor("b") { old, _, _ in
    old.isAnonymous ? [.adoptPending] : [.sendPending, .leave(farewell)]
  }

  private func phases(of user: User, _ stage: Stage) async throws -> [String] {
    let store = stage.engagement.dependencies.store
    let partition = try await store.partition(of: user, at: stage.clock.now)
    return try await store.pushStates(of: partition).map { "\($0.provider) \($0.phase.name)" }
  }

  @Test("X16: a person who signs in again has the token again at every vendor of the route")
  func again() async throws {
    let stage = try await Stage(
      [Self.waiting, Self.released], routes: PushRouteTests.routes(nil))
    try await stage.signIn("u-1")
    try await stage.engagement.registerPush(PushRouteTests.token)
    await stage.drain("a", "b")
    var count = 0
    _ = Self.tests.sent(stage, after: &count)
    #expect(try await stage.engagement.signOut().isClean)
    #expect(try await phases(of: "u-1", stage) == ["a unregistered", "b unregistered"])
    #expect(try await phases(of: .anonymous, stage).isEmpty)
    _ = Self.tests.sent(stage, after: &count)
    for user: User in ["u-1", "u-2"] {
      try await stage.signIn(user)
      #expect(try await phases(of: user, stage) == ["a pending", "b pending"])
      await stage.drain("a", "b")
      let sent = Self.tests.sent(stage, after: &count)
      #expect(sent.filter { $0.contains("take") } == ["a: take 0aff", "b: take 0aff"])
      #expect(try await phases(of: user, stage) == ["a registered", "b registered"])
    }
    try await stage.end()
  }

  @Test("X16: a token that was given up, or whose vendor is outside the route, is not offered")
  func notOffered() async throws {
    let stage = try await Stage(
      [Self.waiting, Self.released], routes: PushRouteTests.routes(.only("b")))
    try await stage.signIn("u-1")
    try await stage.engagement.registerPush(PushRouteTests.token)
    await stage.drain("a", "b")
    _ = try await stage.engagement.signOut()
    try await stage.signIn("u-2")
    await stage.drain("a", "b")
    #expect(try await phases(of: "u-2", stage) == ["b registered"])
    try await stage.engagement.unregisterPush()
    await stage.drain("a", "b")
    _ = try await stage.engagement.signOut()
    var count = 0
    _ = Self.tests.sent(stage, after: &count)
    try await stage.signIn("u-1")
    await stage.drain("a", "b")
    #expect(Self.tests.sent(stage, after: &count).isEmpty)
    #expect(try await phases(of: "u-1", stage).contains("b unregistered"))
    try await stage.end()
  }

  @Test("X16: after an anonymous registration the person's states tell what the vendors have")
  func anonymous() async throws {
    let apart = Self.vendor("b") { old, _, _ in old.isAnonymous ? [] : [.leave(Self.farewell)] }
    let stage = try await Stage([Self.waiting, apart], routes: PushRouteTests.routes(nil))
    try await stage.engagement.registerPush(PushRouteTests.token)
    await stage.drain("a", "b")
    var count = 0
    #expect(Self.tests.sent(stage, after: &count) == ["a: take 0aff", "b: take 0aff"])
    try await stage.signIn("u-1")
    #expect(try await phases(of: "u-1", stage) == ["a registered", "b pending"])
    await stage.drain("a", "b")
    #expect(Self.tests.sent(stage, after: &count) == ["b: take 0aff"])
    #expect(try await phases(of: "u-1", stage) == ["a registered", "b registered"])
    #expect(try await stage.engagement.signOut().isClean)
    #expect(
      try await phases(of: .anonymous, stage) == ["a unregistered", "b unregistered"])
    try await stage.end()
  }

  @Test("X16: a registration that waits of the anonymous user is sent once for the next one")
  func anonymousWaits() async throws {
    let stage = try await Stage([Self.waiting], routes: PushRouteTests.routes(nil))
    try await stage.engagement.registerPush(PushRouteTests.token)
    try await stage.signIn("u-1")
    #expect(try await phases(of: "u-1", stage) == ["a pending"])
    await stage.drain("a")
    var count = 0
    #expect(Self.tests.sent(stage, after: &count) == ["a: take 0aff"])
    #expect(try await phases(of: "u-1", stage) == ["a registered"])
    try await stage.end()
  }

  // MARK: What is made while its user leaves

  /// A vendor that makes a device for a person, and gives it up when that person leaves.
  private static let device: PuppetAdapter = {
    var adapter = vendor("a") { old, new, context in
      var steps: [TransitionStep] = [.sendPending]
      if context.values[.installation, "device"] != nil {
        steps += [.leave(farewell), .apply([.keep(.installation, "device", nil)])]
      }
      return steps + (new.id.map { [.enter(.associate($0))] } ?? [])
    }
    adapter.onAnswer = { operation, response, context in
      guard case .associate = operation, response.status == 200 else { return nil }
      return Answer([.keep(.installation, "device", "device")])
    }
    return adapter
  }()

  @Test("V2 X8: what is made at a vendor while its user leaves is given up as that user")
  func lateDevice() async throws {
    let isUp = Locked(false)
    let stage = try await Stage([Self.device], routes: PushRouteTests.routes(nil)) {
      _ throws(EngagementError) in
      guard isUp.withLock(\.self) else { throw EngagementError(.unavailable, "No network.") }
      return .json(200, "[]")
    }
    try await stage.signIn("u-1")
    await stage.drain("a")
    isUp.withLock { $0 = true }
    stage.clock.advance(by: .seconds(600))
    stage.transport.forget()
    let report = try await stage.engagement.signIn("u-2")
    #expect(report.isClean, "\(report)")
    #expect(
      stage.asked == ["POST /person.associate?user=u-1", "POST /vendor.farewell?user=u-1"])
    #expect(try await stage.memory(of: "a", for: "u-1").values[.installation, "device"] == nil)
    try await stage.end()
  }

  @Test("X20: an erasure names the vendors that were not told of an earlier sign-out")
  func erasedUntold() async throws {
    let isUp = Locked(true)
    let stage = try await Stage([Self.waiting], routes: PushRouteTests.routes(nil)) {
      _ throws(EngagementError) in
      guard isUp.withLock(\.self) else { throw EngagementError(.unavailable, "No network.") }
      return .json(200, "[]")
    }
    for user: User in ["u-1", "u-2"] {
      try await stage.signIn(user)
      try await stage.engagement.registerPush(PushRouteTests.token)
      await stage.drain("a")
      isUp.withLock { $0 = user == "u-2" }
      _ = try await stage.engagement.signOut()
      isUp.withLock { $0 = true }
    }
    #expect(try await stage.engagement.eraseData(of: "u-1").mayStillPush == ["a"])
    #expect(try await stage.engagement.eraseData(of: "u-2").mayStillPush.isEmpty)
    try await stage.end()
  }

  // MARK: A damaged cache

  @Test("G9 X16: after a damaged cache the vendors are told once again who is here, with the token")
  func damaged() async throws {
    var vendor = PushRouteTests.vendor("a")
    let steps = vendor.onTransition
    vendor.onTransition = { old, new, context in
      steps(old, new, context) + (new.id.map { [.enter(.associate($0))] } ?? [])
    }
    let place = Stage.Place()
    let first = try await Stage([vendor], routes: PushRouteTests.routes(nil), at: place)
    try await first.signIn("u-1")
    try await first.engagement.registerPush(PushRouteTests.token)
    await first.drain("a")
    try await first.end()
    var bytes = try Stage.bytes(at: place.path)
    bytes.replaceSubrange(100..<400, with: [UInt8](repeating: 0xff, count: 300))
    try Data(bytes).write(to: URL(filePath: place.path))
    for _ in 1...2 {
      let next = try await Stage([vendor], routes: PushRouteTests.routes(nil), at: place)
      #expect(next.engagement.user == "u-1")
      #expect(
        Set(try await next.waiting(for: "a", of: "u-1"))
          == [.operation(.associate("u-1")), .operation(.registerPush(.production))])
      #expect(try await next.waiting(for: "a", of: "u-1").count == 2)
      try await next.end()
    }
  }

  // MARK: Tokens that change, and environments

  @Test("X16: a vendor that leaves before it has the new token gives the old one back")
  func oldToken() async throws {
    let stage = try await Stage(PushRouteTests.vendors, routes: PushRouteTests.routes(nil))
    try await stage.engagement.registerPush(PushRouteTests.token)
    await stage.drain("a", "b")
    var count = 0
    _ = Self.tests.sent(stage, after: &count)
    for token in ["0bff", "0cff"] {
      try await stage.engagement.registerPush(
        PushRegistration(token: Secret(token), service: .apns))
    }
    try await stage.engagement.setRoute(.only("b"), for: .push)
    await stage.drain("a", "b")
    let sent = Self.tests.sent(stage, after: &count)
    #expect(sent.contains("a: back 0aff"), "\(sent)")
    #expect(!sent.contains { $0.hasPrefix("a: take") }, "\(sent)")
    #expect(sent.contains("b: take 0cff"), "\(sent)")
    #expect(try await phases(of: .anonymous, stage) == ["a unregistered", "b registered"])
    #expect(try await stage.engagement.dependencies.providerSecrets.retiredKeys().isEmpty)
    try await stage.end()
  }

  @Test("X16 X8: a sign-out gives back the token that a registration which waits would replace")
  func oldTokenAtSignOut() async throws {
    let vendor = Self.vendor("a") { old, _, _ in
      old.isAnonymous ? [] : [.leave(.unregisterPush(.production)), .sendPending]
    }
    let stage = try await Stage([vendor], routes: PushRouteTests.routes(nil))
    try await stage.signIn("u-1")
    try await stage.engagement.registerPush(PushRouteTests.token)
    await stage.drain("a")
    var count = 0
    _ = Self.tests.sent(stage, after: &count)
    try await stage.engagement.registerPush(
      PushRegistration(token: Secret("0bff"), service: .apns))
    #expect(try await stage.engagement.signOut().isClean)
    #expect(Self.tests.sent(stage, after: &count) == ["a: back 0aff", "a: back 0bff"])
    #expect(try await phases(of: "u-1", stage) == ["a unregistered"])
    #expect(try await stage.engagement.dependencies.providerSecrets.retiredKeys().isEmpty)
    try await stage.end()
  }

  @Test("X16: the end of an environment without a token is told to no vendor")
  func otherEnvironment() async throws {
    let stage = try await Stage(PushRouteTests.vendors, routes: PushRouteTests.routes(nil))
    try await stage.engagement.registerPush(PushRouteTests.token)
    await stage.drain("a", "b")
    var count = 0
    _ = Self.tests.sent(stage, after: &count)
    let receipt = try await stage.engagement.unregisterPush(.sandbox)
    #expect(receipt.providers.isEmpty)
    await stage.drain("a", "b")
    #expect(Self.tests.sent(stage, after: &count).isEmpty)
    #expect(try await phases(of: .anonymous, stage) == ["a registered", "b registered"])
    try await stage.end()
  }
}
