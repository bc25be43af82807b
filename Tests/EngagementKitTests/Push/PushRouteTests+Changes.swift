import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementStore
import EngagementTesting
import Testing

@testable import EngagementKit

/// Tokens whose route or user changes while something waits or is under way.
extension PushRouteTests {
  /// What was sent since the last call about tokens.
  private func tokens(_ stage: Stage, after count: inout Int) -> [String] {
    sent(stage, after: &count).filter { $0.contains(": take") || $0.contains(": back") }
  }

  /// A vendor that also wants to know who has signed in.
  private static func introduced(_ provider: ProviderID) -> PuppetAdapter {
    var adapter = vendor(provider)
    let steps = adapter.onTransition
    adapter.onTransition = { old, new, context in
      steps(old, new, context) + (new.id.map { [.enter(.associate($0))] } ?? [])
    }
    return adapter
  }

  // MARK: Registrations that wait

  @Test("X16 X20: a registration that waits is not sent to a vendor that has left the route since")
  func leftWhileDenied() async throws {
    let stage = try await Stage(Self.vendors, routes: Self.routes(.only("a")))
    var count = 0
    let receipt = try await stage.engagement.registerPush(Self.token)
    try await stage.engagement.setConsent(.denied)
    await stage.drain("a", "b")
    #expect(tokens(stage, after: &count).isEmpty)
    try await stage.engagement.setRoute(.only("b"), for: .push)
    await stage.drain("a", "b")
    #expect(tokens(stage, after: &count) == ["a: back 0aff"])
    try await stage.engagement.setConsent(.full)
    await stage.drain("a", "b")
    #expect(!tokens(stage, after: &count).contains("a: take 0aff"))
    #expect(try await receipt.outcome() == .kept)
    #expect(try await phases(stage).contains("a production unregistered"))
    try await stage.end()
  }

  @Test("X16: a registration that waits over a sign-out is not sent once its vendor has left")
  func leftWhileAway() async throws {
    let isUp = Locked(true)
    let stage = try await Stage(Self.vendors, routes: Self.routes(.only("a"))) {
      _ throws(EngagementError) in
      guard isUp.withLock(\.self) else { throw EngagementError(.unavailable, "No network.") }
      return .json(200, "[]")
    }
    try await stage.signIn("u-1")
    isUp.withLock { $0 = false }
    try await stage.engagement.registerPush(Self.token)
    _ = try await stage.engagement.signOut()
    try await stage.engagement.setRoute(.only("b"), for: .push)
    var count = stage.transport.requests.count
    isUp.withLock { $0 = true }
    stage.clock.advance(by: .seconds(600))
    try await stage.signIn("u-1")
    await stage.drain("a", "b")
    let sent = tokens(stage, after: &count)
    #expect(!sent.contains("a: take 0aff"))
    // The vendor may have got the token before the network went down.
    #expect(sent.contains("a: back 0aff"))
    #expect(sent.contains("b: take 0aff"))
    #expect(
      try await phases(stage) == ["a production unregistered", "b production registered"])
    #expect(try await stage.waiting(for: "a", of: "u-1").isEmpty)
    try await stage.end()
  }

  @Test(
    "X16: a state says of a registration that was not sent what held before it",
    arguments: [false, true])
  func earlierToken(_ hasEarlier: Bool) async throws {
    let place = Stage.Place()
    var abilities = PuppetAdapter.able
    abilities[.unregisterPush] = nil
    // It cannot be told to give a token back, which would end the state.
    let vendors = [Self.vendor("a", abilities: abilities), Self.vendor("b")]
    let first = try await Stage(vendors, routes: Self.routes(.only("a")), at: place)
    if hasEarlier {
      try await first.engagement.registerPush(Self.token)
      await first.drain("a")
    }
    try await first.engagement.registerPush(
      PushRegistration(token: Secret("0cff"), service: .apns))
    #expect(try await phases(first) == ["a production pending"])
    try await first.end()
    let second = try await Stage(vendors, routes: Self.routes(.only("b")), at: place)
    await second.drain("a", "b")
    var count = 0
    #expect(tokens(second, after: &count) == ["b: take 0cff"])
    #expect(
      try await phases(second) == [
        "a production \(hasEarlier ? "registered" : "unregistered")", "b production registered",
      ])
    #expect(try await second.waiting(for: "a", of: .anonymous).isEmpty)
    try await second.end()
  }

  // MARK: Changes of user

  @Test("X16 X8: a sign-in follows the routes that another process has set")
  func signInAfterOthers() async throws {
    let place = Stage.Place()
    let vendors = [Self.introduced("a"), Self.introduced("b")]
    var routes = Self.routes(.only("a"))
    routes.person = .only("a")
    let first = try await Stage(vendors, routes: routes, at: place)
    let second = try await Stage(vendors, routes: routes, at: place)
    try await first.engagement.registerPush(Self.token)
    await first.drain("a", "b")
    try await second.engagement.setRoute(.only("b"), for: .push)
    try await second.engagement.setRoute(.only("b"), for: .person)
    try await first.signIn("u-1")
    #expect(try await phases(first) == ["b production pending"])
    #expect(try await first.waiting(for: "a", of: "u-1").isEmpty)
    #expect(
      try await first.waiting(for: "b", of: "u-1") == [
        .operation(.registerPush(.production)), .operation(.associate("u-1")),
      ])
    try await second.end()
    try await first.end()
  }

  @Test("X16 X8: a token that comes while a user signs in is that user's, and one that goes is too")
  func registeredDuringSignIn() async throws {
    let (asked, gate) = (AsyncSignal(), AsyncSignal())
    let stage = try await Stage(Self.vendors, routes: Self.routes(.only("b"))) { request in
      if request.line == "POST /person.update" {
        asked.fire()
        await gate.wait(after: 0)
      }
      return .json(200, "[]")
    }
    var count = 0
    try await stage.signIn("u-1")
    try await stage.engagement.registerPush(Self.sandbox)
    await stage.drain("a", "b")
    try await stage.engagement.updatePerson(PersonUpdate(name: "One"))
    let signIn = Task { try await stage.signIn("u-2") }
    await asked.wait(after: 0)
    _ = tokens(stage, after: &count)
    let registration = Task { try await stage.engagement.registerPush(Self.token) }
    let end = Task { try await stage.engagement.unregisterPush(.sandbox) }
    // Time for a registration that waits for nobody.
    try await Task.sleep(for: .milliseconds(200))
    gate.fire()
    try await signIn.value
    _ = try await registration.value
    _ = try await end.value
    #expect(stage.engagement.user == "u-2")
    await stage.drain("a", "b")
    #expect(
      tokens(stage, after: &count).filter { $0 != "b: take 0bff" } == [
        "b: back 0bff", "b: take 0aff",
      ])
    #expect(
      try await phases(stage) == ["b production registered", "b sandbox unregistered"])
    try await stage.end()
  }

  @Test(
    "X16 X8: a source of credentials may register a token while its user leaves",
    .timeLimit(.minutes(1)))
  func registeredByTransition() async throws {
    var vendor = Self.vendor("a")
    let step = vendor.onStep
    vendor.onTransition = { _, _, _ in [.leave(.vendor("farewell", .null))] }
    vendor.onStep = { operation, context throws(EngagementError) in
      guard operation.verb != .vendor("farewell") || context.credential != nil else {
        throw EngagementError(.unauthenticated, "There is no credential.")
      }
      return try step(operation, context)
    }
    let stage = try await Stage([vendor], routes: Self.routes(.only("a")))
    let engagement = stage.engagement
    try await engagement.signIn("u-1") { _ in
      try await engagement.registerPush(Self.token)
      return Secret("a credential")
    }
    let report = try await engagement.signOut()
    #expect(report.providers["a"]?.failure == nil)
    #expect(engagement.user == .anonymous)
    #expect(try await engagement.dependencies.providerSecrets.push()[.production] != nil)
    try await stage.end()
  }

  // MARK: Consent

  @Test("X16 X20: a vendor that joins without consent gets the token when there is consent")
  func joinsWithoutConsent() async throws {
    let stage = try await Stage(Self.vendors, routes: Self.routes(.only("a")))
    var count = 0
    try await stage.engagement.registerPush(Self.token)
    await stage.drain("a", "b")
    try await stage.engagement.setConsent(.denied)
    try await stage.engagement.setRoute(.mirror(["a", "b"]), for: .push)
    await stage.drain("a", "b")
    #expect(tokens(stage, after: &count) == ["a: take 0aff"])
    try await stage.engagement.setConsent(.full)
    await stage.drain("a", "b")
    #expect(tokens(stage, after: &count) == ["b: take 0aff"])
    try await stage.engagement.setConsent(.denied)
    try await stage.engagement.setRoute(.only("b"), for: .push)
    try await stage.engagement.setRoute(.mirror(["a", "b"]), for: .push)
    try await stage.engagement.setRoute(.only("b"), for: .push)
    try await stage.engagement.setConsent(.full)
    await stage.drain("a", "b")
    #expect(!tokens(stage, after: &count).contains("a: take 0aff"))
    #expect(
      try await phases(stage) == ["a production unregistered", "b production registered"])
    try await stage.end()
  }

  // MARK: Giving tokens back

  @Test("X16: a token is given back by every vendor that has it, wherever the route leads now")
  func configuredElsewhere() async throws {
    let place = Stage.Place()
    let first = try await Stage(Self.vendors, routes: Self.routes(.only("a")), at: place)
    try await first.engagement.registerPush(Self.token)
    await first.drain("a")
    try await first.end()
    let second = try await Stage(Self.vendors, routes: Self.routes(.only("b")), at: place)
    var count = 0
    try await second.engagement.unregisterPush()
    await second.drain("a", "b")
    #expect(tokens(second, after: &count).contains("a: back 0aff"))
    #expect(try await phases(second).contains("a production unregistered"))
    // There is nothing left that the vendor could give back.
    try await second.engagement.registerPush(Self.token)
    await second.drain("a", "b")
    try await second.engagement.unregisterPush()
    await second.drain("a", "b")
    #expect(tokens(second, after: &count) == ["b: back 0aff", "b: take 0aff"])
    try await second.end()
  }

  @Test("X16: a route of vendors that give no token back does not keep others from doing so")
  func mutedRoute() async throws {
    let place = Stage.Place()
    var abilities = PuppetAdapter.able
    abilities[.unregisterPush] = nil
    let vendors = [Self.vendor("a"), Self.vendor("b", abilities: abilities)]
    let first = try await Stage(vendors, routes: Self.routes(.only("a")), at: place)
    try await first.engagement.registerPush(Self.token)
    await first.drain("a")
    try await first.end()
    let second = try await Stage(vendors, routes: Self.routes(.only("b")), at: place)
    var count = 0
    try await second.engagement.unregisterPush()
    await second.drain("a", "b")
    // It was told at opening too.
    #expect(Set(tokens(second, after: &count)) == ["a: back 0aff"])
    #expect(try await second.engagement.dependencies.providerSecrets.push().isEmpty)
    // Nor when no other has a token.
    try await second.engagement.registerPush(Self.token)
    try await second.engagement.unregisterPush()
    #expect(try await second.engagement.dependencies.providerSecrets.push().isEmpty)
    try await second.end()
  }

  @Test("X16: a registration asks a vendor again that has left the route and did not let go")
  func askedAgain() async throws {
    let refuses = Locked(true)
    var vendor = Self.vendor("a")
    vendor.onAnswer = { operation, _, _ in
      guard operation == .unregisterPush(.production), refuses.withLock(\.self) else { return nil }
      return .refused(.permissionDenied, "Not now.")
    }
    let stage = try await Stage([vendor, Self.vendor("b")], routes: Self.routes(.only("a")))
    var count = 0
    try await stage.engagement.registerPush(Self.token)
    await stage.drain("a", "b")
    try await stage.engagement.setRoute(.only("b"), for: .push)
    await stage.drain("a", "b")
    #expect(try await phases(stage) == ["a production failed", "b production registered"])
    refuses.withLock { $0 = false }
    _ = tokens(stage, after: &count)
    let receipt = try await stage.engagement.registerPush(Self.token)
    #expect(receipt.providers == ["b"])
    await stage.drain("a", "b")
    #expect(tokens(stage, after: &count) == ["a: back 0aff", "b: take 0aff"])
    #expect(try await phases(stage) == ["a production unregistered", "b production registered"])
    try await stage.end()
  }

  @Test("X16 X8: who leaves before the next vendor took the token has it taken from the former one")
  func leavesMeanwhile() async throws {
    let isUp = Locked(true)
    var vendors = Self.vendors
    // They tell nothing at a sign-out.
    for index in vendors.indices { vendors[index].onTransition = { _, _, _ in [] } }
    let stage = try await Stage(vendors, routes: Self.routes(.only("a"))) {
      request throws(EngagementError) in
      guard isUp.withLock(\.self) || request.isFor("a") else {
        throw EngagementError(.unavailable, "No network.")
      }
      return .json(200, "[]")
    }
    try await stage.signIn("u-1")
    try await stage.engagement.registerPush(Self.token)
    await stage.drain("a", "b")
    isUp.withLock { $0 = false }
    try await stage.engagement.setRoute(.only("b"), for: .push)
    await stage.drain("a", "b")
    var count = 0
    _ = tokens(stage, after: &count)
    _ = try await stage.engagement.signOut(within: .seconds(1))
    #expect(tokens(stage, after: &count).filter { $0.hasPrefix("a:") } == ["a: back 0aff"])
    try await stage.end()
  }

  // MARK: What a sign-out says

  @Test("X16: a sign-out says of each vendor whether it has a token and has not let go of it")
  func mayStillPush() async throws {
    let isUp = Locked(true)
    let vendors = [Self.vendor("a"), Self.vendor("b"), Self.vendor("c")]
    let stage = try await Stage(vendors, routes: Self.routes(.mirror(["a", "b"]))) {
      request throws(EngagementError) in
      guard isUp.withLock(\.self) || request.isFor("b") else {
        throw EngagementError(.unavailable, "No network.")
      }
      return .json(200, "[]")
    }
    try await stage.signIn("u-1")
    try await stage.engagement.registerPush(Self.token)
    await stage.drain("a", "b", "c")
    isUp.withLock { $0 = false }
    try await stage.engagement.unregisterPush()
    let report = try await stage.engagement.signOut()
    #expect(report.providers["a"]?.mayStillPush == true)
    #expect(report.providers["b"]?.mayStillPush == false)
    #expect(report.providers["c"]?.mayStillPush == false)
    try await stage.end()
  }

  @Test(
    "X16: a sign-out names no vendor that the route kept from the token",
    arguments: UndeliveredActions.allCases)
  func neverHadIt(_ undelivered: UndeliveredActions) async throws {
    let isUp = Locked(true)
    var vendors = Self.vendors
    // They tell nothing at a sign-out.
    for index in vendors.indices { vendors[index].onTransition = { _, _, _ in [] } }
    let stage = try await Stage(vendors, routes: Self.routes(.only("b"))) {
      _ throws(EngagementError) in
      guard isUp.withLock(\.self) else { throw EngagementError(.unavailable, "No network.") }
      return .json(200, "[]")
    }
    try await stage.signIn("u-1")
    try await stage.engagement.registerPush(Self.token)
    await stage.drain("a", "b")
    // The vendor has the token already, whatever becomes of this one.
    isUp.withLock { $0 = false }
    try await stage.engagement.registerPush(Self.token)
    let report = try await stage.engagement.signOut(undelivered: undelivered)
    #expect(report.providers["a"]?.mayStillPush == false)
    #expect(report.providers["b"]?.mayStillPush == true)
    try await stage.end()
  }
}
