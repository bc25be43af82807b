import EngagementAdapterAPI
import EngagementModel
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

@Suite("session start and end")
struct SessionTimerTests {
  private static let start = Date(timeIntervalSince1970: 1_790_845_200)

  /// The moment `seconds` after the start, with the wall clock wrong by `off` seconds.
  private static func at(_ seconds: Int, off: Double = 0) -> ClockReading {
    ClockReading(
      wall: start.addingTimeInterval(Double(seconds) + off), uptime: .seconds(1000 + seconds))
  }

  private static func began(
    _ id: String, _ seconds: Int, first: Bool = false, after length: Int? = nil, off: Double = 0
  ) -> SessionTimer.Happening {
    .began(
      Session(
        SessionID(id), startedAt: at(seconds, off: off).wall, isFirst: first,
        previousLength: length.map { .seconds($0) }))
  }

  private func clock() -> SessionTimer { SessionTimer(timeout: .seconds(30)) }

  @Test("a short absence continues the session, and an absence of the full time-out ends it")
  func absence() throws {
    var clock = clock()
    #expect(clock.activate(at: Self.at(0)) { "1" } == [Self.began("1", 0, first: true)])
    #expect(clock.deadline == nil)
    #expect(clock.deactivate(at: Self.at(10)) == [])
    #expect(clock.deadline == .seconds(1040))
    #expect(clock.advance(to: Self.at(39)) == [])
    #expect(clock.activate(at: Self.at(39)) { "unused" } == [])
    #expect(clock.deactivate(at: Self.at(50)) == [])
    let session = try #require(clock.session)
    #expect(
      clock.advance(to: Self.at(80)) == [
        .ended(session, length: .seconds(50), at: Self.at(50).wall)
      ])
    #expect(clock.session == nil)
    #expect(clock.deadline == nil)
    #expect(clock.advance(to: Self.at(500)) == [])
    #expect(clock.activate(at: Self.at(600)) { "2" } == [Self.began("2", 600, after: 50)])
  }

  @Test("returning after the time-out ends one session and starts the next")
  func late() throws {
    var clock = clock()
    _ = clock.activate(at: Self.at(0)) { "1" }
    _ = clock.deactivate(at: Self.at(5))
    let session = try #require(clock.session)
    #expect(
      clock.activate(at: Self.at(35)) { "2" } == [
        .ended(session, length: .seconds(5), at: Self.at(5).wall), Self.began("2", 35, after: 5),
      ])
  }

  @Test("uninterrupted use keeps one session")
  func longUse() {
    var clock = clock()
    _ = clock.activate(at: Self.at(0)) { "1" }
    for day in 1...30 { #expect(clock.advance(to: Self.at(day * 86_400)) == []) }
    #expect(clock.session?.id == "1")
    #expect(clock.kept?.length == .seconds(30 * 86_400))
  }

  @Test(
    "G19: the wall clock does not affect sessions while the application runs",
    arguments: [-315_360_000.0, -86_400, -1, 1, 86_400, 315_360_000])
  func clockJumps(_ off: Double) throws {
    var clock = clock()
    _ = clock.activate(at: Self.at(0)) { "1" }
    _ = clock.deactivate(at: Self.at(10, off: off))
    #expect(clock.advance(to: Self.at(39, off: -off)) == [])
    #expect(clock.activate(at: Self.at(39, off: off)) { "unused" } == [])
    _ = clock.deactivate(at: Self.at(40))
    let session = try #require(clock.session)
    #expect(
      clock.advance(to: Self.at(70, off: off)) == [
        .ended(session, length: .seconds(40), at: Self.at(40).wall)
      ])
  }

  @Test("a changed time-out applies to the current absence")
  func newTimeout() {
    var clock = clock()
    _ = clock.activate(at: Self.at(0)) { "1" }
    _ = clock.deactivate(at: Self.at(0))
    clock.timeout = .seconds(5)
    #expect(clock.deadline == .seconds(1005))
    #expect(clock.advance(to: Self.at(5)).count == 1)
  }

  @Test("an uptime that goes back counts as no elapsed time")
  func backwards() {
    var clock = clock()
    _ = clock.activate(at: Self.at(0)) { "1" }
    #expect(clock.advance(to: Self.at(-900)) == [])
    #expect(clock.kept?.length == .zero)
    #expect(clock.session?.id == "1")
  }

  // MARK: Restarts

  /// The stored state of a session that was in use until 100 seconds after the start.
  private func kept() throws -> SessionTimer.Kept {
    var clock = clock()
    _ = clock.activate(at: Self.at(0)) { "1" }
    _ = clock.advance(to: Self.at(100))
    return try #require(clock.kept)
  }

  @Test(
    "G19: a restart continues the session only if the wall clock moved less than the time-out",
    arguments: [
      (0.0, true), (29, true), (30, false), (31, false), (-29, true), (-30, false),
      (315_360_000, false), (-315_360_000, false),
    ])
  func restart(_ away: Double, _ goesOn: Bool) throws {
    var clock = clock()
    let moment = ClockReading(
      wall: Self.at(100).wall.addingTimeInterval(away), uptime: .seconds(3))
    let happenings = clock.resume(try kept(), at: moment)
    if goesOn {
      #expect(happenings == [])
      #expect(clock.session?.id == "1")
      let end = Duration.seconds(3 + 30) - .seconds(max(away, 0))
      #expect(clock.deadline == end)
    } else {
      let session = Session("1", startedAt: Self.start, isFirst: true)
      #expect(
        happenings == [.ended(session, length: .seconds(100), at: Self.at(100).wall)])
      #expect(clock.session == nil)
    }
    _ = clock.activate(at: moment) { "2" }
    #expect(clock.session?.isFirst == goesOn)
    #expect(clock.session?.previousLength == (goesOn ? nil : .seconds(100)))
  }

  @Test("the stored session state survives a JSON round trip")
  func json() throws {
    let kept = try kept()
    #expect(SessionTimer.Kept(json: kept.json) == kept)
    var clock = clock()
    _ = clock.resume(kept, at: ClockReading(wall: .distantFuture, uptime: .zero))
    let over = try #require(clock.kept)
    #expect(over.session == nil)
    #expect(SessionTimer.Kept(json: over.json) == over)
  }

  @Test(
    "invalid stored state counts as none, and a stored length is clamped",
    arguments: [
      (JSON.null, nil), ("x", nil), (["length": "x"], nil),
      (["id": "1"], nil), (["length": -5], Duration.zero), (["length": 1e300], .seconds(1e9)),
      ([:], .zero),
    ] as [(JSON, Duration?)])
  func badJSON(_ json: JSON, _ length: Duration?) {
    #expect(SessionTimer.Kept(json: json)?.length == length)
  }
}
