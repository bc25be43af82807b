import EngagementAdapterAPI
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

/// A session tracker with a vendor whose time-out is ten seconds and one whose is twenty minutes.
private struct TrackerScene {
  var tracker: SessionTracker
  let clock = TestClock()
  let currentUser = CurrentUser(FeedStage.first)
  private var lastID = 0

  init() { tracker = SessionTracker(currentUser.userSession, timeouts: Self.timeouts) }

  static let timeouts: [ProviderID: Duration] = ["quick": .seconds(10), "slow": .seconds(1200)]

  private var moment: ClockReading { ClockReading(clock) }

  /// Numbers the sessions in the order in which they begin.
  private mutating func acting(
    _ body: (inout SessionTracker, ClockReading, () -> SessionID) -> Void
  ) {
    var last = lastID
    body(&tracker, moment) {
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
    tracker.leave(at: moment)
  }

  mutating func touch(_ provider: ProviderID) -> Bool {
    var hasBegun = false
    let userSession = currentUser.userSession
    acting { hasBegun = $0.touch([provider], at: $1, by: userSession, id: $2) }
    return hasBegun
  }

  mutating func take() -> [SessionTracker.Note.Fact] { tracker.takeNotes().map(\.fact) }

  mutating func impressions() -> [ItemID] {
    take().compactMap { fact in if case .impression(let id) = fact { id } else { nil } }
  }

  func id(_ provider: ProviderID) -> String? { tracker.session(for: provider)?.id.rawValue }
}

@Suite("sessions and impressions of an installation")
struct SessionTrackerTests {
  private static let card = ItemID("quick", "card")
  private static let control = ItemID("slow", "control")

  @Test(
    "the first scene starts the kit's session and each provider's, and each activation is a launch")
  func launch() {
    var scene = TrackerScene()
    scene.scene(.active)
    let kinds = scene.take().map(\.kind.rawValue)
    #expect(kinds == ["session.start", "session.start", "session.start", "launch"])
    scene.scene(.active)
    #expect(scene.take() == [], "it is active already")
    for away in [ScenePhase.inactive, .background] {
      scene.scene(away)
      scene.scene(.active)
      #expect(scene.take() == [.launched], "after \(away)")
    }
  }

  @Test("without a scene, the first thing that a vendor ties to a session begins one, which lasts")
  func touch() throws {
    var scene = TrackerScene()
    #expect(scene.touch("quick") == true)
    #expect(scene.take().map(\.kind) == [.sessionStart])
    let first = try #require(scene.id("quick"))
    #expect(scene.id("slow") == nil, "the others have none")
    scene.wait(9)
    #expect(scene.touch("quick") == false)
    scene.wait(9)
    #expect(scene.id("quick") == first && scene.take() == [])
    scene.wait(1)
    #expect(scene.id("quick") == nil)
    let facts = scene.take()
    guard case .ended("quick", _, let length)? = facts.first else {
      Issue.record("no end: \(facts)")
      return
    }
    #expect(length == .seconds(9), "until it was last touched")
    #expect(scene.touch("quick") == true)
    #expect(scene.take().map(\.kind) == [.sessionStart] && scene.id("quick") != first)
  }

  @Test("a touch in the foreground or the background begins no second session")
  func touchInScene() throws {
    var scene = TrackerScene()
    scene.scene(.active)
    let id = try #require(scene.id("quick"))
    _ = scene.take()
    #expect(scene.touch("quick") == false)
    scene.wait(60)
    #expect(scene.touch("quick") == false)
    #expect(scene.id("quick") == id, "it is in use")
    scene.scene(.background)
    scene.wait(9)
    #expect(scene.touch("quick") == false)
    scene.wait(9)
    #expect(scene.id("quick") == id, "the touch was in time")
    #expect(scene.take() == [])
  }

  @Test("each provider's session ends after its own time-out")
  func timeouts() throws {
    var scene = TrackerScene()
    scene.scene(.active)
    scene.wait(60)
    scene.scene(.background)
    _ = scene.take()
    let before = try #require(scene.tracker.session(for: "slow"))
    scene.wait(10)
    #expect(scene.id("quick") == nil)
    #expect(scene.tracker.session(for: "slow") == before)
    #expect(scene.take().map(\.kind) == [.sessionEnd])
    scene.scene(.active)
    #expect(scene.take().map(\.kind) == [.sessionStart, .launch])
    #expect(scene.tracker.session(for: "quick")?.previousLength == .seconds(60))
    #expect(scene.tracker.session(for: "quick")?.isFirst == false)
  }

  @Test("X13: half of an item shown for a second is one impression, also for a control card")
  func impression() {
    var scene = TrackerScene()
    scene.scene(.active)
    scene.report(Self.card, 0.5)
    scene.report(Self.control, 1)
    #expect(scene.tracker.deadline == scene.clock.uptime + .seconds(1))
    scene.wait(1)
    #expect(Set(scene.impressions()) == [Self.card, Self.control])
    scene.report(Self.card, 0)
    scene.report(Self.card, 1)
    scene.wait(5)
    #expect(scene.impressions() == [])
  }

  @Test(
    "X13: less than half of an item, or less than a second, is no impression",
    arguments: [(0.49, 1), (1.0, 0), (.nan, 1), (-1, 1)])
  func noImpression(_ fraction: Double, _ seconds: Int) {
    var scene = TrackerScene()
    scene.scene(.active)
    scene.report(Self.card, fraction)
    scene.wait(seconds)
    scene.report(Self.card, 0)
    scene.wait(5)
    #expect(scene.impressions() == [])
  }

  @Test("X13: an impression has the time at which its second was complete")
  func impressionTime() throws {
    var scene = TrackerScene()
    scene.scene(.active)
    let start = scene.clock.now
    scene.report(Self.card, 1)
    scene.wait(7)
    let notes = scene.tracker.takeNotes()
    let note = try #require(notes.last { $0.fact == .impression(Self.card) })
    #expect(note.time == start.addingTimeInterval(1))
    #expect(note.sessions["quick"]?.rawValue == scene.id("quick"))
  }

  @Test("X13: an impression counts again after the kit's session ends, not after a vendor's")
  func oneMeasure() {
    var scene = TrackerScene()
    scene.scene(.active)
    scene.report(Self.card, 1)
    scene.wait(1)
    #expect(scene.impressions().count == 1)
    scene.scene(.background)
    scene.wait(11)
    scene.scene(.active)
    scene.report(Self.card, 1)
    scene.wait(5)
    #expect(scene.impressions() == [])
    scene.scene(.background)
    scene.wait(1800)
    scene.scene(.active)
    scene.report(Self.card, 1)
    scene.wait(1)
    #expect(scene.impressions() == [Self.card])
  }

  @Test("the background ends a pending impression and records none")
  func background() {
    var scene = TrackerScene()
    scene.scene(.active)
    scene.report(Self.card, 1)
    scene.scene(.background)
    scene.report(Self.card, 1)
    scene.wait(5)
    #expect(scene.impressions() == [])
  }

  @Test("without scene reports, a displayed item starts the sessions")
  func noScenes() {
    var scene = TrackerScene()
    scene.report(Self.card, 1)
    scene.wait(1)
    #expect(scene.impressions() == [Self.card])
    #expect(scene.id("slow") != nil)
  }

  @Test("the number of notes is bounded, and the newest are kept")
  func bounded() {
    var scene = TrackerScene()
    scene.scene(.active)
    for number in 0..<2_000 {
      scene.report(ItemID("slow", "\(number)"), 1)
      scene.wait(1)
    }
    let impressions = scene.impressions()
    #expect(impressions.count == SessionTracker.capacity)
    #expect(impressions.last == ItemID("slow", "1999"))
  }

  // MARK: Users

  @Test("G13: a user switch starts new sessions and records nothing more for the former user")
  func anotherUser() {
    var scene = TrackerScene()
    scene.scene(.active)
    scene.report(Self.card, 1)
    let before = scene.id("slow")
    _ = scene.currentUser.move(into: FeedStage.second)
    scene.wait(5)
    let notes = scene.tracker.takeNotes()
    #expect(!notes.isEmpty)
    #expect(notes.allSatisfy { $0.partition == FeedStage.second })
    #expect(notes.allSatisfy { $0.fact.kind == .sessionStart })
    #expect(scene.id("slow") != before)
  }

  @Test("leaving ends all sessions in the former user's partition")
  func leaving() {
    var scene = TrackerScene()
    scene.scene(.active)
    _ = scene.take()
    scene.wait(20)
    scene.leave()
    let notes = scene.tracker.takeNotes()
    #expect(notes.count == 3)
    #expect(notes.allSatisfy { $0.fact.kind == .sessionEnd && $0.partition == FeedStage.first })
    #expect(scene.id("quick") == nil)
  }

  @Test("a user who adopts the anonymous partition continues its sessions")
  func adoption() {
    var scene = TrackerScene()
    scene.scene(.active)
    let before = scene.id("slow")
    _ = scene.currentUser.move(into: FeedStage.second, adopting: FeedStage.first.id, for: ["slow"])
    scene.wait(1)
    #expect(scene.id("slow") == before)
    let notes = scene.tracker.takeNotes()
    #expect(notes.count == 4)
    #expect(notes.allSatisfy { $0.partition == FeedStage.second })
  }

  @Test("X21: unrecorded notes of an erased user are dropped")
  func erased() {
    var scene = TrackerScene()
    scene.scene(.active)
    scene.tracker.forget(FeedStage.second.id)
    #expect(scene.tracker.takeNotes().count == 4)
    scene.leave()
    scene.tracker.forget(FeedStage.first.id)
    #expect(scene.take() == [])
  }

  // MARK: Restarts

  @Test("a session continues after a restart, for the same user only")
  func restart() throws {
    var scene = TrackerScene()
    scene.scene(.active)
    let before = try #require(scene.tracker.session(for: "slow"))
    let kept = scene.tracker.kept
    let moment = ClockReading(wall: scene.clock.now.addingTimeInterval(15), uptime: .zero)

    var same = SessionTracker(scene.currentUser.userSession, timeouts: TrackerScene.timeouts)
    same.resume(kept, at: moment)
    #expect(same.session(for: "slow") == before)
    #expect(same.session(for: "quick") == nil)
    #expect(same.takeNotes().map(\.fact.kind) == [.sessionEnd])

    var other = SessionTracker(
      CurrentUser(FeedStage.second).userSession, timeouts: TrackerScene.timeouts)
    other.resume(kept, at: moment)
    #expect(other.session(for: "slow") == nil)
    #expect(other.takeNotes() == [])
  }

  @Test(
    "an invalid stored session tracker is ignored",
    arguments: [JSON.null, "x", [:], ["partition": 1, "clocks": ["slow": "x"]]])
  func badBook(_ json: JSON) {
    var scene = TrackerScene()
    scene.tracker.resume(json, at: ClockReading(wall: scene.clock.now, uptime: .zero))
    scene.scene(.active)
    #expect(scene.tracker.session(for: "slow")?.isFirst == true)
  }
}
