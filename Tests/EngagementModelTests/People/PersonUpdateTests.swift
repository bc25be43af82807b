import EngagementModel
import Testing

@Suite("Changes to a person")
struct PersonUpdateTests {
  @Test("A27: each field alone makes an update a change", arguments: changes.indices)
  func oneField(index: Int) throws {
    var update = PersonUpdate()
    changes[index](&update)
    #expect(!update.isEmpty)
    #expect(update.json.object?.count == 1)
    #expect(try PersonUpdate(json: update.json) == update)
  }

  @Test("A27: an update without fields and days is empty")
  func empty() {
    var update = PersonUpdate()
    #expect(update.isEmpty)
    update.timeFrames = [:]
    #expect(update.isEmpty)
    #expect(update.json == [:])
  }

  @Test("A27: a day without time frames differs from an absent day")
  func emptyDay() throws {
    let update = try PersonUpdate(json: ["timeFrames": ["sun": []]])
    #expect(update.timeFrames == [.sunday: []])
    #expect(!update.isEmpty)
  }

  @Test("A27: days print in week order after the entry for every day")
  func order() {
    var update = PersonUpdate()
    update.timeFrames = Dictionary(uniqueKeysWithValues: PersonUpdate.Day.allCases.map { ($0, []) })
    #expect(
      update.json["timeFrames"]?.object?.members.map(\.key)
        == ["default", "mon", "tue", "wed", "thu", "fri", "sat", "sun"])
  }

  @Test("A27: a time frame lies within one day and ends at or after its start", arguments: frames)
  func frame(from: (Int, Int), to: (Int, Int), isGood: Bool) throws {
    let frame = Result {
      try PersonUpdate.TimeFrame(
        fromHour: from.0, minute: from.1, toHour: to.0, minute: to.1)
    }
    #expect((try? frame.get().from) == (isGood ? from.0 * 60 + from.1 : nil))
    #expect((try? frame.get().to) == (isGood ? to.0 * 60 + to.1 : nil))
  }

  @Test("A27: an invalid time of day is an error that names its path", arguments: wrongTimes)
  func wrongTime(from: JSON, to: JSON, place: String) {
    expectFault(place, place) {
      let good: JSON = ["from": "00:00", "to": "00:00"]
      return try PersonUpdate(
        json: ["timeFrames": ["mon": [good, ["from": from, "to": to]]]]
      ).json
    }
  }

  @Test("A27: every minute of the day survives a round trip")
  func everyMinute() throws {
    for minute in 0..<1_440 {
      var update = PersonUpdate()
      update.timeFrames = [
        .friday: [
          try PersonUpdate.TimeFrame(
            fromHour: minute / 60, minute: minute % 60, toHour: 23, minute: 59)
        ]
      ]
      #expect(try PersonUpdate(json: update.json) == update)
    }
  }

  @Test("an unknown day is an error that names the field and not the day")
  func unknownDay() {
    let error = #expect(throws: EngagementError.self) {
      try PersonUpdate(json: ["timeFrames": ["canary": []]])
    }
    #expect(error?.message.contains("personUpdate.timeFrames") == true)
    #expect(error?.message.contains("canary") == false)
  }
}

private let changes: [@Sendable (inout PersonUpdate) -> Void] = [
  { $0.externalID = "x" }, { $0.name = "x" }, { $0.email = "x" }, { $0.phone = "x" },
  { $0.city = "x" }, { $0.country = "x" }, { $0.region = "x" }, { $0.custom = ["a": "b"] },
  { $0.custom = ["born": "2000-01-01T00:00:00.000Z"] }, { $0.notifications = false },
  { $0.notifications = true }, { $0.timeFrames = [.everyDay: []] },
]

private let frames: [(from: (Int, Int), to: (Int, Int), isGood: Bool)] = [
  ((0, 0), (23, 59), true), ((8, 0), (8, 0), true), ((8, 0), (7, 59), false),
  ((24, 0), (24, 0), false), ((-1, 0), (1, 0), false), ((0, 60), (1, 0), false),
  ((0, -1), (1, 0), false), ((0, 0), (24, 0), false), ((0, 0), (1, 60), false),
  ((0, 0), (1, -1), false), ((.max, .max), (.min, .min), false),
]

private let wrongTimes: [(from: JSON, to: JSON, place: String)] = [
  ("24:00", "23:59", "personUpdate.timeFrames.mon[1].from"),
  ("08:60", "23:59", "personUpdate.timeFrames.mon[1].from"),
  ("8:00", "23:59", "personUpdate.timeFrames.mon[1].from"),
  ("08:00:00", "23:59", "personUpdate.timeFrames.mon[1].from"),
  ("-8:00", "23:59", "personUpdate.timeFrames.mon[1].from"),
  ("٠٨:٠٠", "23:59", "personUpdate.timeFrames.mon[1].from"),
  ("", "23:59", "personUpdate.timeFrames.mon[1].from"),
  (480, "23:59", "personUpdate.timeFrames.mon[1].from"),
  ("08:00", "17.30", "personUpdate.timeFrames.mon[1].to"),
  ("08:00", .null, "personUpdate.timeFrames.mon[1].to"),
  ("08:01", "08:00", "personUpdate.timeFrames.mon[1]"),
]
