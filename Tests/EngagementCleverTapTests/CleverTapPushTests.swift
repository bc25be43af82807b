import CleverTapFixtures
import EngagementAdapterAPI
import EngagementCleverTap
import EngagementModel
import EngagementTesting
import Testing

@Suite("CleverTap: pushes") struct CleverTapPushTests {
  @Test("C11: every field of the fullest push arrives, over APNs and FCM")
  func fullPush() throws {
    var wanted = PushNotification(vendor: "clevertap")
    wanted.messageID = "p-1"
    wanted.campaignID = "c-1"
    wanted.title = "Hi"
    wanted.subtitle = "there"
    wanted.body = "Body"
    wanted.deepLinkText = "app://x"
    wanted.mediaURLText = "https://img.example/1.jpg"
    wanted.sound = "ding"
    wanted.badge = 3
    wanted.category = "news"
    wanted.custom = ["own": "1", "nested": ["a": 1]]
    wanted.handle = [
      "campaign": [
        "wzrk_pid": "p-1", "wzrk_id": "c-1", "wzrk_dl": "app://x", "wzrk_rnv": "true",
      ]
    ]
    let push: JSON = [
      "aps": [
        "alert": ["title": "Hi", "subtitle": "there", "body": "Body"], "sound": "ding",
        "badge": 3, "category": "news",
      ],
      "wzrk_pid": "p-1", "W$id": "c-1", "wzrk_dl": "app://x", "wzrk_rnv": "true",
      "ct_mediaUrl": "https://img.example/1.jpg", "own": "1", "nested": ["a": 1],
    ]
    #expect(try received(push) == wanted)
    let android: JSON = [
      "nt": "Hi", "nm": "Body", "wzrk_id": 7, "W$id": 8, "wzrk_bp": "https://img.example/1.jpg",
      "wzrk_cid": "news", "wzrk_pn_s": "true", "wzrk_sound": "ding",
    ]
    let read = try #require(try received(android))
    #expect((read.title, read.body, read.messageID) == ("Hi", "Body", "7"))
    #expect(read.campaignID == "7")
    #expect((read.mediaURL, read.category, read.sound) == (wanted.mediaURL, "news", "ding"))
    #expect(read.isSilent)
  }

  private func received(_ push: JSON) throws -> PushNotification? {
    try CleverTap.adapter().received(push, in: CleverTap.context())?.notification
  }

  @Test("C11: a push of another account of the vendor is left alone")
  func otherAccount() throws {
    #expect(try received(["wzrk_id": "c", "wzrk_acct_id": "ACC-1"]) != nil)
    #expect(try received(["wzrk_id": "c", "wzrk_acct_id": "ACC-2"]) == nil)
  }

  @Test(
    "C11: a click on a push that brings something to try is not told",
    arguments: [
      "wzrk_inapp", "wzrk_inbox", "wzrk_adunit",
    ])
  func preview(member: String) throws {
    let push = try #require(try received(["wzrk_id": "c", .init(member): "{}"]))
    let item = ItemReference(ItemID("clevertap", "p"), on: .push, handle: push.handle)
    let click = CleverTap.event("e-1", .click, on: item)
    let step = try CleverTap.adapter().step(for: .events([click]), in: CleverTap.context())
    guard case .done(let changes) = step else { throw EngagementError(.internalFailure, "sent") }
    #expect(changes == [.settled(["e-1"])])
  }

  static let silent: [(JSON, Bool)] = [
    (["wzrk_id": "c", "aps": ["content-available": 1]], true),
    (["wzrk_id": "c", "aps": ["content-available": 1, "alert": "x"]], false),
    (["wzrk_id": "c", "wzrk_pn_s": true], true), (["wzrk_id": "c", "wzrk_pn_s": "false"], false),
    (["wzrk_id": "c"], false),
  ]

  @Test("C11: a push with nothing to show is silent", arguments: silent)
  func silentPush(push: JSON, isSilent: Bool) throws {
    #expect(try received(push)?.isSilent == isSilent)
  }

  static let foreign: [JSON] = [
    .null, 7, "wzrk_id", ["wzrk_id"], [:], ["aps": ["alert": "x"]], ["ab": ["c": "x"]],
    ["message_uid": "m", "client_app_data": [:]], ["x_wzrk_id": "c"], ["WZRK_id": "c"],
    ["aps": ["wzrk_id": "c"]],
  ]

  @Test("X16: the adapter ignores another vendor's push", arguments: foreign)
  func foreignPush(push: JSON) throws {
    #expect(try received(push) == nil)
  }
}
