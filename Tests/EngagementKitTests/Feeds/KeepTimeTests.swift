import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

@Suite("feed changes caused by time", .timeLimit(.minutes(20)))
struct KeepTimeTests {
  @Test("a read leaves out expired cards even when no timer runs")
  func reading() async throws {
    let stage = FeedStage()
    let now = stage.clock.now
    await stage.commit(
      [
        .a("1") { $0.expiresAt = now.addingTimeInterval(10) },
        .a("2") { $0.expiresAt = now.addingTimeInterval(20) }, .a("3"),
      ], .a)
    #expect(stage.ids().count == 3)
    stage.clock.advance(by: .seconds(10))
    #expect(stage.ids() == ["a/2", "a/3"])
    #expect(stage.feedPublisher.card(ItemID("a", "1")) == nil)
    stage.clock.advance(by: .seconds(10))
    #expect(stage.ids() == ["a/3"])
    #expect(stage.feedPublisher.cards(in: "home").total == 1)
  }

  @Test("the timer tells observers of an expired card and sleeps at most a minute at a time")
  func observing() async throws {
    let stage = FeedStage()
    let now = stage.clock.now
    await stage.commit([.a("1") { $0.expiresAt = now.addingTimeInterval(90) }, .a("2")], .a)
    var updates = stage.updates().makeAsyncIterator()
    #expect(await updates.next()?.cards.count == 2)
    await stage.keepingTime { naps in
      #expect(await naps.next() == .seconds(60))
      await stage.clock.sleepers(1)
      stage.clock.advance(by: .seconds(60))
      #expect(await naps.next() == .seconds(30))
      await stage.clock.sleepers(1)
      stage.clock.advance(by: .seconds(30))
      #expect(await updates.next()?.cards.map(\.id.value) == ["2"])
    }
  }

  @Test("a read that finds an expired card also updates the observers")
  func lookingTells() async throws {
    let stage = FeedStage()
    let now = stage.clock.now
    await stage.commit([.a("1") { $0.expiresAt = now.addingTimeInterval(5) }], .a)
    var updates = stage.updates().makeAsyncIterator()
    #expect(await updates.next()?.cards.count == 1)
    stage.clock.advance(by: .seconds(5))
    #expect(stage.ids() == [])
    #expect(await updates.next()?.cards.count == 0)
  }

  @Test("a commit during the timer's sleep shortens it to the next expiry")
  func woken() async throws {
    let stage = FeedStage()
    await stage.keepingTime { naps in
      #expect(await naps.next() == .seconds(60))
      let end = stage.clock.now.addingTimeInterval(3)
      await stage.commit([.a("1") { $0.expiresAt = end }], .a)
      #expect(await naps.next() == .seconds(3))
    }
  }

  @Test(
    "G19: after a wall clock jump the feed publisher rereads the cache within a minute",
    arguments: [-315_360_000.0, -10, 10, 315_360_000])
  func clockJump(_ seconds: Double) async throws {
    let stage = FeedStage()
    let now = stage.clock.now
    await stage.commit([.a("1") { $0.expiresAt = now.addingTimeInterval(86_400) }], .a)
    let before = stage.reader.questions
    await stage.keepingTime { naps in
      #expect(await naps.next() == .seconds(60))
      await stage.clock.sleepers(1)
      stage.clock.set(to: now.addingTimeInterval(seconds))
      stage.clock.advance(by: .seconds(60))
      #expect(await naps.next() == .seconds(60))
    }
    #expect(stage.reader.questions == before + 1)
    #expect(stage.ids() == (seconds < 86_400 ? ["a/1"] : []))
  }

  @Test("a wall clock that runs normally causes no reread")
  func steady() async throws {
    let stage = FeedStage()
    await stage.commit([.a("1")], .a)
    let before = stage.reader.questions
    await stage.keepingTime { naps in
      for _ in 0..<60 {
        #expect(await naps.next() == .seconds(60))
        await stage.clock.sleepers(1)
        stage.clock.advance(by: .seconds(60))
      }
      #expect(await naps.next() == .seconds(60))
    }
    #expect(stage.reader.questions == before)
  }

  @Test("G19: the feed publisher rereads an unreadable cache exactly once a second")
  func failing() async throws {
    let stage = FeedStage()
    let now = stage.clock.now
    await stage.commit([.a("1") { $0.expiresAt = now.addingTimeInterval(1) }], .a)
    stage.reader.fail(EngagementError(.storage, "The disk is gone."))
    let before = stage.reader.questions
    await stage.keepingTime { naps in
      for _ in 0..<10 {
        #expect(await naps.next() == .seconds(1))
        await stage.clock.sleepers(1)
        stage.clock.advance(by: .seconds(1))
      }
      #expect(await naps.next() == .seconds(1))
    }
    #expect(stage.reader.questions == before + 10)
    #expect(stage.ids() == [])
  }
}

/// The requested lengths of the sleeps, in order.
private struct Naps {
  var lengths: AsyncStream<Duration>.Iterator

  mutating func next() async -> Duration? { await lengths.next(isolation: #isolation) }
}

extension FeedStage {
  /// Runs the body while `keepTime` runs, and passes it the lengths of the sleeps.
  fileprivate func keepingTime(
    _ body: (inout Naps) async -> Void
  ) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await feedPublisher.keepTime() }
      var naps = Naps(lengths: napping.naps.makeAsyncIterator())
      await body(&naps)
      group.cancelAll()
    }
  }
}
