import EngagementHTTP
import Testing

@Suite("Percent-encoding")
struct PercentEncodingTests {
  @Test(
    "every byte except unreserved ones is percent-encoded",
    arguments: [
      ("", ""), ("azAZ09-._~", "azAZ09-._~"), (" ", "%20"), ("a/b", "a%2Fb"),
      ("?#[]@!$&'()*+,;=", "%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D"),
      ("%41", "%2541"), ("é", "%C3%A9"), ("e\u{301}", "e%CC%81"), ("🎉", "%F0%9F%8E%89"),
      ("\0\r\n", "%00%0D%0A"), ("\\", "%5C"), ("\u{7f}", "%7F"),
    ])
  func encoding(_ text: String, _ encoded: String) {
    #expect(PercentEncoding.encode(text) == encoded)
  }

  @Test("query items keep their order, and their names and values are encoded")
  func query() {
    let items = [(name: "b&", value: "1=2"), (name: "a", value: ""), (name: "b&", value: "é")]
    #expect(PercentEncoding.query(items) == "b%26=1%3D2&a=&b%26=%C3%A9")
    #expect(PercentEncoding.query([]) == "")
  }
}
