import EngagementAnalytics
import EngagementJSON
import EngagementModel
import TestSupport
import Testing
import VendorEventFixtures

/// The table of a vendor that is made up.
@Suite struct VendorEventTableTests {
  private static let table = VendorEventTable(
    name: "orchard-export", summary: "The events of the orchard.", provider: "orchard",
    nameField: "what", timeField: "when", timeFormat: .seconds, properties: "rest.own",
    fields: [
      VendorEventTable.Field("id", .id), VendorEventTable.Field("who.name", .user),
      VendorEventTable.Field("who.phone", .source),
    ],
    events: [
      VendorEventTable.Event(
        "basket.Seen", .impression, on: .cards,
        [VendorEventTable.Field("rest.basket", .subject)]),
      VendorEventTable.Event("own", .custom, [VendorEventTable.Field("rest.name", .name)]),
      VendorEventTable.Event(
        "sale", .purchase,
        [
          VendorEventTable.Field("rest.fruit", .name),
          VendorEventTable.Field("rest.cost", property: "price"),
        ], properties: "rest.sale"),
    ], customName: "own")
  private static let trip = VendorEventTrip(table)

  private static func parsed(_ text: String) throws -> JSON {
    try JSON(parsing: Array(text.utf8))
  }

  @Test("X14: an event of a vendor is one of ours, and what the table does not name is kept")
  func reads() throws {
    let line = #"""
      {"what":"basket.Seen","id":"7","when":1790845200,"who":{"name":"ada","phone":"p","age":3},
      "rest":{"basket":"b/1","own":{"size":"L"},"x.y":[1,2.50]},"extra":null}
      """#.replacing("\n", with: "")
    let ours = Self.trip.ours(of: [line])
    let expected = #"""
      {"specversion":"1.0","id":"7","source":"p","type":"engage.card.impression",
      "subject":"orchard/b/1","time":"2026-10-01T09:00:00.000Z","sequence":1,"userid":"ada",
      "provider":"orchard","surface":"cards","data":{"orchard.who.age":3,"size":"L",
      "orchard.rest.x~1y":[1,2.50],"orchard.extra":null}}
      """#.replacing("\n", with: "")
    #expect(ours.faults.isEmpty)
    #expect(ours.lines == [try Self.parsed(expected)])
  }

  @Test(
    "X14: an event of a vendor comes back as the same object",
    arguments: [
      #"{"what":"basket.Seen","when":1,"id":"1","rest":{"basket":"b"}}"#,
      #"{"what":"unheard.Of","when":1,"id":"1","rest":{"name":"n","basket":"b"}}"#,
      #"{"what":"own","when":1,"id":"1","rest":{"name":"n"}}"#,
      #"{"what":"own","when":1,"id":"1"}"#,
      #"{"what":"own","when":1,"rest":{"name":"engage.card.snooze"}}"#,
      #"{"what":"sale","when":1,"rest":{"fruit":"fig","cost":1.10,"sale":{"price":2,"a":{}}}}"#,
      // What cannot be a cell is kept as it is.
      #"{"what":"own","when":1.5,"id":7,"who":{"name":1234567890123456789},"rest":{"name":null}}"#,
      #"{"what":"own","when":"1","id":"","who":[],"rest":{"own":{}}}"#,
      #"{"what":"own","when":-1,"who":"ada","rest":"none"}"#,
      #"{"what":"own","when":1,"who":{},"rest":{"own":[1]}}"#,
      #"{"what":"own","when":1,"rest":{"own":{"orchard.id":1,"a.b":2,"~0":3,"":4,"é":5}}}"#,
      #"{"what":"own","when":1,"":1,".":2,"who.name":"x","who":{"":{"a":1.50e300}}}"#,
      #"{"what":"own","when":1,"who":{"name":"a\tb","phone":"\ud83c\udf89"}}"#,
    ])
  func comesBack(line: String) throws {
    let ours = Self.trip.ours(of: [line])
    #expect(ours.faults.isEmpty)
    #expect(Self.trip.vendors(of: ours.lines) == [try Self.parsed(line)])
  }

  @Test("X5 X14: what was done to a bridged item is written in its vendor's word, if it has one")
  func bridged() throws {
    func written(_ kind: String, as word: String) throws -> JSON? {
      let line = #"""
        {"specversion":"1.0","id":"7","source":"p","type":"engage.card.\#(kind)",
        "subject":"orchard/b","time":"2026-10-01T09:00:00.000Z","sequence":1,
        "provider":"orchard","surface":"cards","data":{"vendorKind":"\#(word)"}}
        """#.replacing("\n", with: "")
      return Self.trip.vendors(of: [try Self.parsed(line)]).first
    }
    let seen = try written("read", as: "impression")
    #expect(seen?["what"] == "basket.Seen" && seen?["rest"] == ["basket": "b"])
    // The vendor has no event for its word, and one for what the user did.
    #expect(try written("impression", as: "read") == seen)
    let opened = try written("open", as: "click")
    #expect(opened?["what"] == "own" && opened?["rest"]?["name"] == "engage.card.open")
    #expect(opened?["rest"]?["own"] == ["vendorKind": "click"])
  }

  @Test("X14: an event of another provider is written under our type and comes back as no vendor's")
  func foreign() throws {
    let line = #"""
      {"specversion":"1.0","id":"7","source":"p","type":"engage.card.impression",
      "subject":"meadow/b","time":"2026-10-01T09:00:00.000Z","sequence":1,
      "provider":"meadow","surface":"cards"}
      """#.replacing("\n", with: "")
    let written = Self.trip.vendors(of: [try Self.parsed(line)])
    #expect(written.first?["what"] == "own")
    #expect(written.first?["rest"]?["name"] == "engage.card.impression")
    let back = Self.trip.ours(of: written.map { String(decoding: $0.encoded(), as: UTF8.self) })
    #expect(back.lines.first?["provider"] == nil)
    #expect(back.lines.first?["subject"] == nil)
  }

  @Test("X14: made-up events of a vendor come back as the same objects")
  func anyComesBack() throws {
    var random = SeededGenerator(seed: 14)
    let lines = (0..<2_000).map { _ in
      var object: JSONObject = [
        "what": .string(random.pick(["basket.Seen", "own", "sale", "new", "engage.x", "é"])),
        "when": .integer(Int64(random.below(2_000_000_000))),
      ]
      for _ in 0..<random.below(5) { object[Self.name(&random)] = Self.value(&random, depth: 3) }
      return JSON.object(object)
    }
    let texts = lines.map { String(decoding: $0.encoded(), as: UTF8.self) }
    let ours = Self.trip.ours(of: texts)
    #expect(ours.faults.isEmpty)
    for (line, back) in zip(lines, Self.trip.vendors(of: ours.lines)) {
      #expect(back == line)
    }
    #expect(Set(ours.lines.compactMap { $0["type"]?.string }).count > 3)
  }

  private static func name(_ random: inout SeededGenerator) -> String {
    random.pick([
      "id", "who", "rest", "own", "name", "basket", "cost", "price", "sale", "fruit", "phone",
      "orchard.id", "a.b", "~", "e\u{301}", "é",
    ])
  }

  private static func value(_ random: inout SeededGenerator, depth: Int) -> JSON {
    if depth > 0, random.chance(60) {
      var object = JSONObject()
      for _ in 0..<random.below(5) { object[name(&random)] = value(&random, depth: depth - 1) }
      return .object(object)
    }
    return random.pick([
      .null, .bool(true), .integer(3), .number(2.5), "text", "", .array([1, "a"]),
    ])
  }

  @Test("X14: a line that is no event of the vendor says what is wrong with it")
  func faults() {
    let ours = Self.trip.ours(of: [
      "[]", #"{"when":1}"#, #"{"what":"","when":1}"#, #"{"what":"own"}"#, "",
      #"{"what":"own","when":"soon"}"#, #"{"what":"own","when":1e300}"#,
      #"{"what":"own","when":1}"#,
    ])
    #expect(
      ours.faults == [
        "1: It is no JSON object.", "2: It has no what.", "3: It has no what.",
        "4: It has no when.", "6: Its when is no number of whole seconds since 1970.",
        "7: Its when is no number of whole seconds since 1970.",
      ])
    #expect(ours.lines.count == 1 && ours.lines.first?["sequence"] == 8)
  }

  @Test("X14: a vendor's line of sound JSON that cannot be kept is told for what it is")
  func unfit() {
    let ours = Self.trip.ours(of: [
      #"{"what":"own","when":1,"id":18446744073709551616}"#, #"{"what":"own","what":"own"}"#,
    ])
    #expect(
      ours.faults == [
        "1: It has a whole number of more than 64 bits; write it as a text.",
        "2: It has a key twice in one object; leave out one of the two.",
      ])
  }

  @Test(
    "X14: a custom event that is named like a vendor's event or a type of ours comes back as itself",
    arguments: [
      "sale", "engage.card.click", "engage.custom.sale", "engage.custom.engage.custom.sale", "own",
      "plain",
    ])
  func namedAlike(name: String) throws {
    var unnamed = Self.table
    unnamed.customName = nil
    for table in [Self.table, unnamed] {
      let trip = VendorEventTrip(table)
      let line = JSON.object([
        "specversion": "1.0", "id": "7", "source": "p", "type": "engage.custom",
        "time": "2026-10-01T09:00:00.000Z", "sequence": 1, "name": .string(name),
      ])
      let written = trip.vendors(of: [line]).map { String(decoding: $0.encoded(), as: UTF8.self) }
      #expect(trip.ours(of: written).lines == [line], "\(written)")
    }
  }

  @Test("X14: equal lines without ids are as many events, which are known when they are read again")
  func equalLines() throws {
    let lines = [#"{"what":"own","when":1}"#, #"{"what":"own","when":1}"#]
    let ids = Self.trip.ours(of: lines).lines.compactMap { $0["id"]?.string }
    #expect(Set(ids).count == 2)
    #expect(Self.trip.ours(of: lines).lines.compactMap { $0["id"]?.string } == ids)
  }

  @Test("X14: an event without an id has the same one whenever it is read")
  func madeIDs() throws {
    let lines = [#"{"what":"own","when":1}"#, #"{"what":"own","when":2}"#]
    let ids = Self.trip.ours(of: lines).lines.compactMap { $0["id"]?.string }
    #expect(Set(ids).count == 2 && ids.allSatisfy { $0.hasPrefix("orchard-export:") })
    #expect(
      Self.trip.ours(of: lines.reversed()).lines.compactMap { $0["id"]?.string } == ids.reversed())
  }

  @Test("X14: digits are a time in UTC, and a text of digits is kept as one")
  func digits() throws {
    var table = Self.table
    table.timeFormat = .digits(zoneOffset: 0)
    let trip = VendorEventTrip(table)
    let lines = [
      #"{"what":"own","when":20151023140416}"#, #"{"what":"own","when":"20240229000000"}"#,
    ]
    let ours = trip.ours(of: lines)
    #expect(
      ours.lines.compactMap { $0["time"]?.string } == [
        "2015-10-23T14:04:16.000Z", "2024-02-29T00:00:00.000Z",
      ])
    #expect(try trip.vendors(of: ours.lines) == lines.map(Self.parsed))
    let bad = [20_151_323_140_416, 20_230_229_000_000, 2_015].map {
      "{\"what\":\"own\",\"when\":\($0)}"
    }
    #expect(trip.ours(of: bad).faults.count == 3)
  }
}
