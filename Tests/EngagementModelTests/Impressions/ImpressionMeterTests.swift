import EngagementModel
import Testing

@Suite("When a visible item counts as an impression")
struct ImpressionMeterTests {
  @Test(
    "X13: half an item visible for one uninterrupted second is an impression", arguments: showings)
  func showing(showing: Showing) {
    var meter = ImpressionMeter()
    var instants: [Int] = []
    for (fraction, instant) in showing.reports {
      instants += meter.report("a", fraction, at: instant).map(\.milliseconds)
    }
    instants += meter.advance(to: .milliseconds(100_000)).map(\.milliseconds)
    #expect(instants == showing.impressions)
  }

  @Test("X13: a visible item counts at its deadline and not before")
  func deadline() {
    var meter = ImpressionMeter()
    #expect(meter.nextDeadline == nil)
    #expect(meter.report("a", 1, at: 100).isEmpty)
    #expect(meter.report("b", 1, at: 300).isEmpty)
    #expect(meter.nextDeadline == .milliseconds(1_100))
    #expect(meter.advance(to: .milliseconds(1_099)).isEmpty)
    #expect(meter.advance(to: .milliseconds(1_100)).map(\.item.value) == ["a"])
    #expect(meter.nextDeadline == .milliseconds(1_300))
    #expect(meter.report("b", 0, at: 1_200).isEmpty)
    #expect(meter.nextDeadline == nil)
  }

  @Test("X13: items due together are returned in the order of their deadlines")
  func together() {
    var meter = ImpressionMeter()
    for (item, instant) in [("c", 0), ("a", 1), ("b", 2)] {
      _ = meter.report(item, 1, at: instant)
    }
    let due = meter.advance(to: .milliseconds(5_000))
    #expect(due.map(\.item.value) == ["c", "a", "b"])
    #expect(due.map(\.milliseconds) == [1_000, 1_001, 1_002])
  }

  @Test("X13: a report also returns the impressions of other items that became due")
  func others() {
    var meter = ImpressionMeter()
    _ = meter.report("a", 1, at: 0)
    #expect(meter.report("b", 0, at: 1_000).map(\.item.value) == ["a"])
  }

  @Test("X13: a new session counts an item again after one second in that session")
  func session() {
    var meter = ImpressionMeter()
    _ = meter.report("a", 1, at: 0)
    // Due in the first session, although it is read in the second.
    #expect(meter.report("b", 1, at: 5_000, session: "s2").map(\.session) == ["s1"])
    #expect(meter.nextDeadline == .milliseconds(6_000))
    let due = meter.advance(to: .milliseconds(6_000))
    #expect(due.map(\.item.value) == ["a", "b"])
    #expect(due.map(\.session) == ["s2", "s2"])
    #expect(meter.report("a", 0, at: 7_000, session: "s2").isEmpty)
    #expect(meter.report("a", 1, at: 8_000, session: "s2").isEmpty)
    #expect(meter.nextDeadline == nil)
  }

  @Test("X13: a second interrupted by the end of a session starts again")
  func halfSecond() {
    var meter = ImpressionMeter()
    _ = meter.report("a", 1, at: 0)
    #expect(meter.enter(session: "s2", user: "u1", at: .milliseconds(900)).isEmpty)
    #expect(meter.nextDeadline == .milliseconds(1_900))
  }

  @Test("X13: a change of user forgets everything, including due impressions")
  func user() {
    var meter = ImpressionMeter()
    _ = meter.report("a", 1, at: 0)
    #expect(meter.report("b", 1, at: 5_000, user: "u2").isEmpty)
    let due = meter.advance(to: .milliseconds(9_000))
    #expect(due.map(\.item.value) == ["b"])
    #expect(due.map(\.user) == ["u2"])
    #expect(meter.report("b", 1, at: 9_000, user: .anonymous).isEmpty)
    #expect(meter.advance(to: .milliseconds(10_000)).map(\.user) == [.anonymous])
  }

  @Test("X13: a control card counts like any other card")
  func control() {
    var card = Card.flat
    card.kind = .control
    var meter = ImpressionMeter()
    _ = meter.report(card.id, visible: 0.5, at: .zero, session: "s1", user: "u1")
    #expect(meter.advance(to: .seconds(1)).map(\.item) == [card.id])
  }

  @Test("X13: items are distinguished by provider and by id bytes")
  func items() {
    var meter = ImpressionMeter()
    let ids = [ItemID("p", "\u{e9}"), ItemID("p", "e\u{301}"), ItemID("q", "\u{e9}")]
    for id in ids { _ = meter.report(id, visible: 1, at: .zero, session: "s1", user: "u1") }
    #expect(meter.advance(to: .seconds(1)).map(\.item) == ids)
  }

  @Test("X13: hiding everything counts full seconds and restarts partial ones")
  func hideAll() {
    var meter = ImpressionMeter()
    _ = meter.report("a", 1, at: 0)
    _ = meter.report("b", 1, at: 500)
    #expect(meter.hideAll(at: .milliseconds(1_000)).map(\.item.value) == ["a"])
    #expect(meter.nextDeadline == nil)
    #expect(meter.advance(to: .milliseconds(9_000)).isEmpty)
    _ = meter.report("a", 1, at: 9_000)
    _ = meter.report("b", 1, at: 9_000)
    #expect(meter.advance(to: .milliseconds(10_000)).map(\.item.value) == ["b"])
  }

  @Test("X13: instants at the ends of their range do not trap", arguments: extremes)
  func ends(instant: Duration) {
    var meter = ImpressionMeter()
    _ = meter.advance(to: instant)
    for fraction in [1.0, 0, 1] {
      _ = meter.report(ItemID("p", "a"), visible: fraction, at: instant, session: "s", user: "u")
    }
    #expect(meter.nextDeadline != nil)
    for other in extremes { _ = meter.advance(to: other) }
    _ = meter.hideAll(at: instant)
    #expect(meter.nextDeadline == nil)
  }

  @Test("X13: items that come and go do not grow the meter's state")
  func boundedStays() {
    var meter = ImpressionMeter()
    for round in 0..<100_000 {
      _ = meter.report("\(round % 7)", Double(round / 7 % 2), at: 0)
    }
    #expect(meter.storedElements < 1_000)
  }

  @Test("X13: a counted item that left keeps only its id until the session ends")
  func boundedCounts() {
    var meter = ImpressionMeter()
    let fresh = meter.storedElements
    let ids = (0..<1_000).map { ItemID("p", "\($0)") }
    for (index, id) in ids.enumerated() {
      for (fraction, instant) in [(1, index * 2), (0, index * 2 + 1)] as [(Double, Int)] {
        _ = meter.report(
          id, visible: fraction, at: .seconds(instant), session: "s1", user: "u1")
      }
    }
    let perID = Mirror.storedElements(of: ids) / ids.count
    #expect(meter.storedElements <= fresh + ids.count * perID + 500)
    _ = meter.enter(session: "s2", user: "u1", at: .seconds(5_000))
    #expect(meter.storedElements <= fresh + 500)
  }
}

struct Showing: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let reports: [(Double, Int)]
  let impressions: [Int]

  init(_ name: String, _ reports: [(Double, Int)], _ impressions: [Int]) {
    testDescription = name
    self.reports = reports
    self.impressions = impressions
  }
}

private let showings: [Showing] = [
  Showing("stays", [(1, 0)], [1_000]),
  Showing("exactly half", [(0.5, 0)], [1_000]),
  Showing("just below half", [(0.499_999, 0)], []),
  Showing("leaves at the full second", [(1, 0), (0, 1_000)], [1_000]),
  Showing("leaves just before", [(1, 0), (0, 999)], []),
  Showing("is asked for late", [(1, 0), (0, 60_000)], [1_000]),
  Showing("comes back: the second begins again", [(1, 0), (0, 900), (1, 950)], [1_950]),
  Showing("comes back at once", [(1, 0), (0, 900), (1, 900)], [1_900]),
  Showing("moves about above half", [(0.5, 0), (1, 300), (0.6, 600), (0.5, 900)], [1_000]),
  Showing("once, though it leaves and stays again", [(1, 0), (0, 2_000), (1, 3_000)], [1_000]),
  Showing("never comes", [(0, 0), (0.1, 500)], []),
  Showing("no number is not visible", [(1, 0), (.nan, 500)], []),
  Showing("no number resets the second", [(1, 0), (.nan, 500), (1, 600)], [1_600]),
  Showing("more than all is all", [(7, 0)], [1_000]),
  Showing("endlessly much is all", [(.infinity, 0)], [1_000]),
  Showing("less than nothing is nothing", [(1, 0), (-3, 500)], []),
  Showing("endlessly little is nothing", [(1, 0), (-.infinity, 500)], []),
  Showing("a clock that goes back ends no second", [(1, 500), (1, 0)], [1_500]),
  Showing("a clock that goes back completes none", [(1, 500), (0, 0), (1, 100)], [1_500]),
  Showing("before the fixed point", [(1, -5_000)], [-4_000]),
]

private let extremes: [Duration] = [
  .seconds(Int64.max), .seconds(Int64.min), Duration(attoseconds: .max),
  Duration(attoseconds: .min),
  .zero, .nanoseconds(-1),
]

extension ImpressionMeter {
  fileprivate mutating func report(
    _ item: String, _ fraction: Double, at milliseconds: Int, session: SessionID = "s1",
    user: User = "u1"
  ) -> [Impression] {
    report(
      ItemID("p", item), visible: fraction, at: .milliseconds(milliseconds), session: session,
      user: user)
  }

  fileprivate var storedElements: Int { Mirror.storedElements(of: self) }
}

extension Mirror {
  /// How many values there are in the value, itself included.
  fileprivate static func storedElements(of value: Any) -> Int {
    Mirror(reflecting: value).children.reduce(1) { $0 + storedElements(of: $1.value) }
  }
}

extension ImpressionMeter.Impression {
  fileprivate var milliseconds: Int {
    Int(instant.components.seconds) * 1_000
      + Int(instant.components.attoseconds / 1_000_000_000_000_000)
  }
}
