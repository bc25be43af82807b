import EngagementAnalytics
import EngagementJSON
import EngagementModel
import Testing

/// Bodies for the vendors' servers. The expected bytes are written by hand, from what the vendors document.
@Suite struct MigrationExportTests {
  /// A person with everything, one who is suppressed, one who wants no notifications, and a device of
  /// nobody.
  private static func people() throws -> MovingPeople {
    var people = MovingPeople()
    var ada = MovingPerson("ada")
    ada.profile.name = "Ada L."
    ada.profile.email = "ada@example.com"
    ada.profile.phone = "+359881234567"
    ada.profile.city = "Varna"
    ada.profile.country = "BG"
    ada.profile.notifications = true
    ada.profile.custom = ["tier": "gold", "age": 36, "gone": .null]
    ada.profile.timeFrames = [
      .everyDay: [try .init(fromHour: 8, minute: 0, toHour: 17, minute: 30)], .sunday: [],
    ]
    ada.tokens = [.init(PushRegistration(token: Secret("0aff"), service: .apns), device: "-d1")]
    people.add(ada)
    var bob = MovingPerson("bob", suppression: .denied)
    bob.profile.email = "bob@example.com"
    bob.tokens = [.init(PushRegistration(token: Secret("bb"), service: .apns), device: "-d2")]
    people.add(bob)
    var eve = MovingPerson("eve")
    eve.profile.notifications = false
    eve.tokens = [.init(PushRegistration(token: Secret("ee"), service: .apns), device: "-d3")]
    people.add(eve)
    var nobody = MovingPerson(nil)
    nobody.tokens = [.init(PushRegistration(token: Secret("f:1"), service: .fcm), device: "-d4")]
    people.add(nobody)
    return people
  }

  private static func files(_ batches: MigrationBatches) -> [String] {
    batches.bodies.map { "\($0.name) \(String(decoding: $0.bytes, as: UTF8.self))" }
  }

  @Test("X15: Braze gets subscription states first, then attributes, then tokens")
  func braze() throws {
    let batches = MigrationExport(to: .braze, appID: "app").batches(of: try Self.people())
    #expect(
      Self.files(batches) == [
        #"1-suppressed-00001.json {"attributes":[{"external_id":"bob","email_subscribe":"unsubscribed","#
          + #""push_subscribe":"unsubscribed"},{"external_id":"eve","push_subscribe":"unsubscribed"}]}"#,
        #"2-people-00001.json {"attributes":[{"external_id":"ada","email":"ada@example.com","#
          + #""phone":"+359881234567","home_city":"Varna","country":"BG","push_subscribe":"opted_in","#
          + #""age":36,"tier":"gold"},{"external_id":"eve"}]}"#,
        #"3-tokens-00001.json {"attributes":[{"external_id":"ada","push_tokens":[{"app_id":"app","#
          + #""token":"0aff"}]},{"push_token_import":true,"push_tokens":[{"app_id":"app","token":"f:1"}]}]}"#,
      ])
    #expect(batches.refusals.isEmpty)
    #expect(batches.lacking == ["name": 1, "timeFrames": 1])
    #expect(batches.suppressed == [.denied: 1] && batches.moving == 3)
    #expect(batches.bodies.allSatisfy { $0.call == "POST /users/track" })
  }

  @Test(
    "X15: CleverTap gets message flags first, then profiles, then tokens of devices that it knows")
  func cleverTap() throws {
    let batches = MigrationExport(to: .clevertap).batches(of: try Self.people())
    #expect(
      Self.files(batches) == [
        #"1-suppressed-00001.json {"d":[{"type":"profile","identity":"bob","profileData":"#
          + #"{"MSG-email":false,"MSG-push":false,"MSG-sms":false,"MSG-whatsapp":false}},"#
          + #"{"type":"profile","identity":"eve","profileData":{"MSG-push":false}}]}"#,
        #"2-people-00001.json {"d":[{"type":"profile","identity":"ada","profileData":"#
          + #"{"Name":"Ada L.","Email":"ada@example.com","Phone":"+359881234567","City":"Varna","#
          + #""Country":"BG","MSG-push":true,"tier":"gold"}},"#
          + #"{"type":"profile","identity":"eve","profileData":{}}]}"#,
        #"3-tokens-00001.json {"d":[{"type":"token","tokenData":{"id":"0aff","type":"apns"},"#
          + #""objectId":"-d1"},{"type":"token","tokenData":{"id":"f:1","type":"fcm"},"#
          + #""objectId":"-d4"}]}"#,
      ])
    // The vendor has a field of its own with this name.
    #expect(batches.refusals.map(\.field) == ["custom.age"])
  }

  @Test("X15: Vibes gets whom to keep out first, then people a line, then a batch of tokens")
  func vibes() throws {
    let batches = MigrationExport(to: .vibes).batches(of: try Self.people())
    #expect(
      Self.files(batches) == [
        #"1-suppressed-00001.ndjson {"external_person_id":"bob"}"# + "\n",
        #"2-people-00001.ndjson {"external_person_id":"ada","mobile_phone":{"mdn":"+359881234567"},"#
          + #""custom_fields":{"tier":"gold"}}"# + "\n" + #"{"external_person_id":"eve"}"# + "\n",
        #"3-tokens-00001.json {"devices":[{"platform":"IOS","token":"0AFF","external_person_id":"ada"},"#
          + #"{"platform":"ANDROID","token":"f:1"}]}"#,
      ])
    #expect(batches.refusals.map(\.field) == ["custom.age"])
    #expect(batches.lacking["notifications"] == 1)
    #expect(batches.bodies.first?.call == nil)
  }

  @Test("X15: Atomic gets preferences alone: off first, then who has times of day")
  func atomic() throws {
    let batches = MigrationExport(to: .atomic).batches(of: try Self.people())
    #expect(
      Self.files(batches) == [
        #"1-suppressed-00001.json {"data":{"bob":{"notificationsEnabled":false},"#
          + #""eve":{"notificationsEnabled":false}}}"#,
        #"2-people-00001.json {"data":{"ada":{"notifications":{"default":[{"from":"08:00","#
          + #""to":"17:30"}],"sun":[]},"notificationsEnabled":true}}}"#,
      ])
    #expect(batches.lacking["tokens"] == 2 && batches.lacking["email"] == 1)
  }

  @Test("X15: no file but the first has anything of a suppressed person", arguments: vendors)
  func suppression(vendor: MigrationExport.Vendor) throws {
    var people = try Self.people()
    // Told by one device, and suppressed by another.
    people.suppress("ada", for: .optedOut)
    people.suppress("zoe", for: .listed)
    var nobody = MovingPerson(nil, suppression: .denied)
    nobody.tokens = [.init(PushRegistration(token: Secret("cc"), service: .apns), device: "-d5")]
    people.add(nobody)
    let batches = MigrationExport(to: vendor, appID: "app").batches(of: people)
    let parts = batches.bodies.map(\.part)
    #expect(parts == parts.sorted { Self.place($0) < Self.place($1) })
    for body in batches.bodies {
      let text = String(decoding: body.bytes, as: UTF8.self)
      let isFirst = body.part == .suppressed
      for id in ["ada", "bob", "zoe"] { #expect(text.contains("\"\(id)\"") == isFirst, "\(text)") }
      for value in [
        "0aff", "0AFF", "example.com", "gold", "\"bb\"", "\"BB\"", "\"ee\"", "\"EE\"", "\"cc\"",
        "\"CC\"",
      ] {
        #expect(!text.contains(value), "\(text)")
      }
    }
    #expect(batches.suppressed == [.denied: 2, .optedOut: 1, .listed: 1])
  }

  private static let vendors = MigrationExport.Vendor.allCases

  private static func place(_ part: MigrationBatches.Part) -> Int {
    MigrationBatches.Part.allCases.firstIndex(of: part) ?? -1
  }

  @Test(
    "X15: a request has no more objects than the vendor takes",
    arguments: [
      (MigrationExport.Vendor.braze, 75, 75), (.clevertap, 1_000, 100), (.vibes, 1_000, 1_000),
      (.atomic, 1_000, 0),
    ])
  func limits(vendor: MigrationExport.Vendor, ofPeople: Int, ofTokens: Int) throws {
    var people = MovingPeople()
    for number in 0..<(max(ofPeople, ofTokens) * 2 + 1) {
      people.suppress(UserID("s\(number)"), for: .listed)
      var person = MovingPerson(UserID("p\(number)"))
      person.profile.notifications = true
      let token = Secret(String(format: number))
      person.tokens = [
        .init(PushRegistration(token: token, service: .apns), device: "d\(number)")
      ]
      people.add(person)
    }
    let batches = MigrationExport(to: vendor, appID: "app").batches(of: people)
    for (part, most) in [
      (MigrationBatches.Part.suppressed, ofPeople), (.people, ofPeople), (.tokens, ofTokens),
    ]
    where most > 0 {
      let counts = batches.bodies.filter { $0.part == part }.map(\.objects)
      #expect(counts.dropLast().allSatisfy { $0 == most }, "\(part)")
      #expect((counts.last ?? 0) <= most)
      #expect(counts.reduce(0, +) == max(ofPeople, ofTokens) * 2 + 1)
    }
    #expect(batches.bodies.map(\.name) == batches.bodies.map(\.name).sorted())
    for body in batches.bodies where body.name.hasSuffix(".json") {
      #expect(throws: Never.self) { try JSON(parsing: body.bytes) }
    }
  }

  @Test("X15: no request has more than 4 MB, and what alone has more is refused")
  func bytes() {
    var people = MovingPeople()
    for number in 0..<70 {
      var person = MovingPerson(UserID("p\(number)"))
      person.profile.custom = Self.fields(300, "é", 150)
      people.add(person)
    }
    var large = MovingPerson("x")
    large.profile.custom = Self.fields(20_000, "x", 200)
    people.add(large)
    let batches = MigrationExport(to: .braze).batches(of: people)
    #expect(batches.bodies.count == 2 && batches.objects(of: .people) == 70)
    #expect(batches.bodies.allSatisfy { $0.bytes.count <= 4_000_000 })
    #expect(batches.refusals.map(\.person) == [71])
  }

  private static func fields(_ count: Int, _ text: String, _ length: Int) -> JSONObject {
    JSONObject(
      uniqueMembers: (0..<count).map {
        .init("field \($0)", .string(String(repeating: text, count: length)))
      })
  }

  @Test("X15: the same people in another order give the same bytes")
  func order() throws {
    let first = MigrationExport(to: .braze, appID: "a").batches(of: try Self.people())
    var people = MovingPeople()
    for person in try Self.people().inOrder.reversed() { people.add(person) }
    #expect(MigrationExport(to: .braze, appID: "a").batches(of: people).bodies == first.bodies)
  }
}

extension String {
  /// The number as an even count of hexadecimal digits.
  fileprivate init(format number: Int) {
    let digits = String(number, radix: 16)
    self = String(repeating: "0", count: 8 - digits.count) + digits
  }
}
