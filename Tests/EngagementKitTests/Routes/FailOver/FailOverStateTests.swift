import EngagementModel
import TestSupport
import Testing

@testable import EngagementKit

@Suite("state of a fail-over") struct FailOverStateTests {
  private static func state(
    _ returning: FailOver.Returning = .atOnce, failures: Int = 1,
    _ candidates: [ProviderID] = ["a", "b", "c"]
  ) throws -> FailOverState {
    let rules = try FailOver(
      failures: failures, within: .seconds(300), coolDown: .seconds(30), returning: returning)
    return try #require(FailOverState(.firstReady(candidates, rules)))
  }

  /// One refresh against vendors of which some are up; who was asked, and the moves.
  private static func refresh(
    _ state: inout FailOverState, up: Set<ProviderID>, at now: Duration,
    hasNothing: Set<ProviderID> = []
  ) -> (asked: [[ProviderID]], moves: [FailOverState.Move]) {
    var (asked, moves): ([[ProviderID]], [FailOverState.Move]) = ([], [])
    var reports: [FailOverState.Report] = []
    var asks = state.firstAsks(at: now)
    while !asks.isEmpty {
      asked.append(asks)
      var new: [FailOverState.Report] = []
      for provider in asks {
        let isUp = up.contains(provider)
        state.note(isUp ? .answered : .failed, of: provider, at: now)
        new.append(
          FailOverState.Report(
            provider: provider, isHeard: isUp, code: isUp ? nil : .unavailable,
            hasNothing: !isUp && hasNothing.contains(provider)))
      }
      reports += new
      moves += state.move(after: reports, new: new, at: now)
      asks = state.nextAsk(after: reports, at: now).map { [$0] } ?? []
    }
    return (asked, moves)
  }

  @Test("X9: a route without a fail-over has no state")
  func others() {
    for route in [Route.only("a"), .merge(["a", "b"]), .none, .mirror(["a"])] {
      #expect(FailOverState(route) == nil)
    }
  }

  @Test("X9: it falls through to the first that answers, in one refresh, and to none that fails")
  func fallsThrough() throws {
    var state = try Self.state()
    let found = Self.refresh(&state, up: ["c"], at: .zero)
    #expect(found.asked == [["a"], ["b"], ["c"]])
    #expect(
      found.moves == [
        .init(.fellThrough, from: "a", to: "c", because: .failures, .unavailable)
      ])
    #expect(state.shown == "c")
    // Nobody answers: what is shown stays, and nobody is asked until one has cooled down.
    let none = Self.refresh(&state, up: [], at: .seconds(1))
    #expect(none.asked == [["c"]] && none.moves.isEmpty && state.shown == "c")
    #expect(Self.refresh(&state, up: ["a", "b", "c"], at: .seconds(2)).asked.isEmpty)
  }

  @Test("X9: a failure with nothing to show falls through before the breaker opens")
  func nothingToShow() throws {
    var state = try Self.state(failures: 3)
    let kept = Self.refresh(&state, up: ["b"], at: .zero)
    #expect(kept.asked == [["a"]] && kept.moves.isEmpty)
    let empty = Self.refresh(&state, up: ["b"], at: .seconds(1), hasNothing: ["a"])
    #expect(empty.asked == [["a"], ["b"]])
    #expect(
      empty.moves == [
        .init(.fellThrough, from: "a", to: "b", because: .nothingToShow, .unavailable)
      ])
    #expect(!state.isOpen("a"))
  }

  @Test("X9: it returns at once, with the first answer")
  func atOnce() throws {
    var state = try Self.state()
    _ = Self.refresh(&state, up: ["b", "c"], at: .zero)
    let failed = Self.refresh(&state, up: ["b"], at: .seconds(30))
    #expect(failed.asked == [["a", "b"]])
    #expect(failed.moves == [.init(.refused, from: "b", to: "a", because: .failures, .unavailable)])
    #expect(Self.refresh(&state, up: ["a", "b"], at: .seconds(59)).asked == [["b"]])
    let back = Self.refresh(&state, up: ["a", "b"], at: .seconds(60))
    #expect(back.moves == [.init(.returned, from: "b", to: "a", because: .answered)])
    #expect(state.shown == "a")
    #expect(Self.refresh(&state, up: ["a"], at: .seconds(61)).asked == [["a"]])
  }

  @Test(
    "X9: it returns when the first choice has answered for the rest, which a failure begins anew")
  func afterRest() throws {
    var state = try Self.state(.afterRest(.seconds(60)), failures: 2)
    _ = Self.refresh(&state, up: ["b"], at: .zero)
    _ = Self.refresh(&state, up: ["b"], at: .zero)
    #expect(state.shown == "b")
    let first = Self.refresh(&state, up: ["a", "b"], at: .seconds(30))
    #expect(first.moves == [.init(.refused, from: "b", to: "a", because: .resting)])
    // Told once in a rest.
    #expect(Self.refresh(&state, up: ["a", "b"], at: .seconds(89)).moves.isEmpty)
    let failed = Self.refresh(&state, up: ["b"], at: .seconds(90))
    #expect(failed.moves == [.init(.refused, from: "b", to: "a", because: .failures, .unavailable)])
    _ = Self.refresh(&state, up: ["a", "b"], at: .seconds(91))
    #expect(Self.refresh(&state, up: ["a", "b"], at: .seconds(150)).moves.isEmpty)
    let back = Self.refresh(&state, up: ["a", "b"], at: .seconds(151))
    #expect(back.moves == [.init(.returned, from: "b", to: "a", because: .rested)])
  }

  @Test("X9: a shown provider that fails does not wait for the rest of one that answers")
  func restCutShort() throws {
    var state = try Self.state(.afterRest(.seconds(600)), ["a", "b"])
    _ = Self.refresh(&state, up: ["b"], at: .zero)
    _ = Self.refresh(&state, up: ["a", "b"], at: .seconds(30))
    let found = Self.refresh(&state, up: ["a"], at: .seconds(40))
    #expect(
      found.moves == [.init(.fellThrough, from: "b", to: "a", because: .failures, .unavailable)])
  }

  @Test("X9: by hand it never goes back by itself, and a return is refused while it cools down")
  func byHand() throws {
    var state = try Self.state(.byHand, ["a", "b"])
    _ = Self.refresh(&state, up: ["b"], at: .zero)
    #expect(Self.refresh(&state, up: ["a", "b"], at: .seconds(100)).asked == [["b"]])
    #expect(Self.refresh(&state, up: ["a"], at: .seconds(101)).asked == [["b"]])
    #expect(state.shown == "b")
    var early = try Self.state(.byHand, ["a", "b"])
    _ = Self.refresh(&early, up: ["b"], at: .zero)
    let refused = early.returnByHand(at: .seconds(10))
    #expect(
      refused
        == .refused(
          .init(.refused, from: "b", to: "a", because: .coolingDown), retryAfter: .seconds(20)))
    #expect(state.returnByHand(at: .seconds(102)) == .ask("a"))
    // The request is under way.
    #expect(
      state.returnByHand(at: .seconds(102))
        == .refused(.init(.refused, from: "b", to: "a", because: .probing), retryAfter: nil))
    state.note(.answered, of: "a", at: .seconds(103))
    let move = state.moveByHand(after: .init(provider: "a", isHeard: true))
    #expect(move == .init(.returned, from: "b", to: "a", because: .byHand))
    #expect(state.returnByHand(at: .seconds(104)) == .isShown)
  }

  @Test(
    "X9: a long cool-down and a long rest end on a machine that is started each day",
    arguments: [FailOver.Returning.atOnce, .afterRest(.seconds(12 * 3_600))])
  func dailyStarts(returning: FailOver.Returning) throws {
    let route = Route.firstReady(
      ["a", "b"],
      try FailOver(
        failures: 1, within: .seconds(300), coolDown: .seconds(12 * 3_600), returning: returning))
    var state = try #require(FailOverState(route))
    var returned: Int?
    for day in 0..<6 where returned == nil {
      for hour in 0..<8 {
        // Each day the first refresh comes a little later than on the day before.
        let now = Duration.seconds(100 + day + hour * 3_600)
        _ = Self.refresh(&state, up: day > 0 ? ["a", "b"] : ["b"], at: now)
        state = try #require(FailOverState(route, .init(json: state.kept.json)))
      }
      if state.shown == "a" { returned = day }
    }
    #expect(returned == (returning == .atOnce ? 1 : 2))
  }

  @Test("X9: what another route left behind is not taken over")
  func otherRoute() throws {
    var state = try Self.state()
    _ = Self.refresh(&state, up: ["b"], at: .zero)
    let other = try #require(FailOverState(.firstReady(["c", "d"]), state.kept))
    #expect(other.shown == "c" && other.breakers.isEmpty)
  }

  @Test("X9: damaged stored values are passed over")
  func damaged() {
    for json in [
      JSON.null, "x", ["shown": 7, "breakers": ["a": 3], "answering": []],
      ["breakers": ["a": ["openedAt": -5, "failures": ["x", -1, 1.5]]]],
    ] {
      let state = FailOverState(.firstReady(["a", "b"]), .init(json: json))
      #expect(state?.shown == "a" && state?.isOpen("a") == false)
    }
  }

  private static let rules: [FailOver.Returning] = [
    .atOnce, .afterRest(.zero), .afterRest(.seconds(45)), .byHand,
  ]

  @Test(
    "X9: generated outages: one candidate is shown that answered, and a restart changes nothing",
    arguments: rules)
  func generated(returning: FailOver.Returning) throws {
    let all: [ProviderID] = ["a", "b", "c", "d"]
    for seed in 0..<300 {
      var random = SeededGenerator(seed: UInt64(seed))
      let candidates = Array(all.prefix(1 + random.below(4)))
      let route = Route.firstReady(
        candidates,
        try FailOver(
          failures: 1 + random.below(3), within: .seconds(60), coolDown: .seconds(random.below(40)),
          returning: returning))
      var state = try #require(FailOverState(route))
      var (up, now) = (Set(all), 0)
      for step in 0..<120 {
        let place: Comment = "seed \(seed), step \(step)"
        now += random.below(20)
        if random.chance(30) { up.formSymmetricDifference([random.pick(all)]) }
        let nothing = Set(all.filter { _ in random.chance(10) })
        let before = state
        let found = Self.refresh(&state, up: up, at: .seconds(now), hasNothing: nothing)
        let asked = found.asked.flatMap(\.self)
        // Nobody is asked twice, and nobody who cools down.
        #expect(Set(asked).count == asked.count, place)
        for provider in asked {
          if case .coolingDown = before.phase(of: provider, at: .seconds(now)) {
            Issue.record("\(provider) cools down and was asked; \(place)")
          }
        }
        // The moves lead from what was shown to what is shown, and to a provider that answered.
        var shown = before.shown
        for move in found.moves {
          #expect(move.from == shown && move.to != shown && candidates.contains(move.to), place)
          guard move.kind != .refused else { continue }
          #expect(up.contains(move.to) && asked.contains(move.to), place)
          if returning == .byHand {
            #expect(
              candidates.firstIndex(of: move.to) ?? 0 > candidates.firstIndex(of: shown) ?? 0, place
            )
          }
          shown = move.to
        }
        #expect(state.shown == shown, place)
        // Whoever can answer is asked before one who fails is left shown.
        if !up.contains(state.shown), state.isOpen(state.shown), returning != .byHand {
          for provider in candidates where up.contains(provider) {
            #expect(!asked.contains(provider), place)
          }
        }
        #expect(FailOverState(route, .init(json: state.kept.json)) == state, place)
      }
      guard returning == .atOnce else { continue }
      // When all are up again, the first choice is.
      for _ in 0..<2 {
        now += 60
        _ = Self.refresh(&state, up: Set(all), at: .seconds(now))
      }
      #expect(state.shown == "a", "seed \(seed)")
    }
  }
}
