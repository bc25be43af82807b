import BrazeFixtures
import EngagementAdapterAPI
import EngagementBraze
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementTesting
import Testing

/// Pushes: whose they are, what they say, and the card that may travel with one.
@Suite struct BrazePushTests {
  private func received(_ push: JSON, by user: User = "u-1") throws -> Received? {
    try BrazeScene.adapter().received(push, in: BrazeScene.context(user: user))
  }

  private static let fullest: JSON = [
    "aps": [
      "alert": ["title": "T", "subtitle": "S", "body": "B"], "sound": ["name": "ping"],
      "badge": 3, "category": "offer", "content-available": 1,
    ],
    "ab": ["c": "blob", "att": ["url": "https://example.com/a.png"]],
    "ab_uri": "app://open", "ab_use_webview": true, "own": ["k": "v"],
  ]

  @Test("B8: every part of an APNs push arrives")
  func fullest() throws {
    var expected = PushNotification(vendor: "braze")
    (expected.title, expected.subtitle, expected.body) = ("T", "S", "B")
    (expected.sound, expected.badge, expected.category) = ("ping", 3, "offer")
    (expected.deepLinkText, expected.mediaURLText) = ("app://open", "https://example.com/a.png")
    expected.custom = ["own": ["k": "v"]]
    expected.detail = ["opensInWebView": true]
    #expect(try received(Self.fullest) == Received(expected))
  }

  @Test(
    "B8: an APNs push is Braze's only if ab is a non-empty object",
    arguments: [
      [:], ["ab": [:]], ["ab": "x"], ["ab": .null], ["ab": ["x"]], ["ab_uri": "app://x"], "ab",
      .null,
      ["aps": ["alert": "T"]], ["wzrk_id": "1"], ["message_uid": "1", "client_app_data": [:]],
      ["atomic-push": ["type": "card"]],
    ] as [JSON])
  func foreign(push: JSON) throws {
    #expect(try received(push) == nil)
  }

  static let shapes: [(JSON, PushNotification)] = {
    var plain = PushNotification(vendor: "braze")
    let nothing = plain
    plain.body = "just text"
    var silent = PushNotification(vendor: "braze")
    silent.isSilent = true
    var uninstall = PushNotification(vendor: "braze")
    uninstall.isInternal = true
    var category = PushNotification(vendor: "braze")
    (category.category, category.sound) = ("ab category", "ping")
    let ab: JSON = ["c": 1]
    return [
      (["ab": ab, "aps": ["alert": "just text"]], plain),
      (["ab": ab, "aps": ["content-available": 1]], silent),
      (["ab": ab, "aps": ["content-available": true]], silent),
      (["ab": ["ab_cat": "ab category"], "aps": ["sound": "ping"]], category),
      (["ab": ab, "aps": "x", "ab_uri": 7, "ab_use_webview": "yes"], nothing),
      (["ab": ab, "ab_uri": " javascript:x", "aps": ["badge": 1.5]], nothing),
      (["ab": ["att": ["url": "file:x"]], "appboy_uninstall_tracking": true], uninstall),
      (["ab": ["appboy_uninstall_tracking": false]], uninstall),
      (["ab": ab, "ab_uri": "brazeActions://v1/e30", "ab_cd_uid": "u-1"], nothing),
      (["ab": ["ab_cd": 7]], nothing), (["ab": ["ab_cd": ["tp": "control"]]], nothing),
      (["ab": ["ab_cd": "{"]], nothing),
    ]
  }()

  @Test("B8: an APNs push with odd members gives the expected notification", arguments: shapes)
  func shape(push: JSON, expected: PushNotification) throws {
    #expect(try received(push) == Received(expected))
  }

  // MARK: Google's service

  static let texts: [(JSON, PushNotification)] = {
    var whole = PushNotification(vendor: "braze")
    (whole.title, whole.subtitle, whole.body) = ("T", "S", "B")
    (whole.sound, whole.category) = ("ping", "offer")
    (whole.deepLinkText, whole.mediaURLText) = ("app://open", "https://example.com/a.png")
    (whole.badge, whole.campaignID) = (4, "c")
    whole.custom = ["k": "v"]
    whole.detail = ["opensInWebView": true, "channel": "news"]
    var silent = PushNotification(vendor: "braze")
    silent.isSilent = true
    var plain = PushNotification(vendor: "braze")
    plain.body = "B"
    var older = plain
    (older.mediaURLText, older.sound) = ("https://example.com/b.png", "default")
    var uninstall = silent
    uninstall.isInternal = true
    return [
      (
        [
          "_ab": "true", "t": "T", "s": "S", "a": "B", "sd": "ping", "ab_ct": "offer",
          "uri": "app://open", "ab_iu": "https://example.com/a.png",
          "appboy_image_url": "https://example.com/b.png", "ab_bc": "4", "ab_nc": "news",
          "ab_use_webview": "true", "extra": #"{"k":"v"}"#, "cid": "c", "nid": "7",
        ], whole
      ),
      (
        [
          "_ab": "true", "a": "B", "sd": "d", "ab_bc": "many", "uri": "BrazeActions://v1/e30",
          "extra": #"{"appboy_image_url":"https://example.com/b.png"}"#,
        ], older
      ),
      (["_ab": "true", "extra": #"{"appboy_uninstall_tracking":"true"}"#], uninstall),
      (["_ab": "true", "appboy_uninstall_tracking": "true"], uninstall),
      (["_ab": "1"], silent), (["_ab": true, "t": "", "extra": "{"], silent),
      (["_ab": "true", "a": "B", "t": 7, "uri": "javascript:x", "extra": ["x"]], plain),
    ]
  }()

  @Test("B8: an FCM push gives the expected notification", arguments: texts)
  func text(push: JSON, expected: PushNotification) throws {
    #expect(try received(push) == Received(expected))
  }

  @Test(
    "B8: an FCM push without a valid _ab is ignored",
    arguments: [
      ["_ab": "false", "t": "T"], ["_ab": .null], ["_ab": ""], ["t": "T", "a": "B"],
      ["nm": "B", "nt": "T", "wzrk_id": "1"],
    ] as [JSON])
  func foreignTexts(push: JSON) throws {
    #expect(try received(push) == nil)
  }

  // MARK: A card in a push

  private static let object: JSON = [
    "id": "sent", "tp": "short_news", "ca": 200, "tt": "Sent", "t": true,
  ]

  @Test("B8: a push of either service carries a card, as an object or as text")
  func cards() throws {
    let text = JSON.string(String(decoding: Self.object.encoded(), as: UTF8.self))
    let pushes: [JSON] = [
      ["ab": ["ab_cd": Self.object]], ["ab": ["ab_cd": text]], ["_ab": "true", "ab_cd": text],
    ]
    for push in pushes {
      let received = try received(push)
      #expect(received?.notification.itemID == "sent")
      guard case .items(.cards, .patch, let items)? = received?.changes.first else {
        Issue.record("no card came")
        continue
      }
      #expect(items.map(\.id) == ["sent"] && received?.changes.count == 1)
    }
  }

  @Test(
    "B8 X8: a push keeps its card only for the user that it names",
    arguments: [
      ("u-1", nil, true), ("u-1", "u-1", true), ("u-1", "", true), ("u-1", .null, true),
      ("7", 7, true), (.anonymous, nil, true), ("u-1", "u-2", false), ("u-1", "U-1", false),
      ("u-1", ["u-1"], false), ("u-1", true, false), (.anonymous, "u-1", false),
    ] as [(User, JSON?, Bool)])
  func owner(user: User, owner: JSON?, isKept: Bool) throws {
    let text = JSON.string(String(decoding: Self.object.encoded(), as: UTF8.self))
    var (own, apns, fcm) = (JSONObject(), JSONObject(), JSONObject())
    own["ab_cd"] = Self.object
    apns["ab"] = .object(own)
    apns["ab_cd_uid"] = owner
    own["ab_cd_uid"] = owner
    (fcm["_ab"], fcm["ab_cd"], fcm["ab_cd_uid"]) = ("true", text, owner)
    for push in [["ab": .object(own)], .object(apns), .object(fcm)] as [JSON] {
      let received = try #require(try received(push, by: user))
      #expect(received.changes.isEmpty != isKept)
      #expect(received.notification.itemID == (isKept ? "sent" : nil))
    }
  }

  @Test("B8: opening a push of a campaign is reported with the campaign")
  func opened() async throws {
    let scene = try await BrazeScene(
      ScriptedTransport([BrazeScene.dataLine: [.json(201, #"{"message":"success"}"#)]]))
    let push: JSON = ["_ab": "true", "a": "B", "cid": "campaign"]
    for _ in 1...2 { _ = try await scene.engagement.handlePush(push, phase: .opened) }
    await scene.deliver()
    let events = scene.body(0)["events"]?.array ?? []
    #expect(events.map { $0["name"] } == ["ss", "pc"])
    #expect(events.last?["data"] == ["cid": "campaign"])
  }

  @Test("B8: a push brings no card while cards are disabled")
  func switchedOff() async throws {
    let scene = try await BrazeScene(
      ScriptedTransport([
        BrazeScene.dataLine: [.json(200, BrazeScene.config(1, enabled: false))]
      ]))
    _ = await scene.perform(.settings)
    let push: JSON = ["aps": [:], "ab": ["ab_cd": Self.object]]
    #expect(try await scene.engagement.handlePush(push)?.notification.itemID == "sent")
    #expect(scene.visible.isEmpty)
  }

  @Test("B8: the push token is sent as an attribute of the user")
  func token() async throws {
    let scene = try await BrazeScene(
      ScriptedTransport([BrazeScene.dataLine: [.json(201, #"{"message":"success"}"#)]]))
    let receipt = try await scene.engagement.registerPush(
      PushRegistration(token: Secret("0a0b"), service: .apns))
    await scene.deliver()
    #expect(try await receipt.outcome() == .delivered)
    #expect(scene.body(0)["attributes"] == [["user_id": "u-1", "push_token": "0a0b"]])
  }
}
