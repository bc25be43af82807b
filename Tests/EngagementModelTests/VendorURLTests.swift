import EngagementModel
import Testing

@Suite struct VendorURLTests {
  @Test(
    "G18: a URL that could run code or read files is refused",
    arguments: [
      "javascript:alert(1)", "JavaScript:alert(1)", " javascript:alert(1)",
      "\u{0}\u{1}javascript:x",
      "java\tscript:x", "java\r\nscript:x", "data:text/html,x", "DATA:,x", "vbscript:x",
      "file:///etc/passwd", "feed:javascript:x", "view-source:data:,x", "feed: \tjavascript:x", "",
    ])
  func refused(text: String) {
    #expect(VendorURL.checked(text) == nil)
  }

  @Test(
    "every other URL is kept byte for byte",
    arguments: [
      "https://example.com/a?b=c#d", "http://example.com", "app://inbox/1", "/relative", "a b",
      "mailto:a@example.com", "javascripts:x", "https://example.com/javascript:x", "tel:+1",
      "feed:https://example.com", "%6aavascript:x", "averyveryverylongschemejavascript:x", ":x",
    ])
  func kept(text: String) {
    #expect(VendorURL.checked(text) == text)
  }

  @Test("an absent URL stays absent")
  func absent() { #expect(VendorURL.checked(nil) == nil) }
}
