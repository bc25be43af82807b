import Testing

@testable import EngageCommands

@Suite struct TableTests {
  private static let table = {
    var table = Table([
      .init("ID"), .init("TITLE", isFlexible: true), .init("COUNT", .trailing),
    ])
    table.add(["a", "咖啡 for two", "7"])
    table.add(["long-id", "A title that goes on and on", "12"])
    table.add(["b", "", ""])
    return table
  }()

  private func text(width: Int?) -> String {
    Self.table.lines(width: width).map { $0.rendered(inColour: false) }.joined(separator: "\n")
  }

  @Test("a table is as wide as its content, with wide characters counted")
  func natural() {
    #expect(
      text(width: nil) == """
        ID       TITLE                        COUNT
        a        咖啡 for two                     7
        long-id  A title that goes on and on     12
        b
        """)
  }

  @Test("a table that is too wide shortens its flexible columns with an ellipsis")
  func narrow() {
    #expect(
      text(width: 32) == """
        ID       TITLE             COUNT
        a        咖啡 for two          7
        long-id  A title that go…     12
        b
        """)
  }

  @Test("table lines are at most as wide as the terminal", arguments: [24, 30, 41, 80])
  func fits(width: Int) {
    for line in Self.table.lines(width: width) { #expect(line.width <= width) }
  }

  @Test(
    "the display width of a text matches a terminal's",
    arguments: [
      ("abc", 3), ("é", 1), ("e\u{301}", 1), ("咖", 2), ("ｆ", 2), ("👩‍👩‍👧", 2), ("🇧🇬", 2),
      ("❤️", 2), ("", 0), ("한", 2), ("ﾊ", 1),
    ])
  func widths(text: String, width: Int) {
    #expect(DisplayWidth.of(text) == width)
  }

  @Test("a text is never cut inside a character", arguments: 0...9)
  func cutting(width: Int) {
    let cut = DisplayWidth.cut("咖啡 e\u{301}👩‍👩‍👧", to: width)
    #expect(DisplayWidth.of(cut) <= width)
    if width == 8 { #expect(cut == "咖啡 e\u{301}👩‍👩‍👧") }
    if width == 4 { #expect(cut == "咖…") }
  }
}
