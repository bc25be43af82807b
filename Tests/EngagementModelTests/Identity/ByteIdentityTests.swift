import EngagementModel
import Testing

/// One letter as one scalar and as two: equal for `String`, different for every vendor.
private let composed = "caf\u{e9}"
private let decomposed = "cafe\u{301}"

@Suite("Ids and names are compared by their bytes")
struct ByteIdentityTests {
  @Test("Swift's own strings would be the same")
  func strings() {
    #expect(composed == decomposed)
    #expect(!composed.hasSameBytes(as: decomposed))
  }

  @Test("an id of each type is another when its bytes are", arguments: types)
  func ids(type: any ByteComparable.Type) {
    expectBytesMatter(type)
  }

  @Test("an item's id is another when the bytes of the provider or of the value are")
  func itemIDs() {
    let ids = [ItemID("p", composed), ItemID("p", decomposed), ItemID(ProviderID(composed), "1")]
    #expect(Set(ids + [ItemID(ProviderID(decomposed), "1")] + ids).count == 4)
    #expect(ItemID("p", decomposed) < ItemID("p", composed))
    #expect(ItemID("a", "2") < ItemID("b", "1"))
  }

  @Test("users are others when the bytes of their ids are, and nobody is anonymous by an id")
  func users() {
    #expect(User(UserID(composed)) != User(UserID(decomposed)))
    #expect(User("") != .anonymous)
    #expect(User.anonymous.isAnonymous)
  }

  @Test("a string of JSON is another when its bytes are")
  func json() {
    #expect(JSON.string(composed) != JSON.string(decomposed))
    #expect(Set([JSON.string(composed), .string(decomposed), .string(composed)]).count == 2)
  }

  @Test("a key of JSON is another when its bytes are")
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

  @Test("ids, keys and texts come back with the bytes that went in")
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
