import EngagementModel

extension InboxMessage {
  static var full: InboxMessage {
    var message = InboxMessage(ItemID("vibes", "m-1"), vendor: "vibes")
    message.subject = "Hello"
    message.text = "You have won"
    message.detailURLText = "https://inbox.example/m-1"
    message.iconURLText = "https://inbox.example/i.png"
    message.imageURLText = "https://inbox.example/m.png"
    message.imageAlt = "A tree"
    message.isRead = true
    message.createdAt = moment(0)
    message.expiresAt = moment(86_400_000)
    message.collapseKey = "k"
    message.campaignID = "c-7"
    message.custom = ["n": 1]
    message.tags = ["a", "b"]
    message.buttons = [
      Button("Shop", .openURL("https://inbox.example/shop")), Button("Code", .copy("TEN")),
      Button("Run", .keyValues(["k": "v"])), Button("Allow", .askForPushes),
    ]
    var page = Content()
    page.subject = "Second"
    page.text = "Page"
    page.detailURLText = "https://inbox.example/2"
    page.iconURLText = "https://inbox.example/2.png"
    page.imageURLText = "https://inbox.example/2m.png"
    page.imageAlt = "A shoe"
    page.buttons = [Button("Copy", .copy("2"))]
    message.furtherContents = [page]
    return message
  }
}

extension Campaign {
  static var full: Campaign {
    var campaign = Campaign(ItemID("clevertap", "42"), vendor: "clevertap", template: "offer")
    campaign.arguments = ["header.title": "Hi", "ok": ["action": "close"]]
    campaign.priority = 7
    campaign.expiresAt = moment(0)
    campaign.isExcludedFromCaps = true
    campaign.triggers = [
      Campaign.Trigger(
        "Viewed", attribute: "Plan",
        properties: [
          Campaign.Condition("City", .equals, ["Sofia"]), Campaign.Condition("Age", .isSet),
        ],
        itemProperties: [Campaign.Condition("Price", .between, [1, 2.5])],
        places: [Campaign.Place(latitude: 1, longitude: 2.5, kilometres: 3)],
        isFirstTimeOnly: true),
      Campaign.Trigger("Opened"),
    ]
    campaign.limits = [
      Campaign.Limit(.ever, 3), Campaign.Limit(.minutes, 1, frequency: 5), .unreadable,
    ]
    campaign.delaySeconds = 30
    campaign.lifetimeSeconds = 600
    campaign.isSuppressed = true
    return campaign
  }
}

extension PushNotification {
  static var full: PushNotification {
    var push = PushNotification(vendor: "vibes")
    push.messageID = "id-1"
    push.campaignID = "c-1"
    push.title = "T"
    push.subtitle = "S"
    push.body = "B"
    push.deepLinkText = "app://x"
    push.mediaURLText = "https://m.example/1.png"
    push.sound = "ping.caf"
    push.badge = 2
    push.category = "c"
    push.isSilent = true
    push.isInternal = true
    push.custom = ["a": "b"]
    push.itemID = "i-1"
    push.containerID = "BqWL1sT"
    push.inboxMessageID = "m-1"
    push.detail = ["d": 1]
    return push
  }
}

extension Person {
  static var full: Person {
    var person = Person("k-1", provider: "vibes", vendor: "vibes")
    person.externalID = "u-1"
    person.phone = "+359"
    person.email = "a@b.example"
    person.name = "Ada"
    person.custom = ["tier": "gold"]
    return person
  }
}

extension PersonUpdate {
  static var full: PersonUpdate {
    var update = PersonUpdate()
    update.externalID = "u-1"
    update.name = "Ada"
    update.email = "a@b.example"
    update.phone = "+359"
    update.city = "Sofia"
    update.country = "BG"
    update.region = "22"
    update.custom = ["tier": "gold", "old": .null]
    update.notifications = false
    update.timeFrames = [
      .sunday: [], .monday: [frame(0, 0, 23, 59)],
      .everyDay: [frame(8, 0, 12, 5), frame(14, 0, 17, 30)],
    ]
    return update
  }

  private static func frame(_ h1: Int, _ m1: Int, _ h2: Int, _ m2: Int) -> TimeFrame {
    // The hours and minutes are literals above; a wrong one fails every test at once.
    try! TimeFrame(fromHour: h1, minute: m1, toHour: h2, minute: m2)
  }
}

extension Device {
  static let full = Device(
    id: "d-1", appID: "com.example", appVersion: "1.2", appBuild: "34", system: "iOS",
    systemVersion: "18.1", make: "Apple", model: "iPhone", locale: "en_US",
    timeZone: "Europe/Sofia", zoneOffset: 10_800, advertisingID: "A-1",
    location: Location(latitude: 42.7, longitude: 23.3))
}

extension Template {
  /// A template whose arguments keep the rules.
  static func sound(
    _ name: String, _ kind: Kind, isVisual: Bool = true, arguments: [Argument] = []
  ) -> Template {
    do throws(EngagementError) {
      return try Template(name, kind, isVisual: isVisual, arguments: arguments)
    } catch {
      preconditionFailure(error.message)
    }
  }
}
