import EngagementAdapterAPI
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementTesting
import Testing

@Suite struct PushMarksTests {
  @Test("X16: an adapter's push marks identify its vendor when that adapter is not configured")
  func agreement() throws {
    let marked = try Subjects.all().filter { $0.name != "memory" }
      .map { (name: $0.name, marks: $0.makeAdapter("any").capabilities.pushMarks) }
      .filter { $0.marks != .none }
    #expect(Set(marked.map(\.name)).isSuperset(of: ["atomic", "braze", "clevertap"]))
    for (name, marks) in marked {
      for key in marks.keys + marks.prefixes.map({ $0 + "id" }) {
        let push = JSON.object(JSONObject(uniqueMembers: [JSONObject.Member(key, true)]))
        #expect(PushOwnership.stranger(of: push)?.lowercased() == name, "\(key)")
      }
    }
  }
}
