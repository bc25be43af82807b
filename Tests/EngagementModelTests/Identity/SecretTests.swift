import EngagementModel
import Testing

@Suite("A secret is never printed")
struct SecretTests {
  @Test("every description of a secret is redacted", arguments: ways)
  func redacted(way: Way) {
    let text = way.print(Secret("canary-1"))
    #expect(!text.contains("canary"))
    #expect(text.contains("<redacted>"))
  }

  @Test("mirrors of a value never expose its secret", arguments: holders.indices)
  func mirrors(index: Int) {
    var texts: [String] = []
    walk(holders[index], into: &texts)
    #expect(texts.contains { $0.contains("<redacted>") })
    #expect(!texts.contains { $0.contains("canary") })
  }

  @Test("the JSON of a push registration has a redacted token")
  func registration() {
    #expect(
      PushRegistration.sample.json.printed
        == #"{"token":"<redacted>","service":"apns","environment":"sandbox"}"#)
  }

  @Test("secrets compare by their bytes and reveal the original text")
  func equality() {
    #expect(Secret("a") == Secret("a"))
    #expect(Secret("\u{e9}") != Secret("e\u{301}"))
    #expect(Set([Secret("\u{e9}"), Secret("e\u{301}"), Secret("\u{e9}")]).count == 2)
    #expect(Secret("canary").revealed == "canary")
  }
}

struct Way: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let print: @Sendable (Secret) -> String

  init(_ name: String, _ print: @escaping @Sendable (Secret) -> String) {
    testDescription = name
    self.print = print
  }
}

private struct Holder: Sendable {
  var name = "holder"
  var secret: Secret
}

private enum Choice: Sendable { case one(Secret) }

extension PushRegistration {
  fileprivate static let sample = PushRegistration(
    token: Secret("canary-token"), service: .apns, environment: .sandbox)
}

private let ways: [Way] = [
  Way("String(describing:)") { String(describing: $0) },
  Way("String(reflecting:)") { String(reflecting: $0) },
  Way("interpolation") { "token \($0)" },
  Way("interpolation of an optional") { "token \(String(describing: Optional($0)))" },
  Way("print") { value in
    var text = ""
    print(value, to: &text)
    return text
  },
  Way("debugPrint") { value in
    var text = ""
    debugPrint(value, to: &text)
    return text
  },
  Way("dump") { value in
    var text = ""
    dump(value, to: &text)
    return text
  },
  Way("dump of a struct") { value in
    var text = ""
    dump(Holder(secret: value), to: &text)
    return text
  },
  Way("as a member of a struct") { "\(Holder(secret: $0))" },
  Way("as a payload of an enum") { "\(Choice.one($0))" },
  Way("in an array") { "\([$0])" },
  Way("in a dictionary") { "\([$0: $0])" },
  Way("in a set") { "\(Set([$0]))" },
  Way("in a tuple") { "\((1, $0))" },
  Way("as any value") { "\($0 as Any)" },
  Way("in the message of an error") {
    "\(EngagementError(.unauthenticated, "Refused for \($0)."))"
  },
  Way("in the cause of an error") {
    String(reflecting: EngagementError(.unauthenticated, "Refused.", underlying: "\($0)"))
  },
  Way("in a push registration") { "\(PushRegistration(token: $0, service: .fcm))" },
  Way("in a reflected push registration") {
    String(reflecting: PushRegistration(token: $0, service: .fcm))
  },
  Way("in the JSON of a push registration") {
    PushRegistration(token: $0, service: .fcm).json.printed
  },
]

private let holders: [any Sendable] = [
  Secret("canary"), Holder(secret: Secret("canary")), Choice.one(Secret("canary")),
  [Secret("canary")], ["key": Secret("canary")], PushRegistration.sample,
]

private func walk(_ value: Any, into texts: inout [String]) {
  texts.append(String(describing: value))
  texts.append(String(reflecting: value))
  for child in Mirror(reflecting: value).children { walk(child.value, into: &texts) }
}
