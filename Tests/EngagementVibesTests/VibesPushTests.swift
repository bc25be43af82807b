import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import EngagementVibes
import Testing
import VibesFixtures

@Suite("Vibes: pushes") struct VibesPushTests {
  private func received(_ push: JSON) throws -> Received? {
    try Vibes.adapter().received(push, in: Vibes.context())
  }

  private func received(_ text: String) throws -> Received? {
    try received(try JSON(parsing: Array(text.utf8)))
  }

  @Test("V6: every field of an APNs push arrives")
  func apple() throws {
    let received = try received(
      """
      {"aps": {"alert": {"title": "Powder", "subtitle": "North", "body": "30 cm"}, "badge": 3,
               "sound": "horn.caf", "category": "snow", "mutable-content": 1},
       "client_app_data": {"deep_link": "club://lift/north", "media_url": "https://example.com/s.jpg",
                           "client_message_id": "c-1", "activity_type": "Broadcast",
                           "activity_uid": "a-1", "inbox_message_uid": "m-1", "company_key": "k"},
       "client_custom_data": {"lift": "north"}, "message_uid": "push-1"}
      """)
    var wanted = PushNotification(vendor: "vibes")
    wanted.messageID = "push-1"
    wanted.title = "Powder"
    wanted.subtitle = "North"
    wanted.body = "30 cm"
    wanted.deepLinkText = "club://lift/north"
    wanted.mediaURLText = "https://example.com/s.jpg"
    wanted.sound = "horn.caf"
    wanted.badge = 3
    wanted.category = "snow"
    wanted.custom = ["lift": "north"]
    wanted.inboxMessageID = "m-1"
    wanted.detail = ["client_message_id": "c-1", "company_key": "k"]
    wanted.handle = ["activity_type": "Broadcast", "activity_uid": "a-1"]
    #expect(received == Received(wanted, operations: [.message("m-1")]))
  }

  static let google = #"""
    {"message_uid": "push-1", "title": "Powder", "body": "30 cm", "badge": "10", "sound": "horn.mp3",
     "click_action": "CHANNEL", "notification_channel": "SNOW", "priority": "high",
     "silent_push": "false", "vibes_collapse_id": "c-9",
     "client_app_data": "APP", "client_custom_data": "{\"lift\":\"north\"}"}
    """#

  @Test(
    "V6: every field of an FCM push arrives, with its data as JSON or in Ruby's format",
    arguments: [
      #"{\"deep_link\":\"club://x\",\"activity_uid\":\"a-1\",\"rest\":null}"#,
      #"{\"deep_link\"=>\"club://x\", \"activity_uid\"=>\"a-1\", \"rest\"=>nil}"#,
      #"{\"deep_link\" => \"club://x\", \"activity_uid\" => \"a-1\", \"rest\" => nil}"#,
    ])
  func google(app: String) throws {
    let received = try received(Self.google.replacing("APP", with: app))
    var wanted = PushNotification(vendor: "vibes")
    wanted.messageID = "push-1"
    wanted.title = "Powder"
    wanted.body = "30 cm"
    wanted.deepLinkText = "club://x"
    wanted.sound = "horn.mp3"
    wanted.badge = 10
    wanted.category = "SNOW"
    wanted.custom = ["lift": "north"]
    wanted.detail = ["rest": .null, "vibes_collapse_id": "c-9"]
    wanted.handle = ["activity_uid": "a-1"]
    #expect(received == Received(wanted))
  }

  @Test("V6: Ruby's arrows, nils and escapes inside a string stay text")
  func rubyTexts() throws {
    let received = try received([
      "message_uid": "push-1",
      "client_custom_data": .string(
        ##"{"a"=>"x => \"nil\" \#{y} \\", "b"=>[1, nil, true], "c"=>{"d"=>"é"}}"##),
    ])
    let wanted: JSONObject = [
      "a": .string(##"x => "nil" #{y} \"##), "b": [1, .null, true], "c": ["d": "é"],
    ]
    #expect(received?.notification.custom == wanted)
  }

  @Test(
    "V6: an FCM push's data is read as leniently as by the vendor's Android client",
    arguments: [
      "{deep_link=club://x, activity_uid=a-5}", "{'deep_link':'club://x';'activity_uid':'a-5'}",
      #"{"deep_link" = "club://x" ; "activity_uid" => a-5,}"#,
      "{deep_link='club://x',activity_uid='a-5'}",
    ])
  func lenientData(text: String) throws {
    let received = try #require(
      try received(["message_uid": "push-1", "client_app_data": .string(text), "title": "T"]))
    #expect(received.notification.deepLinkText == "club://x")
    #expect(received.notification.handle["activity_uid"] == "a-5")
  }

  @Test("V5: a number that names an activity is read from FCM's data, and not from that of APNs")
  func numericActivity() throws {
    var push: JSON = [
      "message_uid": "push-1", "title": "T",
      "client_app_data": #"{"activity_uid":5,"activity_type":"Broadcast"}"#,
    ]
    let fcm = try #require(try received(push)).notification.handle
    #expect(fcm["activity_uid"] == "5" && fcm["activity_type"] == "Broadcast")
    push = [
      "message_uid": "push-1", "aps": ["alert": "T"],
      "client_app_data": ["activity_uid": 5, "activity_type": "Broadcast"],
    ]
    let apns = try #require(try received(push)).notification.handle
    #expect(apns["activity_uid"] == nil && apns["activity_type"] == "Broadcast")
  }

  @Test(
    "V6: a silent push is recognised in any case",
    arguments: [("TRUE", true), ("True", true), ("false", false), ("1", false), ("", false)])
  func silence(text: String, isSilent: Bool) throws {
    let received = try received(["message_uid": "push-1", "silent_push": .string(text)])
    #expect(received?.notification.isSilent == isSilent)
  }

  @Test(
    "V6: broken data is ignored, and the push still arrives",
    arguments: [
      "", "{", #"{"a"=>"#, #"{"a"=>"b"#, #"{"a"=>"\"#, "nil", "[1]", "=>", "{a=>}", "{a 1}",
      "{a=1}}",
      "{a=1,a=2}",
    ])
  func brokenData(text: String) throws {
    let received = try #require(
      try received(["message_uid": "push-1", "client_app_data": .string(text), "title": "T"]))
    #expect(received.notification.title == "T")
    #expect(received.notification.detail.isEmpty)
    #expect(received.notification.deepLinkText == nil)
    #expect(received.operations.isEmpty)
  }

  @Test(
    "V6: a push with nothing to show is silent",
    arguments: [
      (#"{"aps":{"content-available":1},"message_uid":"p"}"#, true),
      (#"{"aps":{"content-available":1,"alert":{}},"message_uid":"p"}"#, true),
      (#"{"aps":{"content-available":1,"alert":"Hi"},"message_uid":"p"}"#, false),
      (#"{"aps":{"alert":"Hi"},"message_uid":"p"}"#, false),
      (#"{"message_uid":"p","silent_push":"true"}"#, true),
      (#"{"message_uid":"p","silent_push":true}"#, true),
      (#"{"message_uid":"p","silent_push":"false"}"#, false),
      (#"{"message_uid":"p","body":"Hi"}"#, false),
    ])
  func silent(text: String, isSilent: Bool) throws {
    #expect(try received(text)?.notification.isSilent == isSilent)
  }

  @Test("V6: an alert may be a string, and a sound may be an object")
  func shortForms() throws {
    let received = try received(
      #"{"aps":{"alert":"Hi","sound":{"critical":1,"name":"horn.caf"},"badge":"x"},"message_uid":"p"}"#
    )
    #expect(received?.notification.body == "Hi")
    #expect(received?.notification.sound == "horn.caf")
    #expect(received?.notification.badge == nil)
  }

  @Test(
    "V6: the adapter ignores another vendor's push",
    arguments: [
      "null", "7", "[]", "{}", #""message_uid""#, #"{"aps":{"alert":"Hi"}}"#,
      #"{"message_uid":""}"#, #"{"message_uid":7}"#, #"{"client_app_data":{"deep_link":"x"}}"#,
      #"{"aps":{"alert":"Hi"},"ab":{"c":"1"},"ab_uri":"x"}"#,
      #"{"wzrk_id":"1","nt":"Hi","nm":"There"}"#,
      #"{"aps":{"alert":"Hi"},"atomic":{"cardInstanceId":"1"}}"#,
      #"{"client_custom_data":{"vibes_auto_register_token":" "}}"#,
    ])
  func foreign(text: String) throws {
    #expect(try received(text) == nil)
  }

  @Test("V6: a URL that can run code never reaches the model")
  func activeAddresses() throws {
    let received = try received([
      "message_uid": "p",
      "client_app_data": ["deep_link": " JAVASCRIPT:alert(1)", "media_url": "file:///etc/passwd"],
    ])
    #expect(received?.notification.deepLinkText == nil)
    #expect(received?.notification.mediaURLText == nil)
    #expect(received?.notification.detail.isEmpty == true)
  }

  // MARK: Migration

  private static let registration: [Vibes.Operation] = [
    .device(.register), .registerPush(.production),
  ]
  private static let callback: [Vibes.Operation] = [
    .vendor("callback", ["migration_item_id": "i-1"])
  ]

  @Test(
    "V12: a push migrates a token only with every field that its service requires",
    arguments: [
      (
        #"{"aps":{"content-available":1},"client_custom_data":{"vibes_auto_register_token":"0AFF","migration_item_id":"i-1"}}"#,
        registration + callback
      ),
      (
        #"{"aps":{"content-available":1},"message_uid":"p","client_custom_data":{"vibes_auto_register_token":"0AFF"}}"#,
        []
      ),
      (
        #"{"message_uid":"p","silent_push":"true","client_custom_data":"{\"vibes_auto_register_token\":\"T:x\"}"}"#,
        registration
      ),
      (
        #"{"message_uid":"p","silent_push":"true","client_custom_data":"{\"vibes_auto_register_token\"=>\"T:x\",\"migration_item_id\"=>\"i-1\"}"}"#,
        registration + callback
      ),
      (
        #"{"message_uid":"p","silent_push":"true","client_custom_data":"{\"vibes_auto_register_token\":\"T:x\",\"migration_item_id\":123}"}"#,
        registration + [.vendor("callback", ["migration_item_id": "123"])]
      ),
      (
        #"{"message_uid":"p","silent_push":"false","client_custom_data":"{\"vibes_auto_register_token\":\"T:x\"}"}"#,
        []
      ),
      (
        #"{"message_uid":"p","silent_push":"true","client_custom_data":"{\"vibes_auto_register_token\":\" \"}"}"#,
        []
      ),
    ])
  func migrates(text: String, operations: [Vibes.Operation]) throws {
    let received = try #require(try received(text))
    #expect(received.operations == operations)
    let token =
      text.contains("aps")
      ? PushRegistration(token: Secret("0aff"), service: .apns)
      : PushRegistration(token: Secret("T:x"), service: .fcm)
    #expect(received.changes == (operations.isEmpty ? [] : [.pushToken(token)]))
    #expect(received.notification.custom.isEmpty)
    #expect(!"\(received)".contains("0AFF") && !"\(received)".contains("T:x"))
  }
}
