import EngagementModel
import TestSupport
import Testing

@Suite("The impression meter against a reference model")
struct ImpressionReferenceTests {
  @Test("X13: the meter agrees with a model that simulates every tick", arguments: 0..<60)
  func agrees(seed: Int) {
    var numbers = SeededGenerator(seed: UInt64(seed))
    var meter = ImpressionMeter()
    var model = TickingModel()
    var tick = 0
    var session = 0
    var user = 0
    for step in 0..<600 {
      tick += numbers.pick([0, 0, 1, 1, 2, 3, 9, 10, 25, -2])
      if Int.random(in: 0..<80, using: &numbers) == 0 { session += 1 }
      if Int.random(in: 0..<150, using: &numbers) == 0 { user += 1 }
      let expected: [ImpressionMeter.Impression]
      let found: [ImpressionMeter.Impression]
      let instant = Duration.milliseconds(tick * 100)
      switch Int.random(in: 0..<12, using: &numbers) {
      case 0:
        expected = model.advance(to: tick)
        found = meter.advance(to: instant)
      case 1:
        expected = model.hideAll(at: tick)
        found = meter.hideAll(at: instant)
      default:
        let item = Int.random(in: 0..<8, using: &numbers)
        let fraction = numbers.pick([0, 0.49, 0.5, 1, 1.1, .nan])
        expected = model.report(item, fraction, at: tick, session: session, user: user)
        found = meter.report(
          ItemID("p", "\(item)"), visible: fraction, at: instant, session: SessionID("\(session)"),
          user: User(UserID("\(user)")))
      }
      #expect(found == expected, "step \(step)")
      #expect(meter.nextDeadline == model.nextDeadline, "step \(step)")
    }
    #expect(model.total > 20)
  }
}

/// The definition, played tick by tick of a tenth of a second.
private struct TickingModel {
  private struct Item {
    var item: Int
    var since: Int
    var isCounted: Bool
  }

  private var screen: [Item] = []
  private var counted: Set<Int> = []
  private var now = 0
  private var session = 0
  private var user: Int?
  private(set) var total = 0

  var nextDeadline: Duration? {
    screen.filter { !$0.isCounted }.map { .milliseconds(($0.since + 10) * 100) }.min()
  }

  mutating func report(
    _ item: Int, _ fraction: Double, at tick: Int, session: Int, user: Int
  ) -> [ImpressionMeter.Impression] {
    let due = enter(session: session, user: user, at: tick)
    let index = screen.firstIndex { $0.item == item }
    let isVisible = !fraction.isNaN && fraction >= 0.5
    if let index, !isVisible { screen.remove(at: index) }
    if index == nil, isVisible {
      screen.append(Item(item: item, since: now, isCounted: counted.contains(item)))
    }
    return due
  }

  mutating func advance(to tick: Int) -> [ImpressionMeter.Impression] {
    var due: [ImpressionMeter.Impression] = []
    while now < tick {
      now += 1
      for index in screen.indices where !screen[index].isCounted {
        guard now - screen[index].since >= 10 else { continue }
        screen[index].isCounted = true
        counted.insert(screen[index].item)
        due.append(
          ImpressionMeter.Impression(
            item: ItemID("p", "\(screen[index].item)"), session: SessionID("\(session)"),
            user: User(UserID("\(user ?? -1)")), instant: .milliseconds(now * 100)))
      }
    }
    total += due.count
    return due
  }

  mutating func hideAll(at tick: Int) -> [ImpressionMeter.Impression] {
    let due = advance(to: tick)
    screen = []
    return due
  }

  private mutating func enter(
    session: Int, user: Int, at tick: Int
  ) -> [ImpressionMeter.Impression] {
    guard user == self.user else {
      self = TickingModel(user: user, session: session, now: tick, total: total)
      return []
    }
    let due = advance(to: tick)
    if session != self.session {
      self.session = session
      counted = []
      screen = screen.map { Item(item: $0.item, since: now, isCounted: false) }
    }
    return due
  }

  init() {}

  private init(user: Int, session: Int, now: Int, total: Int) {
    self.user = user
    self.session = session
    self.now = now
    self.total = total
  }
}
