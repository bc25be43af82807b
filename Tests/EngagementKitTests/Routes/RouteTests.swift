import EngagementJSON
import EngagementModel
import EngagementTesting
import Testing

@testable import EngagementKit

@Suite("routes")
struct RouteTests {
  private static func every() throws -> [Route] {
    let arms = [
      Engagement.Split.Arm("b", weight: 3, providers: ["x"]), .init("a", providers: []),
      .init("e\u{301}", weight: 0, providers: ["y", "x"]),
    ]
    let split = try Engagement.Split(
      "cards", version: 2, arms: arms, otherwise: ["y"], layer: .init("home", slots: 0..<5_000),
      holdOut: .init("all", share: 0.05))
    let failOver = try Engagement.FailOver(
      failures: 1, within: .milliseconds(1_500), coolDown: .zero,
      returning: .afterRest(.seconds(90)))
    return [
      .only("a"), .merge(["a", "b"]), .merge([]), .none, .only("e\u{301}"),
      .firstReady(["a", "b"]),
      .firstReady(["a"], failOver), .firstReady(["a"], try .init(returning: .byHand)),
      .mirror(["a", "b"]), .shadow(.merge(["a", "b"]), try .init(["c"])),
      .shadow(.firstReady(["a"], failOver), try .init(["c", "d"], every: .seconds(61))),
      .split(split), .split(try .init("e", arms: [.init("a", providers: [])])),
    ]
  }

  @Test("X2: every route survives a JSON round trip")
  func roundTrip() throws {
    for route in try Self.every() {
      #expect(try Route(json: route.json) == route, "\(route)")
      let text = String(decoding: route.json.encoded(), as: UTF8.self)
      #expect(try Route(json: JSON(parsing: Array(text.utf8))) == route, "\(route)")
    }
  }

  @Test("X2: a route is written as a configuration writes it")
  func written() throws {
    #expect(Route.only("a").json == ["only": "a"])
    #expect(
      Route.firstReady(["a", "b"], try .init(returning: .afterRest(.seconds(600)))).json == [
        "firstReady": ["a", "b"], "failures": 3, "within": "5m", "coolDown": "30s",
        "return": ["afterRest": "10m"],
      ])
    #expect(
      Route.shadow(.only("a"), try .init(["b"])).json == [
        "shadow": ["route": ["only": "a"], "candidates": ["b"], "every": "15m"]
      ])
  }

  @Test(
    "an invalid route is refused",
    arguments: [
      JSON.null, "all", "only", [:], ["only": 1], ["merge": "a"], ["merge": ["a", 1]],
      ["split": ["a"]], ["only": "a", "merge": ["a"]], [["only": "a"]],
      ["merge": ["a"], "failures": 1], ["firstReady": ["a"], "merge": ["a"]],
      ["shadow": ["candidates": ["a"]]], ["shadow": ["route": "none"]],
    ])
  func refused(_ json: JSON) {
    #expect(throws: EngagementError.self) { try Route(json: json) }
  }

  private static let arms: JSON = ["a": ["providers": ["x"]]]

  @Test(
    "X2: a fault inside a route names the member",
    arguments: [
      (["firstReady": ["a"], "failures": 0], "failures is 0; it is 1 or more."),
      (["firstReady": ["a"], "failures": 1.5], "failures is no whole number."),
      (["firstReady": ["a"], "within": "0s"], "within is 0; it is above zero."),
      (
        ["firstReady": ["a"], "within": "5 minutes"],
        "within is no time; write one such as 30s, 5m or 2h."
      ),
      (["firstReady": ["a"], "coolDown": "-1s"], "coolDown is -1 s; it is zero or more."),
      (
        ["firstReady": ["a"], "return": "maybe"],
        "return is \"maybe\"; use atOnce, byHand or afterRest with a time."
      ),
      (
        ["firstReady": ["a"], "return": ["afterRest": "-5s"]],
        "return.afterRest is -5 s; it is zero or more."
      ),
      (
        ["firstReady": ["a"], "cooldown": "5s"],
        "A route has \"cooldown\"; did you mean \"coolDown\"?"
      ),
      (
        ["shadow": ["route": ["only": "a"], "candidates": ["b"], "every": "5s"]],
        "every is 5 s; a shadow reads at most once a minute."
      ),
      (["split": ["experiment": "", "arms": arms]], "experiment is empty."),
      (
        ["split": ["experiment": "e", "arms": ["a": ["weight": -1, "providers": []]]]],
        "arms.a.weight is -1; weights are zero or more."
      ),
      (
        ["split": ["experiment": "e", "arms": ["a": [:]]]],
        "arms.a.providers is no list of providers."
      ),
      (
        ["split": ["experiment": "e", "arms": arms, "layer": ["name": "l", "slots": [5, 1]]]],
        "layer.slots is no pair of numbers; write the first and the end."
      ),
    ] as [(JSON, String)])
  func faults(_ json: JSON, message: String) {
    let error = #expect(throws: EngagementError.self) { try Route(json: json) }
    #expect(error == EngagementError(.invalidArgument, message))
  }

  @Test("a route lists each of its providers once, in order")
  func providers() {
    #expect(Route.merge(["b", "a", "b"]).providers == ["b", "a"])
    #expect(Route.only("b").providers == ["b"])
    #expect(Route.none.providers == [])
    #expect(Route.firstReady(["b", "a"]).providers == ["b", "a"])
  }

  @Test("X9: a fail-over has times that can be written, however long they are")
  func times() throws {
    for time in [Duration(attoseconds: 1), .seconds(3_599), .seconds(Int64.max)] {
      let route = Route.firstReady(["a"], try .init(within: time))
      #expect(try Route(json: route.json) == route)
    }
    // Longer than any text can say.
    _ = Route.firstReady(["a"], try .init(within: Duration(attoseconds: .max))).json
  }
}
