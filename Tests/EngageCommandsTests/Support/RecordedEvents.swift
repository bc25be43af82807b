import EngagementAnalytics
import EngagementJSON
import EngagementModel
import TestSupport

/// Events as devices export them, made up.
struct RecordedEvents {
  private(set) var lines: [JSON] = []
  private let device: String

  init(device: String = "urn:uuid:1") { self.device = device }

  /// The lines of a file.
  var ndjson: String {
    lines.map { String(decoding: $0.encoded(), as: UTF8.self) + "\n" }.joined()
  }

  /// 2026-10-01T09:00:00Z, as the clock of the tests has it.
  private static let start = "2026-10-01T09:00:0"

  mutating func add(
    _ type: String, by user: String?, _ members: JSONObject = [:], second: Int = 0
  ) {
    var event: JSONObject = [
      "specversion": "1.0", "id": .string("event-\(lines.count)"), "source": .string(device),
      "type": .string("engage.\(type)"), "time": .string("\(Self.start)\(second)Z"),
      "sequence": .integer(Int64(lines.count + 1)),
    ]
    event["userid"] = user.map(JSON.string)
    for member in members.members { event[member.key] = member.value }
    lines.append(.object(event))
  }

  mutating func addCard(_ kind: String, by user: String?, from provider: String, second: Int = 0) {
    add(
      "card.\(kind)", by: user,
      ["subject": .string("\(provider)/1"), "provider": .string(provider), "surface": "cards"],
      second: second)
  }

  mutating func expose(_ user: String, to arm: String, version: Int64 = 1) {
    add(
      "experiment.exposed", by: user,
      [
        "name": "banner",
        "data": ["arm": .string(arm), "version": .integer(version), "appVersion": "3.2"],
      ])
  }

  mutating func addRequest(to provider: String, by user: String, milliseconds: Int64) {
    add(
      "provider.request", by: user,
      [
        "provider": .string(provider),
        "data": ["operation": "cards", "milliseconds": .integer(milliseconds)],
      ])
  }

  /// Two vendors with so many people each. Of those of "braze" 30 of 100 click, of "vibes" 40.
  static func vendors(people: Int = 1_000) -> RecordedEvents {
    var events = RecordedEvents()
    for person in 0..<people * 2 {
      let (provider, rate) = person.isMultiple(of: 2) ? ("braze", 30) : ("vibes", 40)
      let (user, place) = ("user-\(person)", person / 2 % 100)
      events.addRequest(to: provider, by: user, milliseconds: Int64(40 + place))
      events.addCard("delivered", by: user, from: provider)
      if place < 80 { events.addCard("impression", by: user, from: provider, second: 1) }
      if place < rate { events.addCard("click", by: user, from: provider, second: 2) }
      if place < 5 { events.addCard("dismiss", by: user, from: provider, second: 3) }
    }
    return events
  }

  /// An experiment with so many people in each arm. Of the old arm 30 of 100 click, of the new one 40.
  static func experiment(people: Int = 1_000) -> RecordedEvents {
    var events = RecordedEvents()
    for person in 0..<people * 2 {
      let (arm, rate) = person.isMultiple(of: 2) ? ("old", 30) : ("new", 40)
      events.expose("user-\(person)", to: arm)
      guard person / 2 % 100 < rate else { continue }
      events.addCard("click", by: "user-\(person)", from: "braze", second: 2)
    }
    return events
  }
}
