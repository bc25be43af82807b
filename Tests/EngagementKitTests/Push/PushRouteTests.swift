import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementStore
import EngagementTesting
import Testing

@testable import EngagementKit

@Suite("routes of pushes", .timeLimit(.minutes(20))) struct PushRouteTests {
  static let token = PushRegistration(token: Secret("0aff"), service: .apns)
  static let sandbox = PushRegistration(
    token: Secret("0bff"), service: .apns, environment: .sandbox)

  /// A vendor that sends the tokens that it was given.
  static func vendor(
    _ provider: ProviderID,
    abilities: [EngagementAdapterAPI.Operation.Verb: Ability] = PuppetAdapter.able
  ) -> PuppetAdapter {
    var adapter = PuppetAdapter(provider, abilities: abilities)
    adapter.onStep = { operation, context throws(EngagementError) in
      let (line, environment): (String, PushEnvironment)
      switch operation {
      case .registerPush(let named): (line, environment) = ("take", named)
      case .unregisterPush(let named): (line, environment) = ("back", named)
      default: return nil
      }
      guard let push = context.push[environment] else {
        throw EngagementError(.invalidArgument, "There is no token.")
      }
      return .send(
        HTTPRequest(
          "POST", "https://\(provider).example/\(line)", body: Array(push.token.revealed.utf8)))
    }
    adapter.onTransition = { _, new, context in
      let environments = PushEnvironment.allCases.filter { context.push[$0] != nil }
      return [.sendPending]
        + environments.map {
          new.isAnonymous ? .leave(.unregisterPush($0)) : .enter(.registerPush($0))
        }
    }
    return adapter
  }

  static let vendors = [vendor("a"), vendor("b")]

  static func routes(_ push: Route?) -> Routes {
    Routes(cards: .only("a"), inbox: .none, push: push)
  }

  /// What was sent since the last call: `provider: line token`.
  func sent(_ stage: Stage, after count: inout Int) -> [String] {
    defer { count = stage.transport.requests.count }
    return stage.transport.requests.dropFirst(count).map { request in
      let provider = request.isFor("a") ? "a" : "b"
      return "\(provider): \(request.line.dropFirst(6)) \(request.text)"
    }.sorted()
  }

  func phases(_ stage: Stage) async throws -> [String] {
    try await stage.engagement.pushStates().map { state in
      "\(state.provider) \(state.environment) \(state.phase.name)"
    }
  }

  @Test("X16 R4.5: only the vendors of the route get a token, and each has a state of its own")
  func onlyTheRoute() async throws {
    let stage = try await Stage(Self.vendors, routes: Self.routes(.only("a")))
    var count = 0
    try await stage.engagement.registerPush(Self.token)
    #expect(try await phases(stage) == ["a production pending"])
    await stage.drain("a", "b")
    #expect(sent(stage, after: &count) == ["a: take 0aff"])
    #expect(try await phases(stage) == ["a production registered"])
    try await stage.engagement.unregisterPush()
    #expect(try await phases(stage) == ["a production registered"])
    await stage.drain("a", "b")
    #expect(sent(stage, after: &count) == ["a: back 0aff"])
    #expect(try await phases(stage) == ["a production unregistered"])
    try await stage.end()
  }

  @Test(
    "X16 X2: a vendor that joins gets the tokens that are there, one that leaves gives them back")
  func moves() async throws {
    let stage = try await Stage(Self.vendors, routes: Self.routes(.only("a")))
    var count = 0
    try await stage.engagement.registerPush(Self.token)
    try await stage.engagement.registerPush(Self.sandbox)
    await stage.drain("a", "b")
    _ = sent(stage, after: &count)
    try await stage.engagement.setRoute(.only("b"), for: .push)
    // A token that comes later is none of the vendor's that has left.
    try await stage.engagement.registerPush(
      PushRegistration(token: Secret("0cff"), service: .apns))
    await stage.drain("a", "b")
    #expect(
      sent(stage, after: &count) == [
        "a: back 0aff", "a: back 0bff", "b: take 0bff", "b: take 0cff", "b: take 0cff",
      ])
    #expect(
      try await phases(stage) == [
        "a production unregistered", "a sandbox unregistered", "b production registered",
        "b sandbox registered",
      ])
    #expect(try await stage.engagement.dependencies.providerSecrets.retiredKeys().isEmpty)
    try await stage.engagement.setRoute(.mirror(["a", "b"]), for: .push)
    await stage.drain("a", "b")
    #expect(sent(stage, after: &count) == ["a: take 0bff", "a: take 0cff"])
    try await stage.engagement.resetRoute(for: .push)
    await stage.drain("a", "b")
    #expect(sent(stage, after: &count) == ["b: back 0bff", "b: back 0cff"])
    try await stage.end()
  }

  @Test("X16: a route that leads nowhere keeps the token, and whoever joins gets it")
  func nowhere() async throws {
    let stage = try await Stage(Self.vendors, routes: Self.routes(Route.none))
    var count = 0
    try await stage.engagement.registerPush(Self.token)
    await stage.drain("a", "b")
    #expect(sent(stage, after: &count).isEmpty)
    #expect(try await phases(stage).isEmpty)
    try await stage.engagement.setRoute(.only("b"), for: .push)
    await stage.drain("a", "b")
    #expect(sent(stage, after: &count) == ["b: take 0aff"])
    try await stage.end()
  }

  @Test("X16 X8: the next user's token goes to the vendors of the route alone")
  func transitions() async throws {
    let stage = try await Stage(Self.vendors, routes: Self.routes(nil))
    var count = 0
    try await stage.signIn("u-1")
    try await stage.engagement.registerPush(Self.token)
    await stage.drain("a", "b")
    try await stage.engagement.setRoute(.only("b"), for: .push)
    await stage.drain("a", "b")
    _ = sent(stage, after: &count)
    _ = try await stage.engagement.signOut()
    #expect(sent(stage, after: &count) == ["b: back 0aff"])
    try await stage.signIn("u-2")
    #expect(try await phases(stage) == ["b production pending"])
    await stage.drain("a", "b")
    #expect(sent(stage, after: &count) == ["b: take 0aff"])
    try await stage.signIn("u-1")
    #expect(try await phases(stage).contains("a production unregistered"))
    try await stage.end()
  }

  @Test("X16 X8: a route that changes while a user signs in leaves no token where it does not lead")
  func duringSignIn() async throws {
    let (asked, gate) = (AsyncSignal(), AsyncSignal())
    let stage = try await Stage(Self.vendors, routes: Self.routes(nil)) { request in
      if request.line == "POST /person.update" {
        asked.fire()
        await gate.wait(after: 0)
      }
      return .json(200, "[]")
    }
    try await stage.signIn("u-1")
    try await stage.engagement.registerPush(Self.token)
    await stage.drain("a", "b")
    try await stage.engagement.updatePerson(PersonUpdate(name: "One"))
    let signIn = Task { try await stage.signIn("u-2") }
    await asked.wait(after: 0)
    let route = Task { try await stage.engagement.setRoute(.only("b"), for: .push) }
    // Time for a change that waits for nobody.
    try await Task.sleep(for: .milliseconds(200))
    gate.fire()
    try await signIn.value
    try await route.value
    await stage.drain("a", "b")
    #expect(try await !phases(stage).contains("a production registered"))
    #expect(try await phases(stage).contains("b production registered"))
    try await stage.end()
  }

  @Test("X16: a state holds over a restart, and says why a vendor did not take the token")
  func failed() async throws {
    let place = Stage.Place()
    var vendor = Self.vendor("a")
    vendor.onAnswer = { operation, _, _ in
      guard operation == .registerPush(.production) else { return nil }
      return .refused(.permissionDenied, "The application has no certificate.")
    }
    let first = try await Stage([vendor], routes: Self.routes(.only("a")), at: place)
    try await first.engagement.registerPush(Self.token)
    await first.drain("a")
    try await first.end()
    let second = try await Stage([vendor], routes: Self.routes(.only("a")), at: place)
    let states = try await second.engagement.pushStates()
    #expect(
      states.map(\.phase) == [
        .failed(.permissionDenied, reason: "The application has no certificate.")
      ])
    #expect(states.first?.changedAt == second.clock.now)
    try await second.end()
  }

  @Test("X16: a change of the route that is refused tells no vendor and keeps no token")
  func refused() async throws {
    let stage = try await Stage(Self.vendors, routes: Self.routes(.only("a")))
    var count = 0
    try await stage.engagement.registerPush(Self.token)
    await stage.drain("a", "b")
    _ = sent(stage, after: &count)
    let error = await failure { try await stage.engagement.setRoute(.only("c"), for: .push) }
    #expect(error?.code == .invalidConfiguration)
    #expect(stage.engagement.routes.push == .only("a"))
    await stage.drain("a", "b")
    #expect(sent(stage, after: &count).isEmpty)
    #expect(try await stage.engagement.dependencies.providerSecrets.retiredKeys().isEmpty)
    try await stage.end()
  }

  @Test("X16 X20: without consent a vendor that joins gets no token; one that leaves gives it back")
  func withoutConsent() async throws {
    let stage = try await Stage(Self.vendors, routes: Self.routes(.only("a")))
    var count = 0
    try await stage.engagement.registerPush(Self.token)
    await stage.drain("a", "b")
    try await stage.engagement.setConsent(.denied)
    await stage.drain("a", "b")
    _ = sent(stage, after: &count)
    try await stage.engagement.setRoute(.only("b"), for: .push)
    await stage.drain("a", "b")
    #expect(sent(stage, after: &count) == ["a: back 0aff"])
    try await stage.end()
  }

  @Test("X16: a registration in another process follows a route that was set a moment ago")
  func otherProcess() async throws {
    let place = Stage.Place()
    let first = try await Stage(Self.vendors, routes: Self.routes(.only("a")), at: place)
    let second = try await Stage(Self.vendors, routes: Self.routes(.only("a")), at: place)
    try await first.engagement.setRoute(.only("b"), for: .push)
    try await second.engagement.registerPush(Self.token)
    #expect(try await phases(second) == ["b production pending"])
    try await second.end()
    try await first.end()
  }
}
