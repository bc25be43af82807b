import CleverTapFixtures
import EngagementAdapterAPI
import EngagementCleverTap
import EngagementJSON
import EngagementModel
import FoundationEssentials
import Testing

@Suite("CleverTap: items") struct CleverTapItemTests {
  private static let full = #"""
    {"_id":"m-1","wzrk_id":"c-1","wzrk_pivot":"p","wzrk_cgId":7,"wzrk_ttl":1790900000,
     "wzrk_list":[1],"date":1790845000,"isRead":true,"unknown":{},
     "msg":{"type":"carousel","bg":"#ffffff","tags":["news","sale"],
      "custom_kv":[{"key":"offer","value":{"text":"50%"}},{"key":"","value":{"text":"x"}},{"key":"k"}],
      "content":[{"key":1,"title":{"text":"Ünïcode 🎉"},"message":{"text":"\u05d0\u05d1"},
        "action":{"hasUrl":true,"url":{"ios":{"text":"app://ios"},"android":{"text":"app://android"}}},
        "media":{"url":"https://img.example/1.jpg","content_type":"image/jpeg","alt_text":"A shoe"},
        "icon":{"url":"https://img.example/i.png"}},
       {"title":{"text":"second"},"media":{"url":"https://img.example/2.mp4",
         "content_type":"video/mp4","poster":"https://img.example/2.jpg"},
        "action":{"hasUrl":false,"hasLinks":true,"url":{"ios":{"text":"app://x"}},"links":[
         {"type":"copy","text":"Copy","copyText":{"text":"TEN"}},
         {"type":"URL","text":"Go","url":{"ios":{"text":"app://go"},"android":{"text":"app://a"}}},
         {"type":"kv","text":"Run","kv":{"a":"b"}},{"type":"rfp","text":"Allow"},
         {"type":"url","text":"Bad","url":{"ios":{"text":"javascript:x"}}},
         {"type":"url","url":{"ios":{"text":"app://nameless"}}},{"type":"fly","text":"New"},
         {"type":"copy","text":"Nothing"},{"type":"kv","text":"Nothing"},7]}},
       {"media":{"url":"https://img.example/3.mp3","content_type":"audio/mpeg"},
        "action":{"hasLinks":false,"links":[{"type":"rfp","text":"Allow"}]}}]}}
    """#

  private static var second: InboxMessage.Content {
    var content = InboxMessage.Content()
    content.subject = "second"
    content.imageURLText = "https://img.example/2.jpg"
    content.buttons = [
      .init("Copy", .copy("TEN")), .init("Go", .openURL("app://go")),
      .init("Run", .keyValues(["a": "b"])), .init("Allow", .askForPushes),
    ]
    return content
  }

  @Test("C10: every field of the fullest message arrives")
  func fullMessage() throws {
    var message = InboxMessage(ItemID("clevertap", "m-1"), vendor: "clevertap")
    message.subject = "Ünïcode 🎉"
    message.text = "אב"
    message.detailURLText = "app://ios"
    message.imageURLText = "https://img.example/1.jpg"
    message.imageAlt = "A shoe"
    message.furtherContents = [Self.second, InboxMessage.Content()]
    message.iconURLText = "https://img.example/i.png"
    message.isRead = true
    message.createdAt = Date(timeIntervalSince1970: 1_790_845_000)
    message.expiresAt = Date(timeIntervalSince1970: 1_790_900_000)
    message.custom = ["offer": "50%"]
    message.tags = ["news", "sale"]
    message.handle = [
      "campaign": [
        "wzrk_id": "c-1", "wzrk_pivot": "p", "wzrk_cgId": 7, "wzrk_ttl": 1_790_900_000,
      ],
      "server": true, "read": true,
    ]
    #expect(try CleverTap.adapter().message(in: CleverTap.raw(Self.full)) == message)
    let android = try CleverTap.adapter(platform: .android).message(in: CleverTap.raw(Self.full))
    #expect(android.detailURLText == "app://android")
    #expect(android.furtherContents.first?.buttons[1].action == .openURL("app://a"))
  }

  @Test(
    "C10: a message without a usable id is quarantined",
    arguments: [
      "{}", #"{"_id":""}"#, #"{"_id":7}"#, #"{"_id":null}"#, "7", "[]",
      #"{"_id":"a","x":"\u0000"}"#,
      #"{"_id":"a","_id":"b"}"#,
    ])
  func badMessage(text: String) throws {
    #expect {
      try CleverTap.adapter().message(in: CleverTap.raw(text))
    } throws: { ($0 as? EngagementError)?.code == .malformedResponse }
  }

  @Test(
    "C10: an absent or mistyped member costs only itself",
    arguments: [
      "{}", #""msg""#, "7", "null", "[]", #"{"content":{}}"#, #"{"content":[7]}"#,
      #"{"content":[{"title":"t","message":[],"media":7,"icon":null,"action":"a"}],"tags":{},"custom_kv":7}"#,
      #"{"content":[{"action":{"hasUrl":false,"url":{"ios":{"text":"app://x"}}}}]}"#,
      #"{"content":[{"action":{"hasUrl":true,"url":{"android":{"text":"app://x"}}}}]}"#,
    ])
  func bareMessage(body: String) throws {
    let bare = InboxMessage(ItemID("clevertap", "m"), vendor: "clevertap")
    for date in ["", #","date":"soon","wzrk_ttl":"late""#, #","date":1e300,"wzrk_ttl":0"#] {
      let text = #"{"_id":"m","msg":\#(body)\#(date)}"#
      var message = try CleverTap.adapter().message(in: CleverTap.raw(text))
      message.handle = [:]
      #expect(message == bare)
    }
  }

  @Test(
    "C10: what is done to a message without a campaign is told, with the vendor's id for none",
    arguments: ["", #","wzrk_id":null"#, #","wzrk_id":[]"#])
  func messageWithoutCampaign(member: String) throws {
    let text = #"{"_id":"m","isRead":false,"wzrk_pivot":"p"\#(member)}"#
    let message = try CleverTap.adapter().message(in: CleverTap.raw(text))
    #expect(message.handle["campaign"] == ["wzrk_pivot": "p", "wzrk_id": "0_0"])
  }

  private static let dangerous = [
    "javascript:alert(1)", " \tJaVaScRiPt:alert(1)", "java\nscript:alert(1)", "data:text/html,x",
    "vbscript:x", "file:///etc/passwd", "view-source:javascript:x", "",
  ]

  @Test("C10 G18: a URL that can run code never reaches the model", arguments: dangerous)
  func dangerousLinks(url: String) throws {
    let text = JSON.string(url).encoded()
    let quoted = String(decoding: text, as: UTF8.self)
    let message = try CleverTap.adapter().message(
      in: CleverTap.raw(
        #"{"_id":"m","msg":{"content":[{"action":{"url":{"ios":{"text":\#(quoted)}}},"#
          + #""media":{"url":\#(quoted)},"icon":{"url":\#(quoted)}}]}}"#))
    #expect(message.detailURL == nil)
    #expect(message.imageURL == nil)
    #expect(message.iconURL == nil)
    let campaign = try CleverTap.adapter().campaign(
      in: CleverTap.raw(
        #"{"type":"custom-code","templateName":"t","ti":1,"#
          + #""vars":{"a":{"actions":{"type":"url","ios":\#(quoted)}}}}"#))
    #expect(campaign.arguments.isEmpty)
    let push = try CleverTap.adapter().received(
      ["wzrk_id": "c", "wzrk_dl": .string(url), "wzrk_bp": .string(url)],
      in: CleverTap.context())
    #expect(push?.notification.deepLink == nil)
    #expect(push?.notification.mediaURL == nil)
  }
}
