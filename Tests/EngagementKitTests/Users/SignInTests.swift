import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementStore
import EngagementTesting
import Testing

@testable import EngagementKit

@Suite("signing in", .timeLimit(.minutes(20))) struct SignInTests {
  private static let farewell = EngagementAdapterAPI.Operation.vendor("farewell", .null)
  private static let welcome = EngagementAdapterAPI.Operation.vendor("welcome", .null)

  /// A vendor with a request of each user in a transition, and with an installation value.
  private static let vendor: PuppetAdapter = {
    var adapter = PuppetAdapter("braze")
    adapter.onTransition = { old, _, _ in
      let steps: [TransitionStep] = [
        .sendPending, .leave(farewell), .apply([.keep(.installation, "device", nil)]),
        .enter(welcome),
      ]
      return old.isAnonymous ? [.adoptPending, .enter(welcome)] : steps
    }
    adapter.onStep = { operation, context throws(EngagementError) in
      guard context.credential == nil else { return nil }
      throw EngagementError(.unauthenticated, "There is no credential.")
    }
    return adapter
  }()

  @Test("X8 G13: transition steps run in the vendor's order, each as its own user")
  func steps() async throws {
    let stage = try await Stage([Self.vendor])
    try await stage.signIn("u-1")
    try await stage.engagement.updatePerson(PersonUpdate(name: "One"))
    #expect(stage.transport.requests.isEmpty, "signing in sends no request by itself")
    try await stage.signIn("u-2")
    #expect(
      stage.asked == [
        "POST /vendor.welcome?user=u-1", "POST /person.update?user=u-1",
        "POST /vendor.farewell?user=u-1",
      ])
    #expect(
      stage.transport.requests.allSatisfy { $0.credential == .of("u-1", at: "braze") })
    stage.transport.forget()
    await stage.drain("braze")
    #expect(stage.asked == ["POST /vendor.welcome?user=u-2"])
    #expect(stage.transport.requests.map(\.credential) == [.of("u-2", at: "braze")])
    #expect(stage.engagement.user == "u-2")
    try await stage.end()
  }

  @Test(
    "X7 X8: without a network each user's operations wait for that user"
  )
  func offline() async throws {
    let isUp = Locked(false)
    let stage = try await Stage([Self.vendor]) { _ throws(EngagementError) in
      guard isUp.withLock({ $0 }) else { throw EngagementError(.unavailable, "No network.") }
      return .json(200, "[]")
    }
    try await stage.signIn("u-1")
    try await stage.signIn("u-2")
    #expect(
      try await stage.waiting(for: "braze", of: "u-1")
        == [.operation(Self.welcome), .operation(Self.farewell)])
    #expect(try await stage.waiting(for: "braze", of: "u-2") == [.operation(Self.welcome)])
    isUp.withLock { $0 = true }
    stage.transport.forget()
    stage.clock.advance(by: .seconds(600))
    await stage.drain("braze")
    #expect(stage.asked == ["POST /vendor.welcome?user=u-2"])
    try await stage.end()
  }

  @Test("a sign-in waits for slow vendors only up to its time limit")
  func bounded() async throws {
    let gate = Gate()
    var slow = PuppetAdapter("atomic")
    slow.onTransition = { old, _, _ in old.isAnonymous ? [] : [.leave(Self.farewell)] }
    let clock = TestClock()
    let stage = try await Stage([Self.vendor, slow]) { request throws(EngagementError) in
      guard (try? request.target())?.host.text == "atomic.example" else { return .json(200, "[]") }
      gate.open()
      await clock.sleep(until: .seconds(3_600))
      throw EngagementError(.cancelled, "It was cancelled.")
    }
    try await stage.signIn("u-1")
    stage.transport.forget()
    async let done = stage.engagement.signIn("u-2", within: .seconds(2))
    await gate.pass()
    await stage.clock.sleepers(1)
    stage.clock.advance(by: .seconds(2))
    _ = try await done
    #expect(stage.engagement.user == "u-2")
    #expect(try await stage.waiting(for: "atomic", of: "u-1").contains(.operation(Self.farewell)))
    #expect(try await stage.waiting(for: "atomic", of: "u-2").isEmpty)
    try await stage.end()
  }

  @Test("signing in the same user again replaces only the credential source")
  func sameUser() async throws {
    let stage = try await Stage([Self.vendor])
    try await stage.signIn("u-1")
    let generation = stage.engagement.dependencies.currentUser.userSession.generation
    try await stage.engagement.signIn("u-1") { _ in Secret("another") }
    #expect(stage.engagement.dependencies.currentUser.userSession.generation == generation)
    await stage.drain("braze")
    #expect(stage.transport.requests.map(\.credential) == [Secret("another")])
    try await stage.end()
  }

  @Test("X8: of concurrent sign-ins only the last one succeeds")
  func lastWins() async throws {
    let gate = Gate()
    let stage = try await Stage([Self.vendor]) { request in
      if request.line.hasSuffix("farewell") { await gate.pass() }
      return .json(200, "[]")
    }
    try await stage.signIn("u-1")
    let second = Task { await failure { try await stage.engagement.signIn("u-2") } }
    await gate.isHolding(1)
    let third = Task { await failure { try await stage.engagement.signIn("u-3") } }
    while stage.engagement.userTransitions.queue.waiting < 1 { await Task.yield() }
    let fourth = Task { await failure { try await stage.engagement.signIn("u-4") } }
    while stage.engagement.userTransitions.queue.waiting < 2 { await Task.yield() }
    gate.open()
    #expect(await second.value?.code == .conflict)
    #expect(await third.value?.code == .conflict)
    #expect(await fourth.value == nil)
    #expect(stage.engagement.user == "u-4")
    #expect(!stage.asked.contains { $0.hasSuffix("u-3") }, "a superseded user sends no request")
    try await stage.end()
  }

  @Test("a cancelled sign-in leaves the former user signed in")
  func cancelled() async throws {
    let gate = Gate()
    let stage = try await Stage([Self.vendor]) { request in
      if request.line.hasSuffix("farewell") { await gate.pass() }
      return .json(200, "[]")
    }
    try await stage.signIn("u-1")
    let change = Task { await failure { try await stage.engagement.signIn("u-2") } }
    await gate.isHolding(1)
    change.cancel()
    gate.open()
    #expect(await change.value?.code == .cancelled)
    #expect(stage.engagement.user == "u-1")
    #expect(stage.engagement.dependencies.currentUser.userSession.user == "u-1")
    try await stage.end()
  }

  @Test("a user id that a vendor cannot take is refused before the user changes")
  func ids() async throws {
    var adapter = PuppetAdapter("braze")
    adapter.capabilities.limits.userIDBytes = 4
    let stage = try await Stage([adapter])
    for user: User in [.anonymous, "", "12345", "ééé"] {
      #expect(
        await failure { try await stage.engagement.signIn(user) }?.code == .invalidArgument)
    }
    #expect(stage.engagement.user == .anonymous)
    try await stage.engagement.signIn("éé")
    #expect(stage.engagement.user == "éé")
    try await stage.end()
  }

  // MARK: From anonymous

  @Test("B6: the first user adopts pending rows only at providers whose adapter requests it")
  func adoption() async throws {
    let stage = try await Stage([Self.vendor, PuppetAdapter("atomic")]) {
      _ throws(EngagementError) in throw EngagementError(.unavailable, "No network.")
    }
    let update = PersonUpdate(name: "Nobody")
    try await stage.engagement.updatePerson(update)
    try await stage.signIn("u-1")
    #expect(
      try await Set(stage.waiting(for: "braze", of: "u-1"))
        == [.operation(.updatePerson(update)), .operation(Self.welcome)])
    #expect(try await stage.waiting(for: "braze", of: .anonymous).isEmpty)
    #expect(
      try await stage.waiting(for: "atomic", of: .anonymous) == [.operation(.updatePerson(update))])
    #expect(try await stage.waiting(for: "atomic", of: "u-1").isEmpty)
    #expect(stage.engagement.dependencies.currentUser.userSession.adopters == ["braze"])
    try await stage.end()
  }

  @Test("B6 G13: nobody adopts what an earlier anonymous user left, also after a restart")
  func earlierStays() async throws {
    var vendor = PuppetAdapter("braze")
    // As a vendor that ties the device to its last user.
    vendor.onTransition = { old, new, context in
      if !old.isAnonymous { return [.apply([.keep(.installation, "last", old.id?.rawValue)])] }
      let last = context.values[.installation, "last"]
      return last == nil || last == new.id?.rawValue ? [.adoptPending] : []
    }
    let place = Stage.Place()
    let isAway: ScriptedTransport.Script = { _ throws(EngagementError) in
      throw EngagementError(.unavailable, "No network.")
    }
    var stage = try await Stage([vendor], at: place, isAway)
    try await stage.engagement.updatePerson(PersonUpdate(name: "first"))
    try await stage.signIn("u-1")
    #expect(try await stage.waiting(for: "braze", of: "u-1").count == 1)
    _ = try await stage.engagement.signOut()
    try await stage.engagement.updatePerson(PersonUpdate(name: "second"))
    // The device was the first user's.
    try await stage.signIn("u-2")
    #expect(try await stage.waiting(for: "braze", of: "u-2").isEmpty)
    _ = try await stage.engagement.signOut()
    try await stage.end()
    stage = try await Stage([vendor], at: place, isAway)
    let third = PersonUpdate(name: "third")
    try await stage.engagement.updatePerson(third)
    try await stage.signIn("u-2")
    #expect(try await stage.waiting(for: "braze", of: "u-2") == [.operation(.updatePerson(third))])
    #expect(try await stage.waiting(for: "braze", of: .anonymous).count == 1)
    try await stage.end()
  }

  @Test("G13: nobody adopts what was done after another user, whatever the adapter asks for")
  func betweenTwoUsers() async throws {
    var vendor = PuppetAdapter("braze")
    vendor.onTransition = { old, _, _ in old.isAnonymous ? [.adoptPending] : [] }
    let place = Stage.Place()
    let isAway: ScriptedTransport.Script = { _ throws(EngagementError) in
      throw EngagementError(.unavailable, "No network.")
    }
    var stage = try await Stage([vendor], at: place, isAway)
    for user: User in ["u-2", "u-1"] { try await stage.signIn(user) }
    _ = try await stage.engagement.signOut()
    try await stage.engagement.updatePerson(PersonUpdate(name: "between"))
    try await stage.end()
    stage = try await Stage([vendor], at: place, isAway)
    try await stage.signIn("u-2")
    #expect(try await stage.waiting(for: "braze", of: "u-2").isEmpty)
    #expect(try await stage.waiting(for: "braze", of: .anonymous).count == 1)
    // The same user comes back and takes over what was done in between.
    _ = try await stage.engagement.signOut()
    let own = PersonUpdate(name: "own")
    try await stage.engagement.updatePerson(own)
    try await stage.signIn("u-2")
    #expect(try await stage.waiting(for: "braze", of: "u-2") == [.operation(.updatePerson(own))])
    try await stage.end()
  }

  // MARK: Restarts

  @Test("X8: a restart restores the last user and the cached cards without a credential")
  func restart() async throws {
    let place = Stage.Place()
    let first = try await Stage([Self.vendor], at: place) { request in
      .json(200, request.line.hasSuffix("cards") ? #"["a", "b"]"# : "[]")
    }
    try await first.signIn("u-1")
    #expect(await first.engagement.refresh(.cards).providers == ["braze": .fresh])
    try await first.end()

    let second = try await Stage([Self.vendor], at: place)
    #expect(second.engagement.user == "u-1")
    #expect(try await second.kept("braze", for: "u-1") == ["a", "b"])
    #expect(second.engagement.cards(in: "home").cards.map(\.id.value) == ["a", "b"])
    let outcome = await second.engagement.refresh(.cards).providers["braze"]
    guard case .stale(_, let error)? = outcome else {
      Issue.record("the cards are not the cached ones but \(outcome.debugDescription)")
      return
    }
    #expect(error.code == .unauthenticated && error.message.contains("signIn"))
    #expect(second.transport.requests.isEmpty)
    try await second.signIn("u-1")
    #expect(await second.engagement.refresh(.cards).providers == ["braze": .fresh])
    try await second.end()
  }
}

extension PersonUpdate {
  init(name: String) {
    self.init()
    self.name = name
  }
}
