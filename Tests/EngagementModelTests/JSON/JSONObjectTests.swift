import EngagementModel
import Testing

@Suite("JSON objects")
struct JSONObjectTests {
  @Test(
    "objects with the same members are equal in any order", arguments: [0, 1, 2, 16, 17, 5_000])
  func anyOrder(count: Int) {
    let members = (0..<count).map { JSONObject.Member("key \($0)", .integer(Int64($0))) }
    let object = JSONObject(uniqueMembers: members)
    let reversed = JSONObject(uniqueMembers: members.reversed())
    #expect(object == reversed)
    #expect(object.hashValue == reversed.hashValue)
  }

  @Test(
    "objects differ by a key, a value or an extra member",
    arguments: [1, 2, 16, 17, 500])
  func different(count: Int) {
    let members = (0..<count).map { JSONObject.Member("key \($0)", .integer(Int64($0))) }
    let object = JSONObject(uniqueMembers: members)
    for index in [0, count - 1] {
      for other in [JSONObject.Member("key \(index)", "x"), JSONObject.Member("other", 1)] {
        var changed = members
        changed[index] = other
        #expect(JSONObject(uniqueMembers: changed) != object)
        #expect(JSONObject(uniqueMembers: changed.reversed()) != object)
      }
    }
    #expect(JSONObject(uniqueMembers: members + [JSONObject.Member("more", 1)]) != object)
  }

  /// Comparing a value twice at each level would take 2⁶⁰ steps here, and never end.
  @Test("comparing nested objects visits each level once", arguments: [1, 2, 20])
  func nested(width: Int) {
    func nest(_ inner: JSON, reversed: Bool) -> JSON {
      (0..<60).reduce(inner) { json, _ in
        let members = (0..<width).map { JSONObject.Member("\($0)", $0 == 0 ? json : 1) }
        return .object(JSONObject(uniqueMembers: reversed ? members.reversed() : members))
      }
    }
    for reversed in [false, true] {
      #expect(nest(1, reversed: false) == nest(1, reversed: reversed))
      #expect(nest(1, reversed: false) != nest(2, reversed: reversed))
    }
  }

  @Test("setting a member replaces it in place, appends it or removes it")
  func setting() {
    var object: JSONObject = ["a": 1, "b": 2, "c": 3]
    object["b"] = "two"
    object["d"] = nil
    object["e"] = 5
    object["a"] = nil
    #expect(object.members.map(\.key) == ["b", "c", "e"])
    #expect(object["b"] == "two")
  }

  @Test("a key repeated in a literal keeps the first place and the last value")
  func literal() {
    let object: JSONObject = ["a": 1, "b": 2, "a": 3]
    #expect(object.members.map(\.key) == ["a", "b"])
    #expect(object["a"] == 3)
  }

  @Test("integers and other numbers are distinct, and accessors convert only exact values")
  func numbers() {
    #expect(JSON.integer(3) != JSON.number(3))
    #expect(JSON.number(3).integer == 3)
    #expect(JSON.number(3.5).integer == nil)
    #expect(JSON.number(.nan).integer == nil)
    #expect(JSON.number(1e300).integer == nil)
    #expect(JSON.integer(9_007_199_254_740_993).integer == 9_007_199_254_740_993)
    #expect(JSON.integer(3).number == 3)
    #expect(JSON.bool(true).integer == nil)
  }
}
