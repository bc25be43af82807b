import EngagementAnalytics
import EngagementModel
import Testing

/// What the events of several installations tell of one stage.
@Suite struct StageTallyTests {
  private static let stage = StageTally.Stage(
    surface: "cards", old: "a", new: "b", words: "canary 5 %",
    experiment: "migration a to b 5 %", requests: ["a": ["cards"], "b": ["cards"]])

  private static func event(
    _ type: String, of device: String = "d-1", _ sequence: Int64, by user: String? = "u-1",
    at provider: String? = nil, name: String? = nil, data: String = "{}"
  ) -> EventRecord {
    var cells: [EventColumn: EventRecord.Cell] = [
      .id: .text("\(device) \(sequence)"), .source: .text(device), .type: .text("engage.\(type)"),
      .sequence: .integer(sequence), .data: .json(data),
    ]
    cells[.user] = user.map { .text($0) }
    cells[.provider] = provider.map { .text($0) }
    cells[.name] = name.map { .text($0) }
    return EventRecord(cells)
  }

  private static func step(
    _ sequence: Int64, to stage: String, of device: String = "d-1", surface: String = "cards"
  ) -> EventRecord {
    event(
      "migration.stepped", of: device, sequence,
      data: #"{"surface":"\#(surface)","old":"a","new":"b","to":"\#(stage)"}"#)
  }

  private static func request(
    _ sequence: Int64, to provider: String, _ milliseconds: Int? = 10, of device: String = "d-1",
    operation: String = "cards"
  ) -> EventRecord {
    let time = milliseconds.map { #","milliseconds":\#($0)"# } ?? ""
    return event(
      milliseconds == nil ? "provider.failed" : "provider.request", of: device, sequence,
      at: provider, data: #"{"operation":"\#(operation)"\#(time)}"#)
  }

  private static func arm(_ sequence: Int64, _ name: String, by user: String) -> EventRecord {
    event(
      "experiment.assigned", sequence, by: user, name: "migration a to b 5 %",
      data: #"{"arm":"\#(name)"}"#)
  }

  private static func tally(_ events: [EventRecord]) -> StageTally {
    var tally = StageTally(of: stage)
    for event in events { tally.learn(from: event) }
    for event in events { tally.count(event) }
    return tally
  }

  @Test("X15: only what happened since the last step to the stage and before the next one counts")
  func window() {
    let tally = Self.tally([
      Self.request(30, to: "b", 40), Self.step(1, to: "canary 5 %"), Self.request(2, to: "b", nil),
      Self.step(3, to: "off"), Self.request(4, to: "a", 10), Self.step(5, to: "canary 5 %"),
      Self.request(6, to: "b", 20), Self.request(7, to: "b", 20, operation: "person"),
      Self.step(8, to: "cutover", surface: "inbox"), Self.request(9, to: "b", nil),
      Self.step(31, to: "ramp 25 %"), Self.request(32, to: "b", nil),
      Self.step(1, to: "shadow", of: "d-2"), Self.request(2, to: "b", nil, of: "d-2"),
    ])
    #expect(tally.installations == 1 && tally.new.count == 3 && tally.new.failed == 1)
    #expect(tally.new.median == 40 && tally.old.count == 1 && tally.old.median == 10)
  }

  @Test("X15: an event of two files counts once, and opt-outs are those of people who have moved")
  func once() {
    let events = [
      Self.step(1, to: "canary 5 %"), Self.arm(2, "moved", by: "u-1"),
      Self.arm(3, "hold-out", by: "u-2"), Self.event("optout", 4),
      Self.event("optout", 5, by: "u-2"),
      Self.request(6, to: "b"), Self.request(7, to: "a", nil),
      Self.event("content.duplicated", 8, at: "b", data: #"{"surface":"cards"}"#),
      Self.event("content.duplicated", 9, at: "b", data: #"{"surface":"inbox"}"#),
      Self.event("click", 10, at: "b"), Self.event("dismiss", 11, at: "b"),
      Self.event("click", 12, at: "a"),
      Self.event("outbox.dropped", 13, at: "b", data: #"{"reason":"rejected","count":1}"#),
      Self.event("outbox.dropped", 14, at: "b", data: #"{"reason":"wiped","count":9}"#),
    ]
    let tally = Self.tally(events + events)
    #expect(tally.people == 1 && tally.optOuts == 1 && tally.duplicates == 1)
    #expect(tally.accepted == 2 && tally.lost == 1 && tally.new.count == 1)
    #expect(tally.old.errors == 1 && tally.new.errors == 0)
  }
}
