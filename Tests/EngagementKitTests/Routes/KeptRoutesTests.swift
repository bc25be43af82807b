import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

/// What becomes of routes that were set at run time when the cache is damaged, or when a provider is gone.
@Suite("kept routes", .timeLimit(.minutes(20))) struct KeptRoutesTests {
  private let place = Stage.Place()

  /// A vendor that takes persons, events and tokens, and wants to know who has signed in.
  private static func vendor(_ provider: ProviderID) -> PuppetAdapter {
    var abilities = PuppetAdapter.able
    abilities[.events] = .event
    var adapter = PuppetAdapter(provider, abilities: abilities)
    adapter.capabilities.eventKinds = [.custom]
    adapter.onTransition = { _, new, _ in
      [.sendPending] + (new.id.map { [.enter(.associate($0))] } ?? [])
    }
    return adapter
  }

  private static let vendors = [vendor("a"), vendor("b"), vendor("c")]
  private static let routes = Routes(cards: .only("a"), inbox: .none)

  private func stage(
    _ vendors: [PuppetAdapter] = vendors, _ routes: Routes = routes
  ) async throws -> Stage {
    try await Stage(vendors, routes: routes, at: place)
  }

  /// Sets routes of the surfaces that tell vendors of a person, and closes the cache.
  private func set(_ routes: [Surface: Route]) async throws {
    let stage = try await stage()
    try await stage.signIn("u-1", consent: .full)
    for (surface, route) in routes {
      try await stage.engagement.setRoute(route, for: surface)
    }
    try await stage.engagement.setRoute(.none, for: .cards, in: "news")
    try await stage.end()
  }

  @Test("G9 X2: a repair keeps the routes that were set at run time, and tells no other vendor")
  func repaired() async throws {
    try await set([.person: .only("b"), .events: .only("b"), .push: .none, .cards: .only("c")])
    var bytes = try Data(contentsOf: URL(filePath: place.path))
    // One bit of the version in the header: the file is refused, and every page of it is sound.
    bytes[63] ^= 0x80
    try bytes.write(to: URL(filePath: place.path))
    let later = try await stage()
    #expect(later.engagement.recovery?.mayHaveLostRoutes == false)
    let routes = later.engagement.routes
    #expect(routes.person == .only("b") && routes.events == .only("b") && routes.push == Route.none)
    #expect(routes.cards == .only("c") && routes.containers == ["news": .none])
    try await later.signIn("u-1", consent: .full)
    try await later.engagement.updatePerson(PersonUpdate(name: "SECRET"))
    try await later.engagement.track("step")
    await later.drain("a", "b", "c")
    #expect(later.transport.requests.filter { !$0.isFor("b") && $0.method == "POST" }.isEmpty)
    #expect(later.transport.requests.contains { $0.isFor("b") })
    try await later.end()
    let last = try await stage()
    #expect(last.engagement.routes == routes)
    try await last.end()
  }

  @Test(
    "G9 X2: where routes may be lost with the damage, that is told", arguments: [0.3, 0.6, 0.9])
  func lost(part: Double) async throws {
    try await set([.person: .only("b")])
    let bytes = try Data(contentsOf: URL(filePath: place.path))
    try bytes.prefix(4_096 * Int(Double(bytes.count / 4_096) * part))
      .write(to: URL(filePath: place.path))
    let later = try await stage()
    #expect(later.engagement.recovery?.mayHaveLostRoutes == true)
    #expect(
      later.lines.all.contains {
        $0.level == .warning && $0.message.contains("Routes that were set at run time may be lost")
      })
    try await later.end()
  }

  @Test(
    "G9 X2: a damaged row of a route tells no vendor that the route left out, and is told once",
    arguments: [3, 8, 15, 21, 23])
  func damaged(offset: Int) async throws {
    try await set([.events: .only("b"), .cards: .only("c")])
    let file = URL(filePath: place.path)
    var bytes = try Data(contentsOf: file)
    let found = try #require(bytes.range(of: Data(#"route.events{"only""#.utf8)))
    bytes[found.lowerBound + offset] ^= 1
    try bytes.write(to: file)
    for told in [1, 0] {
      let later = try await stage()
      #expect(later.engagement.routes.events == Route.none)
      #expect(later.engagement.routes.cards == .only("c"))
      let warnings = later.lines.all.filter { $0.message.contains("is damaged") }
      let sentence =
        "The route of events that was set earlier is damaged; no provider is told until it is set again."
      #expect(warnings.map(\.message) == Array(repeating: sentence, count: told))
      try await later.signIn("u-1", consent: .full)
      try await later.engagement.track("step")
      await later.drain("a", "b", "c")
      #expect(later.transport.requests.filter { $0.line.hasSuffix("/events") }.isEmpty)
      if told == 0 { try await later.engagement.setRoute(.only("b"), for: .events) }
      try await later.end()
    }
    let last = try await stage()
    #expect(last.engagement.routes.events == .only("b"))
    #expect(last.lines.all.allSatisfy { !$0.message.contains("is damaged") })
    try await last.signIn("u-1")
    try await last.engagement.track("step")
    await last.drain("a", "b", "c")
    let told = last.transport.requests.filter { $0.line.hasSuffix("/events") }
    #expect(!told.isEmpty && told.allSatisfy { $0.isFor("b") })
    try await last.end()
  }

  @Test("G9 X2: a damaged row of a route of cards is told, and the configured one holds")
  func damagedCards() async throws {
    try await set([.cards: .only("c")])
    let file = URL(filePath: place.path)
    var bytes = try Data(contentsOf: file)
    let found = try #require(bytes.range(of: Data(#"route.cards{"only""#.utf8)))
    bytes[found.lowerBound + 9] ^= 1
    try bytes.write(to: file)
    let later = try await stage()
    #expect(later.engagement.routes.cards == .only("a"))
    #expect(
      later.lines.all.map(\.message).contains(
        "The route of cards that was set earlier is damaged; the configured one holds."))
    try await later.end()
  }

  @Test("X2: a route of persons without one of its providers narrows, and is told once")
  func narrowed() async throws {
    try await set([
      .person: .mirror(["a", "b"]), .events: .mirror(["b"]), .push: .mirror(["b", "c"]),
    ])
    let few = [Self.vendor("a"), Self.vendor("c")]
    for told in [3, 0] {
      let later = try await stage(few)
      #expect(later.engagement.routes.person == .mirror(["a"]))
      #expect(later.engagement.routes.push == .mirror(["c"]))
      // Nothing is left of it.
      #expect(later.engagement.routes.events == nil)
      let warnings = later.lines.all.filter {
        $0.level == .warning && $0.message.contains("no provider any more")
      }
      #expect(warnings.count == told)
      if told > 0 {
        #expect(
          Set(warnings.map(\.message)) == [
            """
            The route of person that was set earlier names "b", which is no provider any more; it \
            holds without it.
            """,
            """
            The route of push that was set earlier names "b", which is no provider any more; it \
            holds without it.
            """,
            """
            The route of events that was set earlier names "b", which is no provider any more; none \
            of its providers is left, and every provider that takes it is told.
            """,
          ])
      }
      if told == 0 {
        try await later.signIn("u-1")
        try await later.engagement.updatePerson(PersonUpdate(name: "SECRET"))
        await later.drain("a", "c")
        #expect(later.transport.requests.filter { $0.isFor("c") && $0.method == "POST" }.isEmpty)
      }
      try await later.end()
    }
    let back = try await stage()
    #expect(back.engagement.routes.person == .mirror(["a", "b"]))
    #expect(back.engagement.routes.events == .mirror(["b"]))
    try await back.end()
  }

  @Test("X2: where the application configured a route of persons, that one holds")
  func configured() async throws {
    try await set([.person: .mirror(["a", "b"])])
    var routes = Self.routes
    routes.person = .only("c")
    let later = try await stage([Self.vendor("a"), Self.vendor("c")], routes)
    #expect(later.engagement.routes.person == .only("c"))
    #expect(
      later.lines.all.contains { $0.message.hasSuffix("any more; the configured one holds.") })
    try await later.end()
  }
}
