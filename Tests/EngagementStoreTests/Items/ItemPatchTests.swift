import EngagementAdapterAPI
import EngagementStore
import Testing

@Suite struct ItemPatchTests {
  private func merged(_ base: String, _ patch: String, _ rules: PatchRules) throws -> String? {
    try ItemPatch.merged(Array(base.utf8)[...], with: Array(patch.utf8)[...], by: rules)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  private static let rules = PatchRules(age: "ca", onlyEverSet: ["v", "cl"])

  @Test(
    "B4: a patch overwrites its members and keeps the other bytes unchanged",
    arguments: [
      (#"{"a":1,"b":2}"#, #"{"b":3}"#, #"{"a":1,"b":3}"#),
      (#"{"a":1}"#, #"{"c": [1, 2]}"#, #"{"a":1,"c":[1, 2]}"#),
      (#"{"a":"\u00e9"}"#, #"{"b":1.50}"#, #"{"a":"\u00e9","b":1.50}"#),
      (#"{}"#, #"{"a":null}"#, #"{"a":null}"#),
      (#"{"a":1}"#, #"{}"#, #"{"a":1}"#),
    ])
  func overlay(base: String, patch: String, result: String) throws {
    #expect(try merged(base, patch, Self.rules) == result)
  }

  @Test(
    "B4: a patch cannot clear viewed or clicked",
    arguments: [
      (#"{"v":true}"#, #"{"v":false}"#, #"{"v":true}"#),
      (#"{"v":1}"#, #"{"v":0}"#, #"{"v":true}"#),
      (#"{"v":false}"#, #"{"v":true}"#, #"{"v":true}"#),
      (#"{"v":0,"cl":true}"#, #"{"v":1,"cl":false}"#, #"{"v":1,"cl":true}"#),
      (#"{"p":true}"#, #"{"p":false}"#, #"{"p":false}"#),
    ])
  func onlyEverSet(base: String, patch: String, result: String) throws {
    #expect(try merged(base, patch, Self.rules) == result)
  }

  @Test("B4: an older patch is ignored whole, and one of the same age is applied")
  func age() throws {
    #expect(try merged(#"{"ca":10,"a":1}"#, #"{"ca":9,"a":2}"#, Self.rules) == nil)
    #expect(try merged(#"{"ca":10,"a":1}"#, #"{"ca":10,"a":2}"#, Self.rules) == #"{"ca":10,"a":2}"#)
    #expect(try merged(#"{"a":1}"#, #"{"ca":9,"a":2}"#, Self.rules) == #"{"ca":9,"a":2}"#)
  }

  @Test("a complete list cannot clear the `onlyEverSet` members of an item")
  func retaining() throws {
    let retention = Retention(onlyEverSet: ["v"])
    func kept(_ base: String, _ item: String) throws -> String {
      String(
        decoding: try ItemPatch.retaining(
          Array(base.utf8)[...], in: Array(item.utf8)[...], by: retention), as: UTF8.self)
    }
    #expect(try kept(#"{"v":true,"a":1}"#, #"{"v":false}"#) == #"{"v":true}"#)
    #expect(try kept(#"{"v":true}"#, #"{"b":2}"#) == #"{"b":2,"v":true}"#)
    #expect(try kept(#"{"v":false,"a":1}"#, #"{"b":2}"#) == #"{"b":2}"#)
  }

  @Test("merging refuses a base or patch that is not an object", arguments: ["[]", "1", "", "{"])
  func noObject(text: String) {
    #expect(throws: (any Error).self) { try merged(text, "{}", Self.rules) }
    #expect(throws: (any Error).self) { try merged("{}", text, Self.rules) }
  }
}
