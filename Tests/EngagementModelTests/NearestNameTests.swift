import Testing

@testable import EngagementModel

@Suite("nearest-name suggestions") struct NearestNameTests {
  private static let names = ["braze", "atomic", "vibes", "clevertap"]

  @Test(
    "a name is suggested only when it is a few edits away",
    arguments: [
      ("brase", "braze"), ("braz", "braze"), ("Braze", "braze"), ("atomik", "atomic"),
      ("vibe", "vibes"), ("clevrtap", "clevertap"), ("cleverrtap", "clevertap"), ("v", nil),
      ("salesforce", nil), ("", nil),
    ])
  func nearest(name: String, meant: String?) {
    #expect(NearestName.of(name, among: Self.names) == meant)
  }

  @Test(
    "the edit distance counts insertions, deletions, replacements and swaps of neighbours",
    arguments: [
      ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("kitten", "sitting", 3), ("flaw", "lawn", 2),
      ("é", "e\u{301}", 2), ("evn", "env", 1), ("ab", "ba", 1), ("abcd", "badc", 2),
      ("ca", "abc", 3),
    ])
  func distance(left: String, right: String, distance: Int) {
    #expect(NearestName.distance(from: left, to: right) == distance)
    #expect(NearestName.distance(from: right, to: left) == distance)
  }

  @Test("among equally near names the alphabetically first is suggested")
  func ties() {
    #expect(NearestName.of("cat", among: ["rat", "bat"]) == "bat")
    #expect(NearestName.of("cat", among: ["bat", "rat"]) == "bat")
    #expect(NearestName.of("cat", among: []) == nil)
  }
}
