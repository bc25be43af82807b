import EngagementModel
import Foundation
import Testing

/// One letter as one scalar and as two: equal for `String`, different for every vendor.
private let composed = "caf\u{e9}"
private let decomposed = "cafe\u{301}"

@Suite("Ids and names are compared by their bytes")
struct ByteIdentityTests {
  @Test("plain Swift strings are equal despite different bytes")
  func strings() {
    #expect(composed == decomposed)
    #expect(!composed.hasSameBytes(as: decomposed))
  }

  @Test("ids of each type differ when their bytes differ", arguments: types)
  func ids(type: any ByteComparable.Type) {
    expectBytesMatter(type)
  }

  @Test("ids of each type are coded as their text, byte for byte", arguments: types)
  func coding(type: any ByteComparable.Type) throws {
    try expectCoding(type)
  }

  @Test("item ids differ when the bytes of provider or value differ")
  func itemIDs() {
    let ids = [ItemID("p", composed), ItemID("p", decomposed), ItemID(ProviderID(composed), "1")]
    #expect(Set(ids + [ItemID(ProviderID(decomposed), "1")] + ids).count == 4)
    #expect(ItemID("p", decomposed) < ItemID("p", composed))
    #expect(ItemID("a", "2") < ItemID("b", "1"))
  }

  @Test("users differ when their id bytes differ, and an empty id is not anonymous")
  func users() {
    #expect(User(UserID(composed)) != User(UserID(decomposed)))
    #expect(User("") != .anonymous)
    #expect(User.anonymous.isAnonymous)
  }

  @Test("JSON strings differ when their bytes differ")
  func json() {
    #expect(JSON.string(composed) != JSON.string(decomposed))
    #expect(Set([JSON.string(composed), .string(decomposed), .string(composed)]).count == 2)
  }

  @Test("JSON keys differ when their bytes differ")
  func keys() {
    var object = JSONObject()
    object[composed] = 1
    object[decomposed] = 2
    #expect(object.count == 2)
    #expect(object[composed] == 1)
    #expect(object[decomposed] == 2)
    object[composed] = nil
    #expect(object == JSONObject(uniqueMembers: [JSONObject.Member(decomposed, 2)]))
    #expect(object != JSONObject(uniqueMembers: [JSONObject.Member(composed, 2)]))
  }

  @Test("ids, keys and texts keep their bytes through a round trip")
  func roundTrip() throws {
    for text in [composed, decomposed] {
      var card = Card(ItemID(ProviderID(text), text), vendor: Vendor(text), kind: Card.Kind(text))
      card.title = text
      card.extras = JSONObject(uniqueMembers: [JSONObject.Member(text, .string(text))])
      card.subviews = [Card.Subview(text)]
      let read = try Card(json: card.json)
      #expect(read.json == card.json)
      #expect(read.id.value.hasSameBytes(as: text))
      #expect(read.title?.hasSameBytes(as: text) == true)
      #expect(read.subviews.first?.id.hasSameBytes(as: text) == true)
    }
  }
}

private let types: [any ByteComparable.Type] = [
  Vendor.self, ProviderID.self, ContainerID.self, EventID.self, SessionID.self, UserID.self,
  Surface.self, Card.Kind.self, Component.Kind.self, EngagementEvent.Kind.self,
  PushRegistration.Service.self, EngagementError.Code.self,
]

private func expectBytesMatter<ID: ByteComparable>(_: ID.Type) {
  #expect(ID(composed) != ID(decomposed))
  #expect(ID(composed) == ID(composed))
  #expect(Set([ID(composed), ID(decomposed), ID(composed)]).count == 2)
  let byID = [ID(composed): 1, ID(decomposed): 2]
  #expect(byID[ID(composed)] == 1)
  // `e` comes before the first byte of `é`.
  #expect(ID(decomposed) < ID(composed))
  #expect(ID(composed).description.hasSameBytes(as: composed))
  #expect(ID("a") < ID("b"))
}

private func expectCoding<ID: ByteComparable>(_: ID.Type) throws {
  for text in [composed, decomposed, "a \"b\" \n"] {
    let coded = try JSONEncoder().encode([ID(text)])
    #expect(try JSONDecoder().decode([String].self, from: coded)[0].hasSameBytes(as: text))
    #expect(try JSONDecoder().decode([ID].self, from: coded) == [ID(text)])
  }
}
