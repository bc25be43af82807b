import EngagementAdapterAPI
import EngagementModel
import EngagementTesting
import Testing

@Suite("the in-memory kit") struct MemoryHostTests {
  @Test("a card that its vendor dismissed stays hidden after the user acts on it")
  func dismissed() throws {
    var vendor = PuppetAdapter(
      "braze", abilities: [.act("impression", on: .cards): Ability(.localOnly)])
    vendor.shape = { $0.isDismissed = $0.id.value == "b" }
    let host = MemoryHost(vendor, user: "u-1", transport: ScriptedTransport(Stage.empty))
    host.commit([.items(.cards, .replace(.nothing), [RawCard("a").item, RawCard("b").item])])
    #expect(host.cards().map(\.id.value) == ["a"])
    for id in ["a", "b"] {
      try host.act(.impression, on: ItemReference(ItemID("braze", id), on: .cards))
    }
    #expect(host.cards().map(\.id.value) == ["a"])
    #expect(host.cards().first?.isViewed == true)
  }
}
