import EngagementAdapterAPI
import EngagementModel
import EngagementTesting
import Testing

@Suite("a house in memory") struct MemoryHouseTests {
  @Test("a card that its vendor dismissed stays hidden, whatever the user did to it")
  func dismissed() throws {
    var vendor = PuppetAdapter(
      "braze", abilities: [.act("impression", on: .cards): Ability(.localOnly)])
    vendor.shape = { $0.dismissed = $0.id.value == "b" }
    let house = MemoryHouse(vendor, user: "u-1", transport: ScriptedTransport(Stage.empty))
    house.commit([.items(.cards, .replace(.nothing), [RawCard("a").item, RawCard("b").item])])
    #expect(house.cards().map(\.id.value) == ["a"])
    for id in ["a", "b"] {
      try house.act(.impression, on: ItemReference(ItemID("braze", id), on: .cards))
    }
    #expect(house.cards().map(\.id.value) == ["a"])
    #expect(house.cards().first?.viewed == true)
  }
}
