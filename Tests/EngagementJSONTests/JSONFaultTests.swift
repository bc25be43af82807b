import EngagementJSON
import EngagementModel
import Testing

@Suite("Faults")
struct JSONFaultTests {
  private static let structural: Set<JSONFault.Kind> = [
    .unexpectedByte, .unexpectedEnd, .byteOrderMark, .controlCharacter, .invalidEscape,
    .trailingBytes, .tooLarge,
  ]

  @Test(
    "only the listed kinds of fault are structural",
    arguments: JSONFault.Kind.allCases)
  func structural(kind: JSONFault.Kind) {
    #expect(JSONFault(kind, at: 7).isStructural == Self.structural.contains(kind))
  }

  @Test("a fault becomes a malformed response with its kind and offset only")
  func engagementError() {
    let error = EngagementError(JSONFault(.invalidUTF8, at: 12))
    #expect(error.code == .malformedResponse)
    #expect(error.underlying == "invalidUTF8 at byte 12")
  }

  @Test("the error of a value that is nested too deep names the nesting")
  func tooDeep() {
    let error = EngagementError(JSONFault(.tooDeep, at: 7))
    #expect(error.message == "The JSON is nested more than 64 levels deep.")
  }
}
