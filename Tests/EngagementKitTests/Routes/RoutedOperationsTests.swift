import EngagementAdapterAPI
import EngagementModel
import EngagementStore
import EngagementTesting
import Testing

@testable import EngagementKit

/// Routes of what has no items: persons and events.
@Suite("routes of persons and events", .timeLimit(.minutes(20))) struct RoutedOperationsTests {
  /// A vendor that takes persons and events, and wants to know who has signed in.
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

  private static let vendors = [vendor("a"), vendor("b")]

  private static func routes(person: Route? = nil, events: Route? = nil) -> Routes {
    Routes(cards: .only("a"), inbox: .none, person: person, events: events)
  }

  /// The paths at which a provider was asked for anything but items.
  private func lines(_ stage: Stage, _ provider: ProviderID) -> [String] {
    stage.transport.requests.filter { $0.isFor(provider) }.map(\.line)
  }

  @Test("X2 X16: who a person is and what is known of the person goes to the route alone")
  func person() async throws {
    let stage = try await Stage(Self.vendors, routes: Self.routes(person: .only("b")))
    try await stage.signIn("u-1")
    try await stage.engagement.updatePerson(PersonUpdate(name: "One"))
    try await stage.engagement.associate("person-1")
    await stage.drain("a", "b")
    #expect(lines(stage, "a").isEmpty)
    #expect(
      lines(stage, "b") == [
        "POST /person.associate", "POST /person.update", "POST /person.associate",
      ])
    try await stage.engagement.setRoute(.mirror(["b", "a"]), for: .person)
    try await stage.engagement.updatePerson(PersonUpdate(name: "Two"))
    await stage.drain("a", "b")
    #expect(lines(stage, "a").last == "POST /person.update")
    #expect(lines(stage, "b").count == 4)
    try await stage.end()
  }

  @Test("X2: a vendor that joins the route of the person is told who has signed in")
  func joins() async throws {
    let stage = try await Stage(Self.vendors, routes: Self.routes(person: .only("b")))
    try await stage.engagement.setRoute(Route.none, for: .person)
    await stage.drain("a", "b")
    try await stage.engagement.setRoute(.only("b"), for: .person)
    await stage.drain("a", "b")
    // Nobody has signed in.
    #expect(stage.transport.requests.isEmpty)
    try await stage.signIn("u-1")
    await stage.drain("a", "b")
    try await stage.engagement.setRoute(.mirror(["a", "b"]), for: .person)
    await stage.drain("a", "b")
    #expect(lines(stage, "a") == ["POST /person.associate"])
    #expect(lines(stage, "b") == ["POST /person.associate"])
    try await stage.end()
  }

  @Test("X2 X20: a vendor that joins without consent is told of the person once there is consent")
  func joinsWithoutConsent() async throws {
    let stage = try await Stage(Self.vendors, routes: Self.routes(person: .only("b")))
    try await stage.signIn("u-1")
    await stage.drain("a", "b")
    try await stage.engagement.setConsent(.denied)
    try await stage.engagement.setRoute(.mirror(["a", "b"]), for: .person)
    await stage.drain("a", "b")
    #expect(!lines(stage, "a").contains("POST /person.associate"))
    try await stage.engagement.setConsent(.full)
    await stage.drain("a", "b")
    #expect(lines(stage, "a").filter { $0 == "POST /person.associate" }.count == 1)
    #expect(lines(stage, "b").filter { $0 == "POST /person.associate" }.count == 1)
    // One that has left again before is told nothing.
    try await stage.engagement.setRoute(.only("a"), for: .person)
    try await stage.engagement.setConsent(.denied)
    try await stage.engagement.setRoute(.mirror(["a", "b"]), for: .person)
    try await stage.engagement.setRoute(.only("a"), for: .person)
    try await stage.engagement.setConsent(.full)
    await stage.drain("a", "b")
    #expect(lines(stage, "b").filter { $0 == "POST /person.associate" }.count == 1)
    try await stage.end()
  }

  @Test("X2 X14: an event goes to its route, and into the ledger wherever that leads")
  func events() async throws {
    let place = Stage.Place()
    let stage = try await Stage(Self.vendors, routes: Self.routes(events: .only("b")), at: place)
    try await stage.signIn("u-1", consent: .full)
    await stage.drain("a", "b")
    let before = (lines(stage, "a").count, lines(stage, "b").count)
    try await stage.engagement.track("one")
    try await stage.engagement.setRoute(Route.none, for: .events)
    let receipt = try await stage.engagement.track("two")
    await stage.drain("a", "b")
    #expect(lines(stage, "a").count == before.0)
    #expect(lines(stage, "b").count == before.1 + 1)
    // Nothing is left that could be sent.
    #expect(try await receipt.outcome() == .kept)
    let names = try await stage.engagement.events().filter { $0.kind == .custom }.map(\.name)
    #expect(names == ["one", "two"])
    try await stage.end()
  }

  @Test("X16: what no vendor of the route supports is refused, with the names of the route")
  func unsupported() async throws {
    var mute = Self.vendor("mute")
    mute.capabilities.abilities[.updatePerson] = nil
    let stage = try await Stage(
      [Self.vendor("a"), mute], routes: Self.routes(person: .only("mute")))
    let error = await failure {
      try await stage.engagement.updatePerson(PersonUpdate(name: "One"))
    }
    #expect(error?.code == .unsupported)
    #expect(error?.message == "No provider of the route of person supports this: \"mute\".")
    try await stage.end()
  }

  @Test("X6: an extension's event follows the route of events")
  func journal() async throws {
    let place = Stage.Place()
    let stage = try await Stage(Self.vendors, routes: Self.routes(events: .only("b")), at: place)
    try await stage.signIn("u-1", consent: .full)
    try EngagementJournal(cache: place.cache).track("from an extension")
    try await stage.engagement.resume()
    await stage.drain("a", "b")
    #expect(!lines(stage, "a").contains("POST /events"))
    #expect(lines(stage, "b").contains("POST /events"))
    try await stage.end()
  }
}
