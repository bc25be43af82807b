import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementTesting
import Testing

@testable import EngagementKit

@Suite("persons", .timeLimit(.minutes(20))) struct PeopleTests {
  @Test("G13: the kit returns the vendor's last answer about the person, for this user alone")
  func person() async throws {
    var adapter = PuppetAdapter("vibes")
    adapter.onAnswer = { operation, _, context in
      guard operation == .person else { return nil }
      return Answer([
        .person(Person("key of \(context.user.id?.rawValue ?? "")", provider: "vibes", vendor: "v"))
      ])
    }
    let stage = try await Stage([adapter])
    try await stage.signIn("u-1")
    #expect(try await stage.engagement.person(at: "vibes") == nil)
    #expect(await stage.engagement.refresh(.person).providers == ["vibes": .fresh])
    #expect(try await stage.engagement.person(at: "vibes")?.key == "key of u-1")
    try await stage.signIn("u-2")
    #expect(try await stage.engagement.person(at: "vibes") == nil)
    #expect(await failure { try await stage.engagement.person(at: "vibe") }?.code == .notFound)
    try await stage.end()
  }

  @Test("G13: a person has the application's id of the provider, whatever the adapter wrote")
  func personOfARenamedProvider() async throws {
    var adapter = PuppetAdapter("vibes-eu")
    adapter.onAnswer = { operation, _, _ in
      guard operation == .person else { return nil }
      return Answer([.person(Person("key", provider: "vibes", vendor: "vibes"))])
    }
    let place = Stage.Place()
    let stage = try await Stage([adapter], at: place)
    try await stage.signIn("u-1")
    #expect(await stage.engagement.refresh(.person).providers == ["vibes-eu": .fresh])
    #expect(try await stage.engagement.person(at: "vibes-eu")?.provider == "vibes-eu")
    try await stage.end()
    let again = try await Stage([adapter], at: place)
    #expect(try await again.engagement.person(at: "vibes-eu")?.provider == "vibes-eu")
    try await again.end()
  }

  @Test("X7: a person update reaches every vendor that supports it, in the accepted order")
  func updates() async throws {
    var abilities = PuppetAdapter.able
    abilities[.associate] = nil
    let stage = try await Stage([
      PuppetAdapter("braze"), PuppetAdapter("atomic", abilities: abilities),
    ])
    try await stage.signIn("u-1")
    let first = try await stage.engagement.updatePerson(PersonUpdate(name: "One"))
    let second = try await stage.engagement.associate("person-1")
    await stage.drain("braze", "atomic")
    #expect(try await first.outcome() == .delivered)
    #expect(try await second.outcome() == .delivered)
    let lines = { (provider: ProviderID) in
      stage.transport.requests.filter { $0.isFor(provider) }.map(\.line)
    }
    #expect(lines("braze") == ["POST /person.update", "POST /person.associate"])
    #expect(lines("atomic") == ["POST /person.update"])
    try await stage.end()
  }

  @Test("V4: a device update goes to every vendor that supports it")
  func device() async throws {
    let stage = try await Stage([
      PuppetAdapter("vibes", abilities: [.device(.update): .idempotentRequest]),
      PuppetAdapter("braze", abilities: [.cards: .request]),
    ])
    try await stage.signIn("u-1")
    let receipt = try await stage.engagement.updateDevice()
    await stage.drain("vibes", "braze")
    #expect(try await receipt.outcome() == .delivered)
    #expect(stage.transport.requests.map(\.line) == ["POST /device.update"])
    try await stage.end()
  }

  @Test("an empty update, an empty id and an unsupported operation are refused")
  func refused() async throws {
    let bare = PuppetAdapter("bare", abilities: [.cards: .request, .inbox: .request])
    let stage = try await Stage([bare])
    #expect(
      await failure { try await stage.engagement.updatePerson(.init()) }?.code == .invalidArgument)
    for number in [Double.nan, .infinity, -.infinity] {
      var update = PersonUpdate(name: "N")
      update.custom = ["height": 1.7, "weights": [60, .number(number)]]
      let error = await failure { try await stage.engagement.updatePerson(update) }
      #expect(error?.code == .invalidArgument && error?.operation == "person.update")
      #expect(
        error?.message == "The property weights[1] is NaN or infinite; give a finite number.")
    }
    #expect(await failure { try await stage.engagement.associate("") }?.code == .invalidArgument)
    #expect(await failure { try await stage.engagement.associate("p") }?.code == .unsupported)
    #expect(
      await failure { try await stage.engagement.updatePerson(PersonUpdate(name: "N")) }?.code
        == .unsupported)
    try await stage.end()
  }
}
