import CleverTapFixtures
import EngagementAdapterAPI
import EngagementCleverTap
import EngagementModel
import EngagementTesting
import Testing

@Suite("CleverTap: occurrences") struct CleverTapOccurrenceTests {
  private typealias Occurrence = Campaign.Occurrence

  private func occurrences(
    _ operation: CleverTap.Operation, _ platform: CleverTapConfiguration.Platform = .iOS
  ) throws -> [Occurrence] {
    try CleverTap.adapter(platform: platform).occurrences(in: operation)
  }

  // MARK: Events

  @Test("C9: an event has the vendor's name and the properties that are sent")
  func event() throws {
    let properties: JSONObject = ["A:b": "it's", "no": .null]
    let found = try occurrences(
      .events([
        CleverTap.event("e-1", .custom, " Basket. opened", on: nil, properties),
        CleverTap.event("e-2", .custom, "App Launched"), CleverTap.event("e-3", .snooze),
        CleverTap.event("e-4", .custom, "b"),
      ]))
    #expect(
      found == [Occurrence("Basket opened", properties: ["Ab": "its"]), Occurrence("b")])
  }

  @Test("C9: conditions see a member within an object by its dotted name, and dates as numbers")
  func flat() throws {
    let properties: JSONObject = [
      "shop": ["city": "Sofia", "hall": ["row": 3]], "none": ["no": .null], "on": "$D_1700000000",
      "days": ["$D_5", "x"], "odd": "$D_soon",
    ]
    let event = CleverTap.one(.custom, "Visit", on: nil, properties)
    for platform in [CleverTapConfiguration.Platform.iOS, .android] {
      #expect(
        try occurrences(event, platform).first?.properties == [
          "shop.city": "Sofia", "shop.hall.row": 3, "on": 1_700_000_000, "days": [5, "x"],
          "odd": "$D_soon",
        ])
    }
    let update = CleverTap.update { $0.custom = ["since": "$D_7"] }
    #expect(try occurrences(update, .iOS).first?.properties == ["newValue": 7])
    #expect(try occurrences(update, .android).first?.properties == ["newValue": "$D_7"])
  }

  @Test("C9: a purchase has its items")
  func purchase() throws {
    let found = try #require(
      try occurrences(
        CleverTap.one(.purchase, "Shoe", on: nil, ["price": 2.5, "currency": "EUR"])
      ).first)
    let item: JSONObject = ["Name": "Shoe", "Price": 2.5, "Quantity": 1.0]
    #expect(found.name == "Charged")
    #expect(found.items == [item])
    #expect(
      found.properties == ["Amount": 2.5, "Currency": "EUR", "Items": [.object(item)]])
  }

  @Test("C9: a launch waits for the answer to its batch, and nothing else does")
  func launch() throws {
    let launch = try #require(try occurrences(CleverTap.one(.launch)).first)
    #expect((launch.name, launch.waitsForAnswer) == ("App Launched", true))
    let other = try #require(try occurrences(CleverTap.one(.custom, "a")).first)
    #expect(!other.waitsForAnswer)
  }

  @Test("C9: what was viewed or clicked names its campaign by both of the vendor's names")
  func onItem() throws {
    let events: [(EngagementEvent.Kind, String)] = [
      (.impression, "Notification Viewed"), (.click, "Notification Clicked"),
    ]
    for (kind, name) in events {
      let found = try #require(
        try occurrences(CleverTap.one(kind, on: CleverTap.item(.campaigns))).first)
      #expect(found.name == name)
      #expect(
        found.properties == [
          "wzrk_id": "c-1", "wzrk_pivot": "p", "Campaign id": "c-1", "Variant": "p",
        ])
    }
    let kept = CleverTap.one(.impression, on: CleverTap.item(.inbox, ["server": true]))
    #expect(try occurrences(kept).isEmpty)
  }

  // MARK: Changes of the person

  private static let update = CleverTap.update {
    $0.name = "Ada"
    $0.notifications = false
    $0.custom = [
      "old": .null, "gone": ["$delete": 1], "sizes": ["M", "L"], "colours": ["$set": ["red"]],
      "points": ["$incr": 5], "tags": ["$add": ["x"]], "tz": "Europe/Sofia", "cc": "BG",
      "address": ["city": ["name": "Sofia"], "floor": 3], "it's": 7,
    ]
  }

  static let changes: [(attribute: String, value: JSON)] = [
    ("Name", "Ada"), ("MSG-push", false), ("old", .null), ("gone", .null), ("sizes", ["M", "L"]),
    ("colours", ["red"]), ("address.city.name", "Sofia"), ("address.floor", 3), ("its", 7),
  ]

  @Test(
    "C9: each changed attribute is an occurrence with its new value, named as the platform's client does",
    arguments: [
      (CleverTapConfiguration.Platform.iOS, "_change"), (.android, "_CTUserAttributeChange"),
    ])
  func update(platform: CleverTapConfiguration.Platform, suffix: String) throws {
    let found = try occurrences(Self.update, platform)
    #expect(
      found
        == Self.changes.map { change in
          Occurrence(
            change.attribute + suffix, properties: ["newValue": change.value],
            attribute: change.attribute)
        })
  }

  @Test("C9: a sign-in changes the identity")
  func identity() throws {
    #expect(
      try occurrences(.associate("u-1")) == [
        Occurrence("Identity_change", properties: ["newValue": "u-1"], attribute: "Identity")
      ])
    #expect(try occurrences(.associate("it's")).isEmpty)
  }

  @Test("C9: what is refused, and what is no event, can make nothing due")
  func nothing() throws {
    let operations: [CleverTap.Operation] = [
      .updatePerson(PersonUpdate()), CleverTap.update { $0.custom = [" ": 1] }, .optOut(true),
      .campaigns, .inbox, .settings, .templates([]), .events([]),
      .act(.read, on: CleverTap.item(.inbox)), .registerPush(.production),
    ]
    for operation in operations { #expect(try occurrences(operation).isEmpty) }
  }
}
