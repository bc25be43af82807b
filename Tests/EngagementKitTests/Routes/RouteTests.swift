import EngagementModel
import Testing

@testable import EngagementKit

@Suite("routes")
struct RouteTests {
  @Test(
    "a route survives a JSON round trip",
    arguments: [Route.only("a"), .merge(["a", "b"]), .merge([]), .none, .only("e\u{301}")])
  func roundTrip(_ route: Route) throws {
    #expect(try Route(json: route.json) == route)
  }

  @Test(
    "an invalid route is refused",
    arguments: [
      JSON.null, "all", "only", [:], ["only": 1], ["merge": "a"], ["merge": ["a", 1]],
      ["split": ["a"]], ["only": "a", "merge": ["a"]], [["only": "a"]],
    ])
  func refused(_ json: JSON) {
    #expect(throws: EngagementError.self) { try Route(json: json) }
  }

  @Test("a route lists each of its providers once, in order")
  func providers() {
    #expect(Route.merge(["b", "a", "b"]).providers == ["b", "a"])
    #expect(Route.only("b").providers == ["b"])
    #expect(Route.none.providers == [])
  }
}
