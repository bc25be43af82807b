import EngagementModel
import Testing

@testable import EngageCommands

@Suite struct SafeTextTests {
  @Test(
    "G18: text from a vendor loses every terminal control sequence",
    arguments: [
      ("plain", "plain"),
      ("two\nlines\tand a tab", "two lines and a tab"),
      ("bell\u{07} backspace\u{08} return\r", "bell backspace return"),
      ("\u{1b}[31mred\u{1b}[0m", "red"),
      ("\u{1b}[2J\u{1b}[Hgone", "gone"),
      ("\u{1b}[?1049hscreen", "screen"),
      ("\u{1b}]0;title\u{07}text", "text"),
      ("\u{1b}]8;;https://evil.example\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
      ("\u{1b}]52;c;never ended", "52;c;never ended"),
      ("\u{1b}Pq#0;2\u{1b}\\image", "image"),
      ("\u{1b}_apc\u{1b}\\\u{1b}^pm\u{1b}\\\u{1b}Xsos\u{1b}\\done", "done"),
      ("\u{1b}(0lines\u{1b}c", "lines"),
      ("\u{9b}31mred \u{9d}0;title\u{9c}text", "red text"),
      ("\u{7f}\u{80}\u{85}\u{9f}x", "x"),
      ("user\u{202e}gpj.exe\u{202c}", "usergpj.exe"),
      ("\u{2066}isolated\u{2069} \u{200f}mark\u{61c}", "isolated mark"),
      ("in\u{200b}vi\u{200c}si\u{2060}ble\u{feff}\u{ad}", "invisible"),
      ("a\u{200d}b", "ab"),
      ("tag\u{e0041}\u{e007f}", "tag"),
      ("line\u{2028}paragraph\u{2029}end", "line paragraph end"),
      ("\u{1b}", ""),
      ("\u{1b}[", ""),
      ("שלום é e\u{301} 咖啡", "שלום é e\u{301} 咖啡"),
      ("👩‍👩‍👧 🇧🇬 ❤️", "👩‍👩‍👧 🇧🇬 ❤️"),
    ])
  func steersNothing(text: String, safe: String) {
    #expect(SafeText.line(text).unicodeScalars.elementsEqual(safe.unicodeScalars))
  }

  @Test("a phrase makes its values safe and keeps its own styling")
  func phrasesAreSafe() {
    let title = "\u{1b}]0;x\u{07}Tea"
    let phrase: Phrase = "\(title, .bold) is \(3) of \(Phrase(title))"
    #expect(phrase.rendered(inColour: false) == "Tea is 3 of Tea")
    #expect(phrase.rendered(inColour: true) == "\u{1b}[1mTea\u{1b}[0m is 3 of Tea")
  }

  @Test("G18: JSON for a terminal escapes control characters and keeps the same value")
  func jsonIsSafe() {
    let line = TerminalJSON.line(["a": "\u{1b}[0m\u{9b}\u{202e}\u{7f}\u{e0041}é"])
    #expect(
      String(decoding: line, as: UTF8.self)
        == #"{"a":"\u001b[0m\u009b\u202e\u007f\udb40\udc41é"}"# + "\n")
  }
}
