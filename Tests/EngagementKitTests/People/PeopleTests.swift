import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementTesting
import Testing

@testable import EngagementKit

@Suite("persons", .timeLimit(.minutes(20))) struct PeopleTests {
  @Test("a person is who the vendor last said it is, for this user alone (G13)")
  func person() async throws {
    var adapter = PuppetAdapter("vibes")
    adapter.onAnswer = { operation, _, context in
      guard operation == .person else { return nil }
      return Answer([
        .person(Person("key of \(context.user.id?.text ?? "")", provider: "vibes", vendor: "v"))
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

  @Test("a change reaches every vendor that takes it, in the order in which it was asked for (X7)")
  func updates() async throws {
    var abilities = PuppetAdapter.able
    abilities[.associate] = nil
    let stage = try await Stage([
      PuppetAdapter("braze"), PuppetAdapter("atomic", abilities: abilities),
    ])
    try await stage.signIn("u-1")
    let first = try await stage.engagement.update(PersonUpdate(name: "One"))
    let second = try await stage.engagement.associate("person-1")
    await stage.drain("braze", "atomic")
    #expect(await first.outcome == .delivered)
    #expect(await second.outcome == .delivered)
    let lines = { (provider: ProviderID) in
      stage.transport.requests.filter { $0.isFor(provider) }.map(\.line)
    }
    #expect(lines("braze") == ["POST /person.update", "POST /person.associate"])
    #expect(lines("atomic") == ["POST /person.update"])
    try await stage.end()
  }

  @Test("what the device is like now is told to every vendor that keeps a record of it (V4)")
  func device() async throws {
    let stage = try await Stage([
      PuppetAdapter("vibes", abilities: [.device(.update): .idempotentRequest]),
      PuppetAdapter("braze", abilities: [.cards: .request]),
    ])
    try await stage.signIn("u-1")
    let receipt = try await stage.engagement.updateDevice()
    await stage.drain("vibes", "braze")
    #expect(await receipt.outcome == .delivered)
    #expect(stage.transport.requests.map(\.line) == ["POST /device.update"])
    try await stage.end()
  }

  @Test("nothing to change, nobody to be and nobody who takes it are refused")
  func refused() async throws {
    let bare = PuppetAdapter("bare", abilities: [.cards: .request, .inbox: .request])
    let stage = try await Stage([bare])
    #expect(await failure { try await stage.engagement.update(.init()) }?.code == .invalidArgument)
    #expect(await failure { try await stage.engagement.associate("") }?.code == .invalidArgument)
    #expect(await failure { try await stage.engagement.associate("p") }?.code == .unsupported)
    #expect(
      await failure { try await stage.engagement.update(PersonUpdate(name: "N")) }?.code
        == .unsupported)
    try await stage.end()
  }
}
