import EngagementAdapterAPI
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

/// A session tracker with a vendor whose time-out is ten seconds and one whose is twenty minutes.
private struct Desk {
  var book: SessionTracker
  let clock = TestClock()
  let currentUser = CurrentUser(FeedStage.first)
  private var lastID = 0

  init() { book = SessionTracker(currentUser.userSession, timeouts: Self.timeouts) }

  static let timeouts: [ProviderID: Duration] = ["quick": .seconds(10), "slow": .seconds(1200)]

  private var moment: ClockReading { ClockReading(clock) }

  /// Numbers the sessions in the order in which they begin.
  private mutating func acting(
    _ body: (inout SessionTracker, ClockReading, () -> SessionID) -> Void
  ) {
    var last = lastID
    body(&book, moment) {
      last += 1
      return SessionID("\(last)")
    }
    lastID = last
  }

  mutating func scene(_ phase: ScenePhase) {
    let userSession = currentUser.userSession
    acting { $0.scene(phase, at: $1, by: userSession, id: $2) }
  }

  mutating func report(_ id: ItemID, _ fraction: Double) {
    let userSession = currentUser.userSession
    acting { $0.report(.visible(id, fraction: fraction), at: $1, by: userSession, id: $2) }
  }

  mutating func wait(_ seconds: Int) {
    clock.advance(by: .seconds(seconds))
    let userSession = currentUser.userSession
    acting { $0.advance(to: $1, by: userSession, id: $2) }
  }

  mutating func leave() {
    let moment = moment
    book.leave(at: moment)
  }

  mutating func take() -> [SessionTracker.Note.Fact] { book.takeNotes().map(\.fact) }

  mutating func impressions() -> [ItemID] {
    take().compactMap { fact in if case .impression(let id) = fact { id } else { nil } }
  }

  func id(_ provider: ProviderID) -> String? { book.session(for: provider)?.id.rawValue }
}

@Suite("sessions and impressions of an installation")
struct SessionTrackerTests {
  private static let card = ItemID("quick", "card")
  private static let control = ItemID("slow", "control")

  @Test("the first scene records a launch and starts the kit's session and each provider's, once")
  func launch() {
    var desk = Desk()
    desk.scene(.active)
    let kinds = desk.take().map(\.kind.rawValue)
    #expect(kinds == ["session.start", "session.start", "session.start", "launch"])
    desk.scene(.inactive)
    desk.scene(.active)
    #expect(desk.take() == [])
  }

  @Test("each provider's session ends after its own time-out")
  func timeouts() throws {
    var desk = Desk()
    desk.scene(.active)
    desk.wait(60)
    desk.scene(.background)
    _ = desk.take()
    let before = try #require(desk.book.session(for: "slow"))
    desk.wait(10)
    #expect(desk.id("quick") == nil)
    #expect(desk.book.session(for: "slow") == before)
    #expect(desk.take().map(\.kind) == [.sessionEnd])
    desk.scene(.active)
    #expect(desk.take().map(\.kind) == [.sessionStart])
    #expect(desk.book.session(for: "quick")?.previousLength == .seconds(60))
    #expect(desk.book.session(for: "quick")?.isFirst == false)
  }

  @Test("X13: half of an item shown for a second is one impression, also for a control card")
  func impression() {
    var desk = Desk()
    desk.scene(.active)
    desk.report(Self.card, 0.5)
    desk.report(Self.control, 1)
    #expect(desk.book.deadline == desk.clock.uptime + .seconds(1))
    desk.wait(1)
    #expect(Set(desk.impressions()) == [Self.card, Self.control])
    desk.report(Self.card, 0)
    desk.report(Self.card, 1)
    desk.wait(5)
    #expect(desk.impressions() == [])
  }

  @Test(
    "X13: less than half of an item, or less than a second, is no impression",
    arguments: [(0.49, 1), (1.0, 0), (.nan, 1), (-1, 1)])
  func noImpression(_ fraction: Double, _ seconds: Int) {
    var desk = Desk()
    desk.scene(.active)
    desk.report(Self.card, fraction)
    desk.wait(seconds)
    desk.report(Self.card, 0)
    desk.wait(5)
    #expect(desk.impressions() == [])
  }

  @Test("X13: an impression has the time at which its second was complete")
  func impressionTime() throws {
    var desk = Desk()
    desk.scene(.active)
    let start = desk.clock.now
    desk.report(Self.card, 1)
    desk.wait(7)
    let notes = desk.book.takeNotes()
    let note = try #require(notes.last { $0.fact == .impression(Self.card) })
    #expect(note.time == start.addingTimeInterval(1))
    #expect(note.sessions["quick"]?.rawValue == desk.id("quick"))
  }

  @Test("X13: an impression counts again after the kit's session ends, not after a vendor's")
  func oneMeasure() {
    var desk = Desk()
    desk.scene(.active)
    desk.report(Self.card, 1)
    desk.wait(1)
    #expect(desk.impressions().count == 1)
    desk.scene(.background)
    desk.wait(11)
    desk.scene(.active)
    desk.report(Self.card, 1)
    desk.wait(5)
    #expect(desk.impressions() == [])
    desk.scene(.background)
    desk.wait(1800)
    desk.scene(.active)
    desk.report(Self.card, 1)
    desk.wait(1)
    #expect(desk.impressions() == [Self.card])
  }

  @Test("the background ends a pending impression and records none")
  func background() {
    var desk = Desk()
    desk.scene(.active)
    desk.report(Self.card, 1)
    desk.scene(.background)
    desk.report(Self.card, 1)
    desk.wait(5)
    #expect(desk.impressions() == [])
  }

  @Test("without scene reports, a displayed item starts the sessions")
  func noScenes() {
    var desk = Desk()
    desk.report(Self.card, 1)
    desk.wait(1)
    #expect(desk.impressions() == [Self.card])
    #expect(desk.id("slow") != nil)
  }

  @Test("the number of notes is bounded, and the newest are kept")
  func bounded() {
    var desk = Desk()
    desk.scene(.active)
    for number in 0..<2_000 {
      desk.report(ItemID("slow", "\(number)"), 1)
      desk.wait(1)
    }
    let impressions = desk.impressions()
    #expect(impressions.count == SessionTracker.capacity)
    #expect(impressions.last == ItemID("slow", "1999"))
  }

  // MARK: Users

  @Test("G13: a user switch starts new sessions and records nothing more for the former user")
  func anotherUser() {
    var desk = Desk()
    desk.scene(.active)
    desk.report(Self.card, 1)
    let before = desk.id("slow")
    _ = desk.currentUser.move(into: FeedStage.second)
    desk.wait(5)
    let notes = desk.book.takeNotes()
    #expect(!notes.isEmpty)
    #expect(notes.allSatisfy { $0.partition == FeedStage.second })
    #expect(notes.allSatisfy { $0.fact.kind == .sessionStart })
    #expect(desk.id("slow") != before)
  }

  @Test("leaving ends all sessions in the former user's partition")
  func leaving() {
    var desk = Desk()
    desk.scene(.active)
    _ = desk.take()
    desk.wait(20)
    desk.leave()
    let notes = desk.book.takeNotes()
    #expect(notes.count == 3)
    #expect(notes.allSatisfy { $0.fact.kind == .sessionEnd && $0.partition == FeedStage.first })
    #expect(desk.id("quick") == nil)
  }

  @Test("a user who adopts the anonymous partition continues its sessions")
  func adoption() {
    var desk = Desk()
    desk.scene(.active)
    let before = desk.id("slow")
    _ = desk.currentUser.move(into: FeedStage.second, adopting: FeedStage.first.id, for: ["slow"])
    desk.wait(1)
    #expect(desk.id("slow") == before)
    let notes = desk.book.takeNotes()
    #expect(notes.count == 4)
    #expect(notes.allSatisfy { $0.partition == FeedStage.second })
  }

  @Test("X21: unrecorded notes of an erased user are dropped")
  func erased() {
    var desk = Desk()
    desk.scene(.active)
    desk.book.forget(FeedStage.second.id)
    #expect(desk.book.takeNotes().count == 4)
    desk.leave()
    desk.book.forget(FeedStage.first.id)
    #expect(desk.take() == [])
  }

  // MARK: Restarts

  @Test("a session continues after a restart, for the same user only")
  func restart() throws {
    var desk = Desk()
    desk.scene(.active)
    let before = try #require(desk.book.session(for: "slow"))
    let kept = desk.book.kept
    let moment = ClockReading(wall: desk.clock.now.addingTimeInterval(15), uptime: .zero)

    var same = SessionTracker(desk.currentUser.userSession, timeouts: Desk.timeouts)
    same.resume(kept, at: moment)
    #expect(same.session(for: "slow") == before)
    #expect(same.session(for: "quick") == nil)
    #expect(same.takeNotes().map(\.fact.kind) == [.sessionEnd])

    var other = SessionTracker(
      CurrentUser(FeedStage.second).userSession, timeouts: Desk.timeouts)
    other.resume(kept, at: moment)
    #expect(other.session(for: "slow") == nil)
    #expect(other.takeNotes() == [])
  }

  @Test(
    "an invalid stored session book is ignored",
    arguments: [JSON.null, "x", [:], ["partition": 1, "clocks": ["slow": "x"]]])
  func badBook(_ json: JSON) {
    var desk = Desk()
    desk.book.resume(json, at: ClockReading(wall: desk.clock.now, uptime: .zero))
    desk.scene(.active)
    #expect(desk.book.session(for: "slow")?.isFirst == true)
  }
}
