import EngagementModel

extension Noun {
  static let all = [
    card, message, campaign, push, person, personUpdate, template, event, storedEvent, item,
    storedItem, device, user,
  ]

  static let message = Noun(
    "message", full: InboxMessage.full,
    """
    {"provider":"vibes","vendor":"vibes","id":"m-1","subject":"Hello","text":"You have won",\
    "detailURL":"https://inbox.example/m-1","iconURL":"https://inbox.example/i.png",\
    "imageURL":"https://inbox.example/m.png","imageAlt":"A tree","read":true,\
    "createdAt":"2026-09-21T14:13:20.123Z","expiresAt":"2026-09-22T14:13:20.123Z",\
    "collapseKey":"k","campaignID":"c-7","custom":{"n":1},"tags":["a","b"],\
    "buttons":[{"text":"Shop","action":"openURL","url":"https://inbox.example/shop"},\
    {"text":"Code","action":"copy","value":"TEN"},\
    {"text":"Run","action":"keyValues","values":{"k":"v"}},\
    {"text":"Allow","action":"askForPushes"}],\
    "furtherContents":[{"subject":"Second","text":"Page","detailURL":"https://inbox.example/2",\
    "iconURL":"https://inbox.example/2.png","imageURL":"https://inbox.example/2m.png",\
    "imageAlt":"A shoe","buttons":[{"text":"Copy","action":"copy","value":"2"}]}]}
    """,
    empty: InboxMessage(ItemID("p", "m"), vendor: "v"),
    #"{"provider":"p","vendor":"v","id":"m","read":false}"#,
    required: ["provider", "vendor", "id"], json: \.json, read: InboxMessage.init(json:))

  static let campaign = Noun(
    "campaign", full: Campaign.full,
    """
    {"provider":"clevertap","vendor":"clevertap","id":"42","template":"offer",\
    "arguments":{"header.title":"Hi","ok":{"action":"close"}},"priority":7,\
    "expiresAt":"2026-09-21T14:13:20.123Z","excludedFromCaps":true,\
    "triggers":[{"event":"Viewed","attribute":"Plan",\
    "properties":[{"name":"City","is":"equals","value":["Sofia"]},{"name":"Age","is":"isSet"}],\
    "itemProperties":[{"name":"Price","is":"between","value":[1,2.5]}],\
    "places":[{"latitude":1.0,"longitude":2.5,"kilometres":3.0}],"firstTimeOnly":true},\
    {"event":"Opened"}],\
    "limits":[{"type":"ever","limit":3},{"type":"minutes","limit":1,"frequency":5},\
    {"type":"unreadable"}],"delaySeconds":30,"lifetimeSeconds":600,"suppressed":true}
    """,
    empty: Campaign(ItemID("p", "1"), vendor: "v", template: "t"),
    #"{"provider":"p","vendor":"v","id":"1","template":"t"}"#,
    required: ["provider", "vendor", "id", "template"], json: \.json, read: Campaign.init(json:))

  static let push = Noun(
    "push", full: PushNotification.full,
    """
    {"vendor":"vibes","messageID":"id-1","campaignID":"c-1","title":"T","subtitle":"S",\
    "body":"B","deepLink":"app://x","mediaURL":"https://m.example/1.png","sound":"ping.caf","badge":2,\
    "category":"c","silent":true,"internal":true,"custom":{"a":"b"},"itemID":"i-1","containerID":"BqWL1sT",\
    "inboxMessageID":"m-1","detail":{"d":1}}
    """,
    empty: PushNotification(vendor: "v"), #"{"vendor":"v","silent":false}"#,
    required: ["vendor"], json: \.json, read: PushNotification.init(json:))

  static let person = Noun(
    "person", full: Person.full,
    """
    {"provider":"vibes","vendor":"vibes","key":"k-1","externalID":"u-1","phone":"+359",\
    "email":"a@b.example","name":"Ada","custom":{"tier":"gold"}}
    """,
    empty: Person("", provider: "p", vendor: "v"), #"{"provider":"p","vendor":"v","key":""}"#,
    required: ["provider", "vendor", "key"], json: \.json, read: Person.init(json:))

  static let personUpdate = Noun(
    "personUpdate", full: PersonUpdate.full,
    """
    {"externalID":"u-1","name":"Ada","email":"a@b.example","phone":"+359","city":"Sofia",\
    "country":"BG","region":"22","custom":{"tier":"gold","old":null},"notifications":false,\
    "timeFrames":{"default":[{"from":"08:00","to":"12:05"},{"from":"14:00","to":"17:30"}],\
    "mon":[{"from":"00:00","to":"23:59"}],"sun":[]}}
    """,
    empty: PersonUpdate(), "{}", required: [], json: \.json, read: PersonUpdate.init(json:))

  static let template = Noun(
    "template",
    full: Template.sound(
      "offer", .function, isVisual: false,
      arguments: [
        Template.Argument("title", .string, defaultValue: "Hi"),
        Template.Argument("picture", .file),
      ]),
    """
    {"name":"offer","type":"function","isVisual":false,\
    "arguments":[{"name":"title","type":"string","default":"Hi"},\
    {"name":"picture","type":"file"}]}
    """,
    empty: Template.sound("t", .template), #"{"name":"t","type":"template","isVisual":true}"#,
    required: ["name", "type"], json: \.json, read: Template.init(json:))

  static let device = Noun(
    "device", full: Device.full,
    """
    {"id":"d-1","appID":"com.example","appVersion":"1.2","appBuild":"34","system":"iOS",\
    "systemVersion":"18.1","make":"Apple","model":"iPhone","locale":"en_US",\
    "timeZone":"Europe/Sofia","zoneOffset":10800,"advertisingID":"A-1",\
    "location":{"latitude":42.7,"longitude":23.3}}
    """,
    empty: Device(id: "", appID: "", system: "", systemVersion: "", locale: "", timeZone: ""),
    """
    {"id":"","appID":"","system":"","systemVersion":"","locale":"","timeZone":"","zoneOffset":0}
    """,
    required: ["id", "appID", "system", "systemVersion", "locale", "timeZone", "zoneOffset"],
    json: \.json, read: Device.init(json:))

  static let user = Noun(
    "user", full: User("u-1"), #"{"id":"u-1"}"#, empty: User.anonymous, "{}", required: [],
    json: \.json, read: User.init(json:))
}
