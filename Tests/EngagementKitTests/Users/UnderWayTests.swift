import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementStore
import EngagementTesting
import TestSupport
import Testing

@testable import EngagementKit

@Suite("a user switch during requests", .timeLimit(.minutes(20)))
struct UnderWayTests {
  /// A vendor whose answer to a cards request makes every kind of change.
  private static let talkative: PuppetAdapter = {
    var adapter = PuppetAdapter("braze", abilities: [.cards: .idempotentRequest])
    adapter.onAnswer = { operation, response, context in
      guard operation.verb == .cards, response.status == 200 else { return nil }
      let name = context.user.id?.rawValue ?? "nobody"
      let card = RawCard("card of \(name)").item
      return Answer([
        .items(.cards, .replace(.nothing), [card]), .keep(.user, "mark", name),
        .keep(.installation, "device", name), .secret(.installation, "token", Secret(name)),
        .secret(.user, "token", Secret(name)), .wanted(.vendor("welcome", .null)),
        .pushToken(PushRegistration(token: Secret(name), service: .fcm)),
      ])
    }
    return adapter
  }()

  @Test("X8 G13: a late answer for the former user is shown and stored for that user alone")
  func late() async throws {
    let gate = Gate()
    let stage = try await Stage([Self.talkative]) { _ in
      await gate.pass()
      return .json(200, "[]")
    }
    try await stage.signIn("u-1")
    async let late = stage.engagement.refresh(.cards)
    await gate.isHolding(1)
    try await stage.signIn("u-2")
    gate.open()
    guard case .failed(let error)? = await late.providers["braze"] else {
      Issue.record("the former user's refresh has not failed")
      return
    }
    #expect(error.code == .signedOut)
    #expect(stage.engagement.cards(in: "home").cards.isEmpty)
    #expect(try await stage.kept("braze", for: "u-2").isEmpty)
    let memory = try await stage.memory(of: "braze", for: "u-2")
    #expect(memory.values[.user, "mark"] == nil && memory.values[.installation, "device"] == nil)
    let box = stage.engagement.dependencies.providerSecrets
    #expect(try await box.contents(of: "braze", for: "u-2").secrets == ScopedValues())
    #expect(try await box.push().isEmpty)
    #expect(try await stage.waiting(for: "braze", of: "u-2").isEmpty)

    // The former user's partition has it, and it is visible after that user's next sign-in.
    #expect(try await stage.kept("braze", for: "u-1") == ["card of u-1"])
    #expect(try await stage.memory(of: "braze", for: "u-1").values[.user, "mark"] == "u-1")
    let kept = try await box.contents(of: "braze", for: "u-1").secrets
    #expect(kept[.user, "token"] == Secret("u-1"))
    try await stage.signIn("u-1")
    #expect(stage.engagement.cards(in: "home").cards.map(\.id.value) == ["card of u-1"])
    try await stage.end()
  }

  @Test("G13: a request from an earlier session of the same user ends as signed out")
  func formerStay() async throws {
    let gate = Gate()
    let stage = try await Stage([Self.talkative]) { _ in
      await gate.pass()
      return .json(200, "[]")
    }
    try await stage.signIn("u-1")
    async let late = stage.engagement.refresh(.cards)
    await gate.isHolding(1)
    try await stage.signIn("u-2")
    try await stage.signIn("u-1")
    async let next = stage.engagement.refresh(.cards)
    await gate.isHolding(2)
    gate.open()
    #expect(await late.providers["braze"]?.error?.code == .signedOut)
    #expect(await next.providers["braze"] == .fresh, "the new session shares no earlier request")
    #expect(stage.engagement.cards(in: "home").cards.map(\.id.value) == ["card of u-1"])
    try await stage.end()
  }

  @Test("G14: a late answer for an erased user is discarded, even after a new sign-in")
  func erasedMeanwhile() async throws {
    let gate = Gate()
    let stage = try await Stage([Self.talkative]) { _ in
      await gate.pass()
      return .json(200, "[]")
    }
    try await stage.signIn("u-1")
    async let late = stage.engagement.refresh(.cards)
    await gate.isHolding(1)
    _ = try await stage.engagement.eraseData(of: "u-1")
    try await stage.signIn("u-1")
    gate.open()
    _ = await late
    #expect(stage.engagement.cards(in: "home").cards.isEmpty)
    let memory = try await stage.memory(of: "braze", for: "u-1")
    #expect(memory.values[.user, "mark"] == nil && memory.values[.installation, "device"] == nil)
    let box = stage.engagement.dependencies.providerSecrets
    #expect(try await box.contents(of: "braze", for: "u-1").secrets == ScopedValues())
    try await stage.end()
  }

  @Test("after adoption a late anonymous answer still changes installation values")
  func adopted() async throws {
    var adapter = Self.talkative
    adapter.onTransition = { _, _, _ in [.adoptPending] }
    let gate = Gate()
    let stage = try await Stage([adapter]) { _ in
      await gate.pass()
      return .json(200, "[]")
    }
    async let late = stage.engagement.refresh(.cards)
    await gate.isHolding(1)
    try await stage.signIn("u-1")
    gate.open()
    _ = await late
    let memory = try await stage.memory(of: "braze", for: "u-1")
    #expect(memory.values[.installation, "device"] == "nobody")
    #expect(memory.values[.user, "mark"] == nil)
    #expect(stage.engagement.cards(in: "home").cards.isEmpty)
    try await stage.end()
  }

  /// Users change while their refreshes are delayed for random times.
  @Test(
    "X8 G13: under random switches every request, card and value belongs to its own user",
    arguments: 0..<UInt64(Effort.share(of: 20)))
  func interleavings(seed: UInt64) async throws {
    var adapter = Self.talkative
    adapter.onStep = { _, context throws(EngagementError) in
      guard context.credential == nil else { return nil }
      throw EngagementError(.unauthenticated, "There is no credential.")
    }
    adapter.onTransition = { _, _, _ in
      [.sendPending, .apply([.keep(.installation, "device", nil)])]
    }
    let pauses = Locked(SeededGenerator(seed: seed))
    let stage = try await Stage([adapter]) { _ in
      for _ in 0..<pauses.withLock({ $0.below(40) }) { await Task.yield() }
      return .json(200, "[]")
    }
    var chance = SeededGenerator(seed: seed ^ 0xffff)
    try await stage.signIn("u-0")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<30 {
        if chance.chance(30) {
          try await stage.signIn(["u-0", "u-1", "u-2"][chance.below(3)])
          let user = stage.engagement.user
          let seen = stage.engagement.cards(in: "home").cards.map(\.id.value)
          #expect(seen.allSatisfy { $0 == "card of \(user.id?.rawValue ?? "")" })
        } else {
          group.addTask { _ = await stage.engagement.refresh(.cards) }
        }
        for _ in 0..<chance.below(20) { await Task.yield() }
      }
      try await group.waitForAll()
    }
    for request in stage.transport.requests {
      let user = request.url.split(separator: "=").last.map(String.init) ?? ""
      #expect(request.credential == .of(User(UserID(user)), at: "braze"))
    }
    for user: User in ["u-0", "u-1", "u-2"] {
      let name = user.id?.rawValue ?? ""
      let mark = try await stage.memory(of: "braze", for: user).values[.user, "mark"]
      #expect(mark == nil || mark == name)
      #expect(try await stage.kept("braze", for: user).allSatisfy { $0 == "card of \(name)" })
    }
    try await stage.end()
  }

  @Test("G15 G6: a hundred refused credentials cause one renewal, and every request is retried")
  func hundredRefusals() async throws {
    let count = 100
    let (arrivals, isOver) = (Gate(), Locked(false))
    var adapter = PuppetAdapter(
      "atomic", abilities: [.cards: .idempotentRequest], hasContainers: true)
    adapter.onStep = { _, context throws(EngagementError) in
      guard context.credential == nil else { return nil }
      throw EngagementError(.unauthenticated, "There is no credential.")
    }
    let stage = try await Stage([adapter]) { request in
      guard request.credential == Secret("token 1"), isOver.withLock({ $0 }) else {
        return .json(200, "[]")
      }
      await arrivals.pass()
      return HTTPResponse(401)
    }
    let asked = Locked(0)
    try await stage.engagement.signIn("u-1") { _ in
      let number = asked.withLock { asked in
        asked += 1
        return asked
      }
      return Secret("token \(number)")
    }
    #expect(await stage.engagement.refresh(.cards(in: "c")).providers == ["atomic": .fresh])
    isOver.withLock { $0 = true }
    stage.transport.forget()
    let outcomes = await withTaskGroup(of: RefreshOutcome.self) { group in
      for number in 0..<count {
        group.addTask { await stage.engagement.refresh(.cards(in: ContainerID("c-\(number)"))) }
      }
      await arrivals.isHolding(count)
      arrivals.open()
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.allSatisfy { $0.providers == ["atomic": .fresh] })
    #expect(asked.withLock { $0 } == 2, "once for the first, once for all hundred refusals")
    #expect(stage.transport.requests.count == 2 * count)
    try await stage.end()
  }
}
