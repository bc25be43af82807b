import BrazeFixtures
import EngagementAdapterAPI
import EngagementBraze
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementTesting
import FoundationEssentials
import Testing

/// What becomes of each member of a card: as it should be, absent, of another type, unknown.
@Suite struct BrazeItemsTests {
  private func card(_ json: String) throws -> Card {
    try BrazeScene.adapter().card(in: RawItem(index: 0, bytes: Array(json.utf8)[...]))
  }

  /// A card with these members besides an id and a kind.
  private func card(with members: String) throws -> Card {
    try card(#"{"id":"a","tp":"short_news",\#(members)}"#)
  }

  // MARK: Whole

  private static let fullest = """
    {"id":"NWY1Yj","tp":"captioned_image","tt":"Title 🎉","ds":"مرحبا","i":"https://example.com/i",\
    "image_alt":"A cup","language":"bg","u":"app://open","uw":1,"dm":"example.com","ar":1.5,\
    "ca":1700000000,"ea":1700000001,"p":1,"db":true,"v":0,"cl":true,"r":false,"t":true,\
    "e":{"slot":"home","n":"1"},"new":{"x":[]}}
    """

  private static func expected() -> Card {
    var card = Card(ItemID("braze", "NWY1Yj"), vendor: "braze", kind: .captionedImage)
    (card.title, card.text) = ("Title 🎉", "مرحبا")
    (card.imageURLText, card.imageAlt) = ("https://example.com/i", "A cup")
    (card.imageAspectRatio, card.language) = (1.5, "bg")
    (card.urlText, card.linkText, card.opensInWebView) = ("app://open", "example.com", true)
    let time = Date(timeIntervalSince1970: 1_700_000_000)
    (card.createdAt, card.updatedAt, card.activeAt) = (time, time, time)
    card.expiresAt = time.addingTimeInterval(1)
    (card.isPinned, card.isDismissible, card.isClicked, card.isTest) = (true, true, true, true)
    card.actions = Card.Actions(canDismiss: true)
    card.extras = ["slot": "home", "n": "1"]
    card.handle = ["dismissible": true, "link": true]
    return card
  }

  @Test("B2: every member of the fullest card arrives, and an unknown member is ignored")
  func fullest() throws {
    #expect(try card(Self.fullest) == Self.expected())
  }

  @Test("B2: a card with only an id and a kind has defaults")
  func poorest() throws {
    let expected = Card(ItemID("braze", "a"), vendor: "braze", kind: .classic)
    #expect(try card(#"{"id":"a","tp":"short_news"}"#) == expected)
  }

  @Test(
    "B2: each kind has its neutral name",
    arguments: [
      ("captioned_image", Card.Kind.captionedImage), ("text_announcement", .classic),
      ("short_news", .classic), ("classic", .classic), ("banner_image", .banner),
      ("control", .control),
    ])
  func kind(word: String, kind: Card.Kind) throws {
    let card = try card(#"{"id":"a","tp":"\#(word)"}"#)
    #expect(card.kind == kind)
    #expect(card.handle["control"]?.bool == (kind == .control ? true : nil))
  }

  // MARK: Members

  static let leftOut: [String] = [
    #""tt":7"#, #""tt":"""#, #""ds":null"#, #""i":[]"#, #""i":"""#, #""u":false"#, #""u":"""#,
    #""uw":"yes""#, #""dm":{}"#, #""ar":"wide""#, #""ar":0"#, #""ar":-1"#, #""ar":"nan""#,
    #""ca":"soon""#, #""ca":"nan""#, #""ca":1e18"#, #""ca":null"#, #""ea":"never""#, #""ea":-1"#,
    #""ea":-99.5"#, #""ea":1e300"#, #""p":2"#, #""p":"1""#, #""db":null"#, #""v":[]"#,
    #""cl":0.5"#, #""t":{}"#, #""e":"x""#, #""e":null"#, #""image_alt":1"#, #""language":{}"#,
    #""d":true"#,
  ]

  @Test("B2: a member of a wrong type is left out and costs only itself", arguments: leftOut)
  func wrongType(member: String) throws {
    let expected = Card(ItemID("braze", "a"), vendor: "braze", kind: .classic)
    #expect(try card(with: member) == expected)
  }

  @Test("B2: numbers are read as Booleans, and text is read as a ratio or a time")
  func coerced() throws {
    let card = try card(with: #""v":1,"cl":1.0,"p":true,"db":1,"ar":"0.75","ca":1.5"#)
    #expect(card.isViewed && card.isClicked && card.isPinned && card.isDismissible)
    #expect(card.imageAspectRatio == 0.75)
    #expect(card.createdAt == Date(timeIntervalSince1970: 1.5))
    let texts = try self.card(with: #""ca":"1700000000","ea":"-1""#)
    #expect(texts.updatedAt == Date(timeIntervalSince1970: 1_700_000_000))
    #expect(texts.expiresAt == nil)
  }

  @Test(
    "a URL that can run code never reaches the model",
    arguments: [
      "javascript:alert(1)", "JavaScript:alert(1)", #" \t\njavascript:alert(1)"#,
      #"java\tscript:alert(1)"#, #"\u0001javascript:alert(1)"#, "feed:javascript:x",
      "data:text/html,x", "DATA:,x", "vbscript:x", "file:///etc/passwd", "FILE:x",
    ])
  func unsafeURL(url: String) throws {
    let card = try card(with: #""u":"\#(url)","i":"\#(url)""#)
    #expect(card.url == nil && card.imageURL == nil)
    #expect(card.handle["link"] == nil, "nothing to click on")
  }

  @Test(
    "any other URL stays unchanged",
    arguments: [
      "https://example.com/?u=javascript:1", "app://data:1", "tel:+359888", "/inbox#file:", "x",
      "javascripts:1", "mailto:a@example.com",
    ])
  func otherURL(url: String) throws {
    #expect(try card(with: #""u":"\#(url)""#).urlText == url)
  }

  @Test(
    "B3: a URL with spaces or control characters is kept and is not clickable",
    arguments: [" ", "https://example.com/a b", #"https://example.com/\n"#, #"a\u007fb"#])
  func unusableURL(url: String) throws {
    let card = try card(with: #""u":"\#(url)""#)
    #expect(card.url != nil && card.handle["link"] == nil)
  }

  @Test("ids compare by bytes, so composed and decomposed letters are two cards")
  func ids() async throws {
    let scene = try await BrazeScene.enabled(syncs: [
      BrazeScene.sync(full: true, ["e\u{301}", "\u{e9}"].map { BrazeScene.card($0) })
    ])
    _ = await scene.sync()
    #expect(scene.visible.count == 2)
  }

  @Test("a text of a megabyte arrives complete")
  func long() throws {
    let text = String(repeating: "я", count: 524_288)
    #expect(try card(with: #""ds":"\#(text)""#).text == text)
  }

  // MARK: Set aside

  private static let deep =
    #"{"id":"a","tp":"control","e":{"x":"#
    + String(repeating: "[", count: 80) + String(repeating: "]", count: 80) + "}}"

  static let unusable: [(String, EngagementError.Code)] = [
    (deep, .malformedResponse),
    (#"{"tp":"control"}"#, .malformedResponse), (#"{"id":"","tp":"control"}"#, .malformedResponse),
    (#"{"id":7,"tp":"control"}"#, .malformedResponse), (#"{"id":"a"}"#, .malformedResponse),
    (#"{"id":"a","tp":1}"#, .malformedResponse), (#"{"id":"a","tp":""}"#, .malformedResponse),
    ("[]", .malformedResponse), ("7", .malformedResponse), ("", .malformedResponse),
    (#"{"id":"a","tp":"control","tt":"\u0000"}"#, .malformedResponse),
    (#"{"id":"a","tp":"control","tt":"\ud800"}"#, .malformedResponse),
    (#"{"id":"a","tp":"control","ca":99999999999999999999}"#, .malformedResponse),
    (#"{"id":"a","id":"b","tp":"control"}"#, .malformedResponse),
    (#"{"id":"a","tp":"classic","u":"brazeActions://v1/e30"}"#, .unsupported),
    (#"{"id":"a","tp":"classic","u":"BRAZEACTIONS:"}"#, .unsupported),
    (#"{"id":"a","tp":"video"}"#, .unsupported), (#"{"id":"a","tp":"Control"}"#, .unsupported),
  ]

  @Test(
    "a malformed card is quarantined, and a card of an unknown kind is ignored", arguments: unusable
  )
  func setAside(json: String, code: EngagementError.Code) throws {
    let error = #expect(throws: EngagementError.self) { try card(json) }
    #expect(error?.code == code)
  }

  @Test(
    "the reason of a quarantined or ignored card says what is wrong with it",
    arguments: [
      (#"{"tp":"control"}"#, "A card has no id."), (#"{"id":"a"}"#, "A card has no kind."),
      (#"{"id":"a","tp":"video"}"#, "The kind of a card is not known."),
      ("[]", "Something else stands where a JSON object is expected."),
      (#"{"id":"a","tp":"control","tt":"\ud800"}"#, "The answer is not sound JSON."),
      (deep, "The JSON is nested more than 64 levels deep."),
    ])
  func reason(json: String, text: String) {
    let error = #expect(throws: EngagementError.self) { try card(json) }
    #expect(error?.message == text)
  }

  @Test(
    "the error names an unknown kind only if it looks like a name",
    arguments: [("video_2", "video_2"), ("<b>secret</b>", nil), ("a b", nil)] as [(String, String?)]
  )
  func unknownKind(word: String, name: String?) throws {
    let error = #expect(throws: EngagementError.self) {
      try card(#"{"id":"a","tp":"\#(word)"}"#)
    }
    #expect(error?.underlying == name)
  }

  @Test(
    "one bad card of a hundred costs only itself",
    arguments: unusable.filter { $0.0 != "" })
  func oneOfAHundred(json: String, code: EngagementError.Code) async throws {
    var cards = (0..<100).map { BrazeScene.card("card \($0)") }
    cards[50] = json
    let scene = try await BrazeScene.enabled(syncs: [
      BrazeScene.sync(full: true, cards), BrazeScene.sync(full: false, cards),
    ])
    for _ in 0..<2 {
      #expect(await scene.sync() == .done)
      #expect(scene.visible == (0..<100).filter { $0 != 50 }.map { "card \($0)" })
    }
    let events = try await scene.engagement.events()
    #expect(events.count { $0.kind == .itemQuarantined } == (code == .unsupported ? 0 : 1))
  }

  @Test("B3: a control card is stored and never shown")
  func control() async throws {
    let scene = try await BrazeScene.enabled(syncs: [
      BrazeScene.sync(full: true, [#"{"id":"held","tp":"control"}"#, BrazeScene.card("a")])
    ])
    _ = await scene.sync()
    #expect(scene.visible == ["a"])
    #expect(scene.card("held")?.kind == .control)
  }

  @Test("pinned cards come first, then the newest")
  func order() async throws {
    let scene = try await BrazeScene.enabled(syncs: [
      BrazeScene.sync(
        full: true,
        [
          BrazeScene.card("old", at: 1), BrazeScene.card("new", at: 3),
          BrazeScene.card("pinned", at: 2, #","p":1"#), #"{"id":"timeless","tp":"banner_image"}"#,
        ])
    ])
    _ = await scene.sync()
    #expect(scene.visible == ["pinned", "new", "old", "timeless"])
  }
}
