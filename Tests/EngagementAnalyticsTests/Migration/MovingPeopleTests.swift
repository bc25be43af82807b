import EngagementAnalytics
import EngagementJSON
import EngagementModel
import Testing

/// What is refused, and how people of several devices become one.
@Suite struct MovingPeopleTests {
  private static func refusals(
    _ vendor: MigrationExport.Vendor, _ person: MovingPerson
  ) -> [String] {
    var people = MovingPeople()
    people.add(person)
    return MigrationExport(to: vendor, appID: "a").batches(of: people).refusals.map {
      "\($0.person) \($0.field ?? "-")"
    }
  }

  private static let badValues: [(MigrationExport.Vendor, String, JSON)] = [
    (.braze, "email", "x"), (.braze, "external_id", "x"),
    (.braze, "push_tokens", [["token": "x"]]), (.braze, "$set", 1), (.braze, "", 1),
    (.braze, "n", ["inc": 1]), (.braze, "n", [["a"]]), (.braze, "n", [1]),
    (.braze, "n", .string(String(repeating: "x", count: 256))), (.braze, "n", .number(.nan)),
    (.braze, "q\"", 1), (.clevertap, "Email", "x"), (.clevertap, "msg-push", true),
    (.clevertap, "Identity", "x"), (.clevertap, "n", ["$incr": 1]), (.clevertap, "n", ["a"]),
    (.clevertap, "a.b", 1), (.clevertap, String(repeating: "k", count: 121), 1),
    (.clevertap, "n", .string(String(repeating: "x", count: 513))),
    (.clevertap, "n", .number(.infinity)), (.vibes, "n", 1), (.vibes, "n", ["a"]),
    (.vibes, "n", true), (.vibes, "", "x"),
  ]

  @Test(
    "X15: a value that the vendor would refuse or misread is left out and named",
    arguments: badValues)
  func badValue(vendor: MigrationExport.Vendor, name: String, value: JSON) {
    var person = MovingPerson("u")
    person.profile.custom = [name: value, "good": "yes"]
    #expect(Self.refusals(vendor, person) == ["1 custom.\(name)"])
    var people = MovingPeople()
    people.add(person)
    let body = MigrationExport(to: vendor).batches(of: people).bodies.first
    let text = String(decoding: body?.bytes ?? [], as: UTF8.self)
    #expect(text.contains(#""good":"yes""#), "the rest is written: \(text)")
  }

  @Test("X15: an address that is none is refused", arguments: MigrationExport.Vendor.allCases)
  func badAddresses(vendor: MigrationExport.Vendor) {
    var person = MovingPerson("u")
    (person.profile.email, person.profile.phone) = ("nobody", "call me")
    person.profile.country = "Bulgaria"
    let expected: [MigrationExport.Vendor: [String]] = [
      .braze: ["1 email", "1 phone", "1 country"], .clevertap: ["1 email", "1 phone"],
      .vibes: ["1 phone"], .atomic: [],
    ]
    #expect(Self.refusals(vendor, person) == expected[vendor])
  }

  @Test(
    "X15: an id that the vendor does not take is refused as a whole, also of a suppressed person",
    arguments: [
      (MigrationExport.Vendor.braze, ""), (.atomic, ""), (.braze, "a\u{0}b"),
      (.clevertap, "o'neil"),
      (.clevertap, #"a\b"#), (.clevertap, .init(repeating: "x", count: 1_025)),
      (.vibes, .init(repeating: "x", count: 129)),
    ])
  func badIDs(vendor: MigrationExport.Vendor, id: String) {
    for suppression in [nil, MovingPerson.Suppression.denied] {
      var people = MovingPeople()
      var person = MovingPerson(UserID(id), suppression: suppression)
      person.tokens = [.init(PushRegistration(token: Secret("aa"), service: .apns), device: "d")]
      people.add(person)
      let batches = MigrationExport(to: vendor, appID: "a").batches(of: people)
      #expect(batches.bodies.isEmpty)
      #expect(batches.refusals.map(\.person) == [1])
    }
  }

  @Test("X15: ids and values of any text are escaped", arguments: MigrationExport.Vendor.allCases)
  func hostile(vendor: MigrationExport.Vendor) throws {
    var people = MovingPeople()
    let ids = ["\u{1}\n\u{1b}[31m", "\"},{\"x\":\"", "e\u{301}", "\u{e9}", "🎉\u{202e}", "]}"]
    for id in ids {
      people.suppress(UserID(id), for: .listed)
      people.suppress(UserID(id + "2"), for: .listed)
    }
    let batches = MigrationExport(to: vendor).batches(of: people)
    let expected = vendor == .clevertap ? 10 : 12
    #expect(batches.objects(of: .suppressed) == expected)
    for body in batches.bodies {
      for line in body.bytes.split(separator: UInt8(ascii: "\n")) {
        #expect(throws: Never.self) { try JSON(parsing: Array(line)) }
      }
    }
  }

  @Test("X15: a token has one owner, of production, and of a service that the vendor knows")
  func tokens() {
    var people = MovingPeople()
    let registrations = [
      PushRegistration(token: Secret("aa"), service: .apns),
      PushRegistration(token: Secret("bb"), service: .apns, environment: .sandbox),
      PushRegistration(token: Secret("cc"), service: "hms"),
    ]
    for id in ["u", "v"] as [UserID] {
      var person = MovingPerson(id)
      person.tokens = registrations.map { .init($0, device: "d") }
      people.add(person)
    }
    for vendor in [MigrationExport.Vendor.braze, .clevertap, .vibes] {
      let batches = MigrationExport(to: vendor, appID: "a").batches(of: people)
      #expect(batches.objects(of: .tokens) == 1)
      #expect(batches.refusals.map(\.person) == [1, 1, 2, 2, 2])
    }
    var person = MovingPerson("u")
    person.tokens = [.init(PushRegistration(token: Secret("zz"), service: .apns))]
    #expect(Self.refusals(.vibes, person) == ["1 token"], "no hex text")
    #expect(Self.refusals(.clevertap, person) == ["1 token"], "a device that it does not know")
  }

  @Test("X15: of two devices the first one's value stays, and any suppression holds")
  func merging() {
    var (first, second) = (MovingPerson("u"), MovingPerson("u", suppression: .denied))
    first.profile.email = "a@example.com"
    (second.profile.email, second.profile.city) = ("b@example.com", "Varna")
    first.profile.custom = ["a": 1]
    second.profile.custom = ["a": 2, "b": 3]
    first.profile.notifications = true
    second.profile.notifications = false
    var people = MovingPeople()
    people.add(first)
    people.add(second)
    let merged = people.inOrder
    #expect(merged.count == 1 && merged[0].suppression == .denied)
    #expect(merged[0].profile.email == "a@example.com" && merged[0].profile.city == "Varna")
    #expect(merged[0].profile.custom == ["a": 1, "b": 3])
    #expect(merged[0].profile.notifications == false, "one refusal counts")
  }

  // MARK: Records

  private static func read(_ records: JSONObject...) throws -> [MovingPerson] {
    var reader = PersonRecords()
    for record in records { try reader.add(record) }
    return reader.people
  }

  @Test("X15: records make people, and what waits is newer than what a vendor has told")
  func records() throws {
    let people = try Self.read(
      ["record": "user", "id": "u"], ["record": "consent", "value": "essential"],
      [
        "record": "person", "provider": "vibes", "vendor": "vibes", "key": "k",
        "phone": "+359881", "email": "old@example.com", "custom": ["a": 1],
      ], ["record": "event", "kind": "click"],
      [
        "record": "pending", "operation": "person.update",
        "detail": [
          "update": ["email": "new@example.com", "custom": ["b": 2], "notifications": true]
        ],
      ], ["record": "pending", "operation": "inbox.fetch"],
      ["record": "user", "id": "w"], ["record": "consent", "value": "denied"],
      ["record": "consent", "value": "full"])
    #expect(people.map(\.id) == ["u", "w"])
    #expect(people.map(\.suppression) == [nil, .denied])
    #expect(people[0].profile.email == "new@example.com" && people[0].profile.phone == "+359881")
    #expect(people[0].profile.custom == ["a": 1, "b": 2])
    #expect(people[0].profile.notifications == true)
  }

  @Test("X15: without a consent on record, or with one that is none, nobody is handed over")
  func undecided() throws {
    #expect(try Self.read(["record": "user", "id": "u"])[0].suppression == .undecided)
    for value in ["yes", 1, .null] as [JSON] {
      let people = try Self.read(
        ["record": "user", "id": "u"], ["record": "consent", "value": value])
      #expect(people[0].suppression == .denied)
    }
  }

  @Test("X15: a record that is none, or of nobody, is an error")
  func badRecords() {
    for record in [
      [:], ["record": 1], ["record": "consent", "value": "full"], ["record": "user", "id": 7],
      ["record": "user", "id": ""],
    ] as [JSONObject] {
      #expect(throws: EngagementError.self) { try Self.read(record) }
    }
  }
}
