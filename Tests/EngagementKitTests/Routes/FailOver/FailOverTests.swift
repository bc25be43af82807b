import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

@Suite("fail-over", .timeLimit(.minutes(20))) struct FailOverTests: FailOverSuite {
  let place = Stage.Place()
  let down = Locked<Set<ProviderID>>([])

  @Test(
    "X9: the next provider is shown when the first has failed often enough, and the first again",
    arguments: FailOverSpot.allCases)
  func whole(spot: FailOverSpot) async throws {
    let stage = try await stage(spot, try Self.route())
    try await stage.signIn("u-1", consent: .full)
    let engagement = stage.engagement
    #expect(await engagement.refresh(spot.target).providers == ["a": .fresh])
    set(down: ["a"])
    for _ in 0..<2 {
      let outcome = await engagement.refresh(spot.target)
      #expect(outcome.providers.keys.sorted() == ["a"] && !outcome.isComplete)
      #expect(spot.shown(by: engagement) == ["a/1"])
    }
    // The third failure opens the breaker; the same refresh asks the next provider.
    let third = await engagement.refresh(spot.target)
    #expect(third.providers["b"] == .fresh && third.providers["a"]?.error?.code == .unavailable)
    #expect(spot.shown(by: engagement) == ["b/1"])
    #expect(asked(stage) == ["a": 4, "b": 1])
    place.clock.advance(by: .seconds(29))
    #expect(await engagement.refresh(spot.target).isComplete)
    #expect(asked(stage) == ["a": 4, "b": 2])
    place.clock.advance(by: .seconds(1))
    _ = await engagement.refresh(spot.target)
    _ = await engagement.refresh(spot.target)
    #expect(asked(stage) == ["a": 5, "b": 4])
    set(down: [])
    place.clock.advance(by: .seconds(30))
    let back = await engagement.refresh(spot.target)
    #expect(back.isComplete && spot.shown(by: engagement) == ["a/1"])
    _ = await engagement.refresh(spot.target)
    #expect(asked(stage) == ["a": 7, "b": 5])
    #expect(
      try moves() == [
        "fellThrough a>b failures", "refused b>a failures", "returned b>a answered",
      ])
    #expect(try events().allSatisfy { $0["milliseconds"]?.integer == 0 })
    try await stage.end()
  }

  @Test("X9: an event has surface, container, code and how long it took")
  func properties() async throws {
    let (clock, down) = (place.clock, down)
    let stage = try await stage(.container, try Self.route(1)) { request in
      clock.advance(by: .milliseconds(250))
      return down.withLock { $0.contains("a") } && request.isFor("a")
        ? HTTPResponse(503) : .json(200, #"["1"]"#)
    }
    try await fall(stage, .container, 1)
    #expect(
      try events() == [
        [
          "surface": "cards", "container": "home", "outcome": "fellThrough", "from": "a", "to": "b",
          "reason": "failures", "code": "unavailable", "milliseconds": 500,
        ]
      ])
    try await stage.end()
  }

  @Test("X9: a first provider that fails with nothing to show is followed by the next at once")
  func nothingToShow() async throws {
    set(down: ["a"])
    let stage = try await stage(.cards, try Self.route())
    try await stage.signIn("u-1", consent: .full)
    let outcome = await stage.engagement.refresh(.cards(in: "home"))
    #expect(outcome.providers["b"] == .fresh && !outcome.isComplete)
    #expect(FailOverSpot.cards.shown(by: stage.engagement) == ["b/1"])
    #expect(asked(stage) == ["a": 1, "b": 1])
    #expect(try moves() == ["fellThrough a>b nothingToShow"])
    try await stage.end()
  }

  @Test(
    "X9 G19: what is shown, the failures and the cool-down survive a restart and a clock that jumps",
    arguments: FailOverSpot.allCases)
  func restart(spot: FailOverSpot) async throws {
    let route = try Self.route()
    let year = 31_536_000.0
    let stage = try await stage(spot, route)
    try await stage.signIn("u-1", consent: .full)
    _ = await stage.engagement.refresh(spot.target)
    set(down: ["a"])
    for _ in 0..<2 { _ = await stage.engagement.refresh(spot.target) }
    place.clock.set(to: place.clock.now.addingTimeInterval(-10 * year))
    try await stage.end()
    // The third failure comes in the next process.
    let second = try await self.stage(spot, route)
    _ = await second.engagement.refresh(spot.target)
    #expect(spot.shown(by: second.engagement) == ["b/1"])
    place.clock.advance(by: .seconds(20))
    place.clock.set(to: place.clock.now.addingTimeInterval(20 * year))
    try await second.end()
    set(down: [])
    let third = try await self.stage(spot, route)
    #expect(spot.shown(by: third.engagement) == ["b/1"] && third.transport.requests.isEmpty)
    place.clock.advance(by: .milliseconds(9_900))
    _ = await third.engagement.refresh(spot.target)
    #expect(asked(third) == ["a": 0, "b": 1])
    #expect(spot.shown(by: third.engagement) == ["b/1"])
    place.clock.set(to: place.clock.now.addingTimeInterval(-20 * year))
    place.clock.advance(by: .milliseconds(100))
    _ = await third.engagement.refresh(spot.target)
    #expect(asked(third)["a"] == 1 && spot.shown(by: third.engagement) == ["a/1"])
    #expect(try moves() == ["fellThrough a>b failures", "returned b>a answered"])
    try await third.end()
  }

  @Test(
    "X9: a pause, a missing credential, no change and an empty list are no failures",
    arguments: [429, 401, 304, 200])
  func harmless(status: Int) async throws {
    let isHarmless = Locked(false)
    let stage = try await stage(.cards, try Self.route(1)) { request in
      guard isHarmless.withLock({ $0 }), request.isFor("a") else { return .json(200, #"["1"]"#) }
      return status == 200 ? .json(200, "[]") : HTTPResponse(status)
    }
    try await stage.signIn("u-1", consent: .full)
    _ = await stage.engagement.refresh(.cards(in: "home"))
    isHarmless.withLock { $0 = true }
    for _ in 0..<4 {
      let outcome = await stage.engagement.refresh(.cards(in: "home"))
      #expect(outcome.providers.keys.sorted() == ["a"])
      place.clock.advance(by: .seconds(61))
    }
    #expect(
      FailOverSpot.cards.shown(by: stage.engagement) == (status == 200 ? [] : ["a/1"]))
    #expect(asked(stage)["b"] == 0)
    #expect(try moves().isEmpty)
    try await stage.end()
  }

  @Test("X9: a vendor whose endpoint is gone or is another one is failing")
  func gone() async throws {
    let isGone = Locked(false)
    let stage = try await stage(.cards, try Self.route(2)) { request in
      isGone.withLock { $0 } && request.isFor("a")
        ? HTTPResponse(404) : .json(200, #"["1"]"#)
    }
    try await stage.signIn("u-1", consent: .full)
    _ = await stage.engagement.refresh(.cards(in: "home"))
    isGone.withLock { $0 = true }
    for _ in 0..<2 { _ = await stage.engagement.refresh(.cards(in: "home")) }
    #expect(FailOverSpot.cards.shown(by: stage.engagement) == ["b/1"])
    #expect(try moves() == ["fellThrough a>b failures"])
    try await stage.end()
  }

  @Test("X9 G15: missing consent is no failure")
  func consent() async throws {
    let stage = try await stage(.cards, try Self.route(1))
    try await stage.signIn("u-1", consent: .denied)
    for _ in 0..<3 {
      let outcome = await stage.engagement.refresh(.cards(in: "home"))
      #expect(outcome.providers.mapValues(\.error?.code) == ["a": .consentDenied])
    }
    #expect(stage.transport.requests.isEmpty)
    try await stage.end()
  }

  @Test("X9: a muted vendor is no failing one, and does not bring its cards back unasked")
  func muted() async throws {
    let isMuted = Locked(false)
    var muted = Self.plain("a")
    muted.onStep = { operation, _ throws(EngagementError) in
      guard case .cards = operation, isMuted.withLock(\.self) else { return nil }
      return .done([])
    }
    let stage = try await Stage(
      [muted, Self.plain("b")], routes: FailOverSpot.cards.routes(try Self.route(1)), at: place
    ) { [down] request in
      down.withLock { $0.contains("a") } && request.isFor("a")
        ? HTTPResponse(503) : .json(200, #"["1"]"#)
    }
    try await stage.signIn("u-1", consent: .full)
    _ = await stage.engagement.refresh(.cards(in: "home"))
    isMuted.withLock { $0 = true }
    for _ in 0..<3 {
      #expect(
        await stage.engagement.refresh(.cards(in: "home")).providers == ["a": .notModified])
    }
    #expect(asked(stage) == ["a": 1, "b": 0])
    isMuted.withLock { $0 = false }
    set(down: ["a"])
    _ = await stage.engagement.refresh(.cards(in: "home"))
    isMuted.withLock { $0 = true }
    place.clock.advance(by: .seconds(30))
    _ = await stage.engagement.refresh(.cards(in: "home"))
    #expect(FailOverSpot.cards.shown(by: stage.engagement) == ["b/1"])
    #expect(try moves() == ["fellThrough a>b failures", "refused b>a unanswered"])
    try await stage.end()
  }

  @Test("X9: a route that returns after a rest does so when the first choice has answered for it")
  func rest() async throws {
    let stage = try await stage(.cards, try Self.route(1, .afterRest(.seconds(60))))
    try await fall(stage, .cards, 1)
    set(down: [])
    for (wait, shown) in [(30, "b/1"), (59, "b/1"), (1, "a/1")] {
      place.clock.advance(by: .seconds(wait))
      _ = await stage.engagement.refresh(.cards(in: "home"))
      #expect(FailOverSpot.cards.shown(by: stage.engagement) == [shown])
    }
    #expect(
      try moves() == [
        "fellThrough a>b failures", "refused b>a resting", "returned b>a rested",
      ])
    try await stage.end()
  }

  @Test(
    "X9: a route that returns by hand does so when it is asked to, or says why not",
    arguments: FailOverSpot.allCases)
  func byHand(spot: FailOverSpot) async throws {
    let stage = try await stage(spot, try Self.route(1, .byHand))
    try await fall(stage, spot, 1)
    let engagement = stage.engagement
    place.clock.advance(by: .seconds(10))
    let early = await failure { try await spot.returnToFirstChoice(engagement) }
    #expect(early?.code == .unavailable && early?.provider == "a")
    #expect(early?.retryAfter == .seconds(20))
    #expect(early?.message == "It has failed and is not asked yet; try again in 20 s.")
    place.clock.advance(by: .seconds(90))
    // No refresh asks the first choice.
    _ = await engagement.refresh(spot.target)
    #expect(asked(stage)["a"] == 2)
    let failing = await failure { try await spot.returnToFirstChoice(engagement) }
    #expect(failing?.code == .unavailable && failing?.message == "The vendor is down.")
    #expect(asked(stage)["a"] == 3 && spot.shown(by: engagement) == ["b/1"])
    set(down: [])
    place.clock.advance(by: .seconds(30))
    try await spot.returnToFirstChoice(engagement)
    #expect(asked(stage)["a"] == 4 && spot.shown(by: engagement) == ["a/1"])
    // It is shown: nothing is asked.
    try await spot.returnToFirstChoice(engagement)
    #expect(asked(stage)["a"] == 4)
    #expect(
      try moves() == [
        "fellThrough a>b failures", "refused b>a coolingDown", "refused b>a failures",
        "returned b>a byHand",
      ])
    try await stage.end()
  }

  @Test("X9: a place without a fail-over has no first choice")
  func noFirstChoice() async throws {
    let stage = try await stage(.cards, .only("a"))
    let error = await failure { try await stage.engagement.returnToFirstChoice(of: .cards) }
    #expect(error?.code == .invalidArgument)
    #expect(
      error?.message == "routes.cards is not firstReady; only such a route has a first choice.")
    try await stage.end()
  }

  @Test(
    "X9: when all fail, what is shown stays, nobody is asked meanwhile, and the outcome says so")
  func allDown() async throws {
    let stage = try await stage(.cards, try Self.route(1))
    try await stage.signIn("u-1", consent: .full)
    _ = await stage.engagement.refresh(.cards(in: "home"))
    set(down: ["a", "b"])
    let both = await stage.engagement.refresh(.cards(in: "home"))
    #expect(both.providers.mapValues(\.error?.code) == ["a": .unavailable, "b": .unavailable])
    place.clock.advance(by: .seconds(12))
    let none = await stage.engagement.refresh(.cards(in: "home"))
    #expect(asked(stage) == ["a": 2, "b": 1])
    guard case .stale(let age, let error)? = none.providers["a"], none.providers.count == 1 else {
      Issue.record("the outcome is \(none)")
      return
    }
    #expect(age == .seconds(12) && error.code == .unavailable && error.retryAfter == .seconds(18))
    #expect(FailOverSpot.cards.shown(by: stage.engagement) == ["a/1"])
    #expect(try moves().isEmpty)
    try await stage.end()
  }
}
