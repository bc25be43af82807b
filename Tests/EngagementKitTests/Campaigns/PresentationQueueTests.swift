import EngagementModel
import Foundation
import TestSupport
import Testing

@testable import EngagementKit

@Suite("presentation queue") struct PresentationQueueTests {
  typealias Queue = PresentationQueue
  private static let start = Date(timeIntervalSince1970: 1_790_060_400)

  func now(_ seconds: Double = 0) -> Queue.Now {
    Queue.Now(date: Self.start.addingTimeInterval(seconds), uptime: .seconds(seconds))
  }

  func entry(
    _ id: Int64, priority: Int = 1, isVisual: Bool = true, after delay: Double = 0,
    until end: Double = 1_000, handOvers: Int = 0
  ) -> Queue.Entry {
    Queue.Entry(
      id: id, campaign: ItemID("p", "\(id)"), template: "t", isVisual: isVisual,
      priority: priority, presentAt: Self.start.addingTimeInterval(delay),
      expiresAt: Self.start.addingTimeInterval(end), handOvers: handOvers)
  }

  /// A queue whose calls can stand in an expectation.
  final class Bench {
    private var queue: Queue

    init(isForeground: Bool, timeLimit: Duration? = nil) {
      queue = Queue(isForeground: isForeground, timeLimit: timeLimit)
    }

    var nextTime: Date? { queue.nextTime }
    var nextUptime: Duration? { queue.nextUptime }
    func add(_ entry: Queue.Entry) { queue.add(entry) }
    func addFirst(_ entry: Queue.Entry) { queue.addFirst(entry) }
    func restore(_ entries: [Queue.Entry]) -> [Queue.Step] { queue.restore(entries) }
    func setMode(_ mode: Queue.Mode) { queue.setMode(mode) }
    func setForeground(_ isForeground: Bool) { queue.setForeground(isForeground) }
    func removeAll() -> [Queue.Step] { queue.removeAll() }
    func presented(_ id: Int64) -> Bool { queue.presented(id) }

    func next(
      at now: Queue.Now, mayPresent: (Queue.Entry) -> Bool = { _ in true }
    ) -> [Queue.Step] { queue.next(at: now, mayPresent: mayPresent) }

    func prepared(
      _ id: Int64, at now: Queue.Now, mayPresent: (Queue.Entry) -> Bool = { _ in true }
    ) -> [Queue.Step] { queue.prepared(id, at: now, mayPresent: mayPresent) }

    func failed(_ id: Int64, at now: Queue.Now) -> [Queue.Step] { dismissed(id, at: now) }

    func dismissed(_ id: Int64, at now: Queue.Now) -> [Queue.Step] {
      queue.end(id, otherwise: .skipped) + queue.next(at: now) { _ in true }
    }
  }

  /// Prepares and presents what is asked for; returns the ids in the order of their presentation.
  func show(_ queue: Bench, _ steps: [Queue.Step], at time: Queue.Now) -> [Int64] {
    var (steps, shown) = (steps, [Int64]())
    while !steps.isEmpty {
      switch steps.removeFirst() {
      case .prepare(let entry):
        steps += queue.prepared(entry.id, at: time)
      case .present(let entry):
        #expect(queue.presented(entry.id))
        shown.append(entry.id)
      case .close, .report, .end: break
      }
    }
    return shown
  }

  // MARK: Order

  @Test("C7: the next is presented after the dismissal, by priority and then arrival")
  func order() {
    let queue = Bench(isForeground: true)
    for (id, priority) in [(1, 1), (2, 5), (3, 1), (4, 5), (5, 9)] {
      queue.add(entry(Int64(id), priority: priority))
    }
    var shown = show(queue, queue.next(at: now()), at: now())
    for _ in 0..<4 {
      #expect(queue.next(at: now()).isEmpty, "one is visible")
      let steps = queue.dismissed(shown.last ?? 0, at: now())
      shown += show(queue, steps, at: now())
    }
    #expect(shown == [5, 2, 4, 1, 3])
  }

  @Test("C7: a visual function comes first, and what shows nothing runs beside what is visible")
  func functions() {
    let queue = Bench(isForeground: true)
    queue.add(entry(1, priority: 100))
    #expect(show(queue, queue.next(at: now()), at: now()) == [1])
    queue.add(entry(2, priority: 100))
    queue.addFirst(entry(3))
    queue.add(entry(6, priority: 200))
    queue.add(entry(4, isVisual: false))
    queue.add(entry(5, isVisual: false))
    #expect(show(queue, queue.next(at: now()), at: now()) == [4, 5])
    let ended = queue.dismissed(4, at: now())
    #expect(ended == [.end(entry(4, isVisual: false, handOvers: 1), .presented)])
    #expect(show(queue, queue.dismissed(1, at: now()), at: now()) == [3])
    #expect(show(queue, queue.dismissed(3, at: now()), at: now()) == [6])
    #expect(show(queue, queue.dismissed(6, at: now()), at: now()) == [2])
  }

  // MARK: Circumstances

  @Test("C7: nothing is presented in the background or while suspended, and nothing is lost")
  func pauses() {
    let queue = Bench(isForeground: false)
    queue.add(entry(1))
    #expect(queue.next(at: now()).isEmpty)
    queue.setForeground(true)
    queue.setMode(.suspended)
    #expect(queue.next(at: now()).isEmpty)
    queue.setMode(.running)
    #expect(queue.next(at: now()) == [.prepare(entry(1))])
    // The application left while the files came.
    queue.setForeground(false)
    #expect(queue.prepared(1, at: now()).isEmpty)
    queue.setForeground(true)
    #expect(show(queue, queue.next(at: now()), at: now()) == [1])
  }

  @Test("C7: what becomes due while discarding is dropped, and what waits for its time stays")
  func discarding() {
    let queue = Bench(isForeground: true)
    queue.add(entry(1))
    queue.add(entry(2, after: 10))
    queue.setMode(.discarding)
    #expect(queue.next(at: now()) == [.end(entry(1), .discarded)])
    queue.setMode(.running)
    #expect(queue.next(at: now()).isEmpty)
    #expect(queue.nextTime == now(10).date)
    #expect(show(queue, queue.next(at: now(10)), at: now(10)) == [2])
  }

  @Test("C7: an entry expires while it waits and while its files come")
  func expiry() {
    let queue = Bench(isForeground: false)
    queue.add(entry(1, until: 5))
    #expect(queue.next(at: now(5)) == [.end(entry(1, until: 5), .expired)])
    queue.setForeground(true)
    queue.add(entry(2, until: 9))
    queue.add(entry(3))
    #expect(queue.next(at: now(8)) == [.prepare(entry(2, until: 9))])
    #expect(
      queue.prepared(2, at: now(9))
        == [.end(entry(2, until: 9), .expired), .prepare(entry(3))])
  }

  @Test("C9: caps are asked before the preparation and before the presentation")
  func caps() {
    let queue = Bench(isForeground: true)
    for id: Int64 in 1...3 { queue.add(entry(id)) }
    let first = queue.next(at: now()) { $0.id != 1 }
    #expect(first == [.end(entry(1), .capped), .prepare(entry(2))])
    let second = queue.prepared(2, at: now()) { $0.id == 3 }
    #expect(second == [.end(entry(2), .capped), .prepare(entry(3))])
  }

  // MARK: Failures

  @Test("C7: after a failure the next is tried")
  func failures() {
    let queue = Bench(isForeground: true)
    queue.add(entry(1))
    queue.add(entry(2))
    _ = queue.next(at: now())
    #expect(
      queue.failed(1, at: now()) == [.end(entry(1), .skipped), .prepare(entry(2))])
    _ = queue.prepared(2, at: now())
    #expect(queue.failed(2, at: now()) == [.end(entry(2, handOvers: 1), .skipped)])
    #expect(queue.failed(2, at: now()).isEmpty, "it has ended")
  }

  @Test("C5: presented counts once, never after the end, and a dismissal without it is a skip")
  func once() {
    let queue = Bench(isForeground: true)
    queue.add(entry(1))
    _ = show(queue, queue.next(at: now()), at: now())
    #expect(!queue.presented(1))
    #expect(
      queue.dismissed(1, at: now()) == [.end(entry(1, handOvers: 1), .presented)])
    #expect(queue.dismissed(1, at: now()).isEmpty)
    #expect(!queue.presented(1))
    queue.add(entry(2))
    _ = queue.next(at: now())
    _ = queue.prepared(2, at: now())
    #expect(
      queue.dismissed(2, at: now()) == [.end(entry(2, handOvers: 1), .skipped)])
  }

  @Test("C7: a presenter that does not dismiss is reported once, and ended where there is a limit")
  func stuck() {
    let shown = entry(1, handOvers: 1)
    for limit: Duration? in [nil, .seconds(400)] {
      let queue = Bench(isForeground: true, timeLimit: limit)
      queue.add(entry(1))
      queue.add(entry(2))
      _ = show(queue, queue.next(at: now()), at: now())
      #expect(queue.next(at: now(299)).isEmpty)
      #expect(queue.next(at: now(300)) == [.report(shown)])
      #expect(queue.next(at: now(301)).isEmpty)
      let later = queue.next(at: now(400))
      #expect(
        later == (limit == nil ? [] : [.close(shown), .end(shown, .presented), .prepare(entry(2))]))
    }
  }

  // MARK: Users and restarts

  @Test("C7 X8: a change of user takes away what is visible, what is prepared and what waits")
  func users() {
    let queue = Bench(isForeground: true)
    for id: Int64 in 1...2 { queue.add(entry(id)) }
    queue.add(entry(3, isVisual: false))
    _ = show(queue, queue.next(at: now()), at: now())
    let shown = entry(1, handOvers: 1)
    #expect(
      queue.removeAll() == [
        .close(shown), .end(shown, .presented),
        .end(entry(3, isVisual: false, handOvers: 1), .presented), .end(entry(2), .discarded),
      ])
    #expect(queue.next(at: now()).isEmpty)
    #expect(queue.dismissed(1, at: now()).isEmpty && !queue.presented(1))
  }

  @Test("C7: after a restart what was handed over comes first, once more and not again")
  func restarts() {
    let queue = Bench(isForeground: true)
    let given = entry(3, handOvers: 1)
    #expect(
      queue.restore([entry(1, priority: 9), given, entry(2, handOvers: 2)])
        == [.end(entry(2, handOvers: 2), .skipped)])
    #expect(show(queue, queue.next(at: now()), at: now()) == [3])
  }

  // MARK: Schedules

  /// Drives a queue at random, with restarts, and holds what must always hold.
  private struct Walk {
    var queue = Queue(isForeground: true)
    var random: SeededGenerator
    var date = PresentationQueueTests.start
    var uptime = Duration.zero
    var lastID: Int64 = 0
    /// What is stored: entries that have not ended, and those whose presentation was recorded.
    var stored: [Int64: Queue.Entry] = [:]
    var recorded: Set<Int64> = []
    var preparing: Set<Int64> = []
    var visible: Set<Int64> = []
    var running: Set<Int64> = []
    var endings: [Int64: Queue.Ending] = [:]
    var shownTwice = 0

    var now: Queue.Now { Queue.Now(date: date, uptime: uptime) }

    mutating func chance(_ percent: Int) -> Bool {
      Int.random(in: 0..<100, using: &random) < percent
    }

    mutating func pick(_ ids: Set<Int64>) -> Int64? { ids.sorted().randomElement(using: &random) }

    mutating func take(_ steps: [Queue.Step]) {
      for step in steps {
        switch step {
        case .prepare(let entry): preparing.insert(entry.id)
        case .present(let entry):
          #expect(stored[entry.id] != nil && endings[entry.id] == nil)
          #expect(!recorded.contains(entry.id), "a recorded presentation never comes again")
          preparing.remove(entry.id)
          stored[entry.id] = entry
          if entry.isVisual {
            #expect(visible.isEmpty, "one is visible at a time")
            visible.insert(entry.id)
          } else {
            running.insert(entry.id)
          }
        case .close(let entry): #expect(visible.contains(entry.id))
        case .report: break
        case .end(let entry, let ending):
          #expect(endings[entry.id] == nil, "everything ends once")
          endings[entry.id] = ending
          stored[entry.id] = nil
          for set in [\Self.preparing, \.visible, \.running] { self[keyPath: set].remove(entry.id) }
        }
      }
    }

    func mayPresent(_ entry: Queue.Entry) -> Bool { entry.id % 11 != 0 }

    mutating func step() {
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<30:
        lastID += 1
        var entry = Queue.Entry(
          id: lastID, campaign: ItemID("p", "\(lastID)"), template: "t", isVisual: chance(70),
          priority: Int.random(in: 1...3, using: &random),
          presentAt: date.addingTimeInterval(chance(30) ? 20 : 0),
          expiresAt: date.addingTimeInterval(Double(Int.random(in: 1...200, using: &random))))
        stored[lastID] = entry
        if chance(10) {
          entry.isVisual = true
          stored[lastID] = entry
          queue.addFirst(entry)
        } else {
          queue.add(entry)
        }
      case 30..<50:
        guard let id = pick(preparing) else { break }
        preparing.remove(id)
        if chance(80) {
          let caps = mayPresent
          take(queue.prepared(id, at: now, mayPresent: caps))
        } else {
          take(queue.end(id, otherwise: .skipped))
        }
      case 50..<60:
        guard let id = pick(visible.union(running)) else { break }
        if queue.presented(id) { recorded.insert(id) }
      case 60..<75:
        guard let id = pick(visible.union(running)) else { break }
        take(queue.end(id, otherwise: .skipped))
      case 75..<80: queue.setForeground(chance(60))
      case 80..<84:
        queue.setMode(
          [.running, .suspended, .discarding].randomElement(using: &random) ?? .running)
      case 84..<86: take(queue.removeAll())
      case 86..<89: restart()
      default:
        date.addTimeInterval(Double(Int.random(in: -5...60, using: &random)))
        uptime += .seconds(Int.random(in: 0...60, using: &random))
      }
      take(queue.next(at: now, mayPresent: mayPresent))
    }

    /// A kill: what is stored comes back, without what was presented.
    mutating func restart() {
      (preparing, visible, running) = ([], [], [])
      for id in recorded where stored[id] != nil {
        stored[id] = nil
        endings[id] = .presented
      }
      queue = Queue(isForeground: chance(80), timeLimit: chance(50) ? .seconds(100) : nil)
      take(queue.restore(Array(stored.values)))
    }

    mutating func finish() {
      queue.setForeground(true)
      queue.setMode(.running)
      for _ in 0..<10_000 where !stored.isEmpty {
        date.addTimeInterval(1)
        take(queue.next(at: now, mayPresent: mayPresent))
        for id in preparing.sorted() {
          preparing.remove(id)
          take(queue.prepared(id, at: now, mayPresent: mayPresent))
        }
        for id in visible.union(running).sorted() {
          take(queue.end(id, otherwise: .skipped))
        }
      }
      #expect(stored.isEmpty, "everything ends")
      #expect(endings.count == Int(lastID))
    }
  }

  @Test("C7: in any order of events one thing is visible, and everything ends once")
  func schedules() {
    var endings: [Queue.Ending: Int] = [:]
    for seed in 0..<UInt64(Effort.share(of: 2_000)) {
      var walk = Walk(random: SeededGenerator(seed: seed))
      for _ in 0..<80 { walk.step() }
      walk.finish()
      for ending in walk.endings.values { endings[ending, default: 0] += 1 }
    }
    for ending: Queue.Ending in [.presented, .expired, .capped, .discarded, .skipped] {
      #expect(endings[ending, default: 0] > 100, "\(ending)")
    }
  }
}
