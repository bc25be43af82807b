import EngagementJSON
import EngagementModel
import Testing

@testable import EngagementAnalytics

@Suite("events for a comparison") struct ObservedEventSinkTests {
  /// What a sink hands over of these lines.
  private func observed(
    _ lines: [JSONObject], times: Range<Int64> = .min ..< .max, isDistinct: Bool = false
  ) -> (events: [ObservedEvent], duplicates: Int) {
    var events: [ObservedEvent] = []
    var sink = ObservedEventSink(times: times, isDistinct: isDistinct) { events.append($0) }
    var decoder = NDJSONDecoder()
    for line in lines {
      decoder.decode(JSON.object(line).encoded() + [UInt8(ascii: "\n")]) { number, event in
        switch event {
        case .event(let record): record.send(to: &sink)
        case .fault(let fault): Issue.record("\(number): \(fault)")
        }
      }
    }
    return (events, sink.duplicates)
  }

  private func line(_ type: String, _ members: JSONObject = [:]) -> JSONObject {
    var line: JSONObject = [
      "specversion": "1.0", "id": "1", "source": "urn:uuid:1", "type": .string(type),
      "time": "2026-01-01T00:00:00.005Z", "sequence": 1,
    ]
    for member in members.members { line[member.key] = member.value }
    return line
  }

  @Test(
    "X12: the kind of an event follows from its type and surface",
    arguments: [
      ("engage.card.click", "cards", "click"), ("engage.message.read", "inbox", "read"),
      ("engage.snooze.options", nil, "snooze.options"),
      ("engage.card.snooze.options", "cards", "snooze.options"),
      ("engage.campaign.campaign.due", "campaigns", "campaign.due"),
      ("engage.campaign.due", nil, "campaign.due"), ("engage.wall.click", "wall", "click"),
      ("engage.push.push.dropped", "push", "push.dropped"),
      ("engage.push.dropped", nil, "push.dropped"),
      // Without a surface, as it was left out.
      ("engage.card.click", nil, "click"), ("engage.campaign.click", nil, "click"),
      ("engage.wall.click", nil, "wall.click"),
      ("engage.card.click", "inbox", "card.click"), ("other.click", nil, "other.click"),
      ("engage.", nil, "engage."),
    ] as [(String, String?, String)])
  func kinds(type: String, surface: String?, kind: String) {
    var members: JSONObject = [:]
    members["surface"] = surface.map(JSON.string)
    // The second one is found among those that were seen.
    let events = observed([line(type, members), line(type, members)]).events
    #expect(events.map(\.kind.rawValue) == [kind, kind])
  }

  @Test("X12: names and data are read where a comparison needs them, and nowhere else")
  func fields() {
    let data: JSONObject = ["name": "banner", "data": ["arm": "A"], "provider": "braze"]
    let events = observed([
      line("engage.experiment.exposed", data), line("engage.custom", data),
      line("engage.provider.failed", ["data": ["milliseconds": 12]]),
    ]).events
    #expect(events.map(\.name) == ["banner", nil, nil])
    #expect(events.map(\.properties) == [["arm": "A"], [:], ["milliseconds": 12]])
    #expect(events.map(\.provider) == ["braze", "braze", nil])
    #expect(events.allSatisfy { $0.time == 1_767_225_600_005 })
  }

  @Test("X12: a person is a name, and the anonymous user of each installation is one")
  func people() {
    let people = observed([
      line("engage.click", ["userid": "a"]), line("engage.click", ["userid": "b"]),
      line("engage.click", ["userid": "a", "source": "urn:uuid:2"]), line("engage.click"),
      line("engage.click", ["source": "urn:uuid:2"]), line("engage.click"),
      line("engage.click", ["userid": "urn:uuid:1"]),
    ]).events.map(\.person)
    #expect(people[0] == people[2] && people[3] == people[5])
    #expect(Set(people).count == 5)
    // The beginning of SHA-256("a").
    #expect(people[0] == 0xca97_8112_ca1b_bdca)
  }

  @Test("X12: an event counts once by its source and id, and only between two times")
  func distinct() {
    let lines = [
      line("engage.click"), line("engage.click"), line("engage.click", ["source": "urn:uuid:11"]),
      // The same bytes, cut elsewhere.
      line("engage.click", ["id": "1u", "source": "rn:uuid:1"]),
      line("engage.click", ["id": "2", "time": "2026-01-01T00:00:00.006Z"]),
    ]
    let start: Int64 = 1_767_225_600_005
    let once = observed(lines, times: start..<start + 1, isDistinct: true)
    #expect(once.events.count == 3 && once.duplicates == 1)
    #expect(observed(lines).events.count == 5)
  }

  @Test("X12: what a person received before the first time counts as received at that time")
  func earlier() {
    let types = ["card.delivered", "send", "card.impression", "card.click"]
    let lines = types.map { line("engage.\($0)", ["id": .string($0), "surface": "cards"]) }
    let start: Int64 = 1_767_225_600_005 + 86_400_000
    let events = observed(lines, times: start..<start + 1).events
    #expect(events.map(\.kind) == [.delivered, "send"])
    #expect(events.allSatisfy { $0.time == start })
    #expect(observed(lines, times: 0..<start - 86_400_000).events.isEmpty)
  }
}
