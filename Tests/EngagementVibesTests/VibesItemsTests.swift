import EngagementAdapterAPI
import EngagementModel
import EngagementVibes
import FoundationEssentials
import Testing
import VibesFixtures

@Suite("Vibes: messages") struct VibesItemTests {
  private func message(_ text: String) throws -> InboxMessage {
    try Vibes.adapter().message(in: Vibes.raw(text))
  }

  /// A message with one more member.
  private func message(with member: String) throws -> InboxMessage {
    try message(#"{"message_uid":"m-1","content":"c",\#(member)}"#)
  }

  @Test("V8: every field of the fullest message arrives")
  func fullest() throws {
    let message = try message(
      """
      {"message_uid": "m-1", "push_message_uid": "push-1", "subject": "Сняг ❄️ \\u202eab",
       "content": "The <b>pass</b> opens", "detail": "https://example.com/pass",
       "collapse_key": "vibes-a-1", "read": true,
       "expires_at": "2026-12-24T18:00:00.012+02:00", "created_at": "2026-10-01T08:59:59.999Z",
       "images": {"icon": "https://example.com/i.png", "main": "https://example.com/m.jpg"},
       "inbox_custom_data": {"lift": "north", "runs": 3}, "client_app_data": {"inbox_message_uid": "m-1"},
       "apprefdata": {"activityType": "Broadcast", "activityUid": "a-1", "personUid": "x"},
       "sent_at": "2026-10-01T09:00:00Z", "something": [{"new": null}]}
      """)
    var wanted = InboxMessage(ItemID("vibes", "m-1"), vendor: "vibes")
    wanted.subject = "Сняг ❄️ \u{202e}ab"
    wanted.text = "The <b>pass</b> opens"
    wanted.detailURLText = "https://example.com/pass"
    wanted.iconURLText = "https://example.com/i.png"
    wanted.imageURLText = "https://example.com/m.jpg"
    wanted.isRead = true
    wanted.createdAt = Date(timeIntervalSince1970: 1_790_845_199.999)
    wanted.expiresAt = Date(timeIntervalSince1970: 1_798_128_000.012)
    wanted.collapseKey = "vibes-a-1"
    wanted.custom = ["lift": "north", "runs": 3]
    wanted.handle = ["activity_type": "Broadcast", "activity_uid": "a-1"]
    #expect(message == wanted)
  }

  @Test("V8: a message carries the vendor's name until the store sets the provider")
  func namesItsProvider() throws {
    let adapter = VibesAdapter(try VibesConfiguration(appID: "a"))
    let message = try adapter.message(in: Vibes.raw(#"{"message_uid":"m-1","content":""}"#))
    #expect(message.id == ItemID("vibes", "m-1"))
    #expect(message.text == "")
  }

  @Test(
    "V8: a message without a usable id or without content is quarantined",
    arguments: [
      #"{"content":"c"}"#, #"{"message_uid":"","content":"c"}"#,
      #"{"message_uid":"..","content":"c"}"#, #"{"message_uid":7,"content":"c"}"#,
      #"{"message_uid":null,"content":"c"}"#, #"{"message_uid":"m-1"}"#,
      #"{"message_uid":"m-1","content":null}"#, #"{"message_uid":"m-1","content":["c"]}"#,
      #"{"message_uid":"m-1","content":"c","subject":"\u0000"}"#,
      #"{"message_uid":"m-1","message_uid":"m-2","content":"c"}"#,
      "[]", "null", "7", #""m-1""#, "{", "",
    ])
  func setAside(text: String) {
    #expect {
      try message(text)
    } throws: {
      ($0 as? EngagementError)?.code == .malformedResponse
    }
  }

  static let lenient: [String] = [
    #""subject":7"#, #""subject":null"#, #""detail":{}"#, #""collapse_key":false"#,
    #""read":"true""#, #""read":2"#, #""read":null"#, #""created_at":1790845200"#,
    #""created_at":"Jun 16, 2020 6:26:52 PM""#, #""created_at":"2020-02-30T00:00:00Z""#,
    #""expires_at":"""#, #""expires_at":[]"#, #""images":"https://example.com/i.png""#,
    #""images":{"icon":7,"main":null}"#, #""images":[]"#, #""inbox_custom_data":7"#,
    #""inbox_custom_data":"nonsense""#, #""inbox_custom_data":[1]"#, #""apprefdata":"a-1""#,
    #""apprefdata":{"activityType":7,"activityUid":{}}"#, #""client_app_data":"{broken""#,
  ]

  @Test("V8: a field of a wrong type counts as absent", arguments: lenient)
  func wrongTypes(member: String) throws {
    #expect(try message(with: member) == message(#"{"message_uid":"m-1","content":"c"}"#))
  }

  @Test(
    "V8: times are read with and without milliseconds, in any offset",
    arguments: [
      ("2019-07-10T15:06:55.012+00:00", 1_562_771_215.012),
      ("2019-07-10T15:06:55.012Z", 1_562_771_215.012),
      ("2019-07-10T15:06:55Z", 1_562_771_215), ("2019-07-10T15:06:55+00:00", 1_562_771_215),
      ("2019-07-10T17:06:55.5+02:00", 1_562_771_215.5),
      ("2019-07-10T10:06:55.012-0500", 1_562_771_215.012),
      ("2019-07-10T15:06:55.012999Z", 1_562_771_215.012),
    ])
  func times(text: String, seconds: Double) throws {
    let message = try message(with: #""created_at":"\#(text)","expires_at":"\#(text)""#)
    #expect(message.createdAt == Date(timeIntervalSince1970: seconds))
    #expect(message.expiresAt == message.createdAt)
  }

  @Test("V8: 0 and 1 are read as Booleans", arguments: [("0", false), ("1", true), ("true", true)])
  func flags(text: String, value: Bool) throws {
    #expect(try message(with: #""read":\#(text)"#).isRead == value)
  }

  @Test(
    "V8: a URL that can run code never reaches the model",
    arguments: [
      "javascript:alert(1)", " JaVaScRiPt:alert(1)", #"\tjava\nscript:alert(1)"#,
      "data:text/html,x", "VBSCRIPT:x", "file:///etc/passwd", #"\u0001javascript:x"#,
    ])
  func activeAddresses(text: String) throws {
    let message = try message(
      with: #""detail":"\#(text)","images":{"icon":"\#(text)","main":"\#(text)"}"#)
    #expect(message.detailURLText == nil)
    #expect(message.iconURLText == nil)
    #expect(message.imageURLText == nil)
  }

  @Test("V8: ids and texts keep their bytes")
  func bytes() throws {
    let composed = try message(#"{"message_uid":"\u00e9","content":"c"}"#)
    let decomposed = try message(#"{"message_uid":"e\u0301","content":"c"}"#)
    #expect(composed.id != decomposed.id)
    let long = String(repeating: "я🎿", count: 100_000)
    #expect(try message(#"{"message_uid":"m-1","content":"\#(long)"}"#).text == long)
  }

  @Test(
    "V8: custom data sent as text is read",
    arguments: [
      #"{\"a\":\"b\"}"#, #"{\"a\"=>\"b\"}"#, #"{ \"a\" => \"b\" }"#,
    ])
  func customText(text: String) throws {
    #expect(try message(with: #""inbox_custom_data":"\#(text)""#).custom == ["a": "b"])
  }
}
