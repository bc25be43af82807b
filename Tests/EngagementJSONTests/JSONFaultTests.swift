import EngagementJSON
import EngagementModel
import Testing

@Suite("Faults")
struct JSONFaultTests {
  private static let structural: Set<JSONFault.Kind> = [
    .unexpectedByte, .unexpectedEnd, .byteOrderMark, .controlCharacter, .invalidEscape, .tooDeep,
    .trailingBytes, .tooLarge,
  ]

  @Test(
    "A kind fails the document when it is structural, and else only its item",
    arguments: JSONFault.Kind.allCases)
  func structural(kind: JSONFault.Kind) {
    #expect(JSONFault(kind, at: 7).isStructural == Self.structural.contains(kind))
  }

  @Test("A fault becomes a malformed response that says what and where, and nothing of the bytes")
  func engagementError() {
    let error = EngagementError(JSONFault(.invalidUTF8, at: 12))
    #expect(error.code == .malformedResponse)
    #expect(error.underlying == "invalidUTF8 at byte 12")
  }
}
