import EngagementAdapterAPI
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

@Suite("feed update streams", .timeLimit(.minutes(20)))
struct FeedUpdatesTests {
  @Test("B1: a stream yields the current value first, then the newest value at each read")
  func newest() async throws {
    let stage = FeedStage()
    await stage.commit([.a("1")], .a)
    var updates = stage.updates().makeAsyncIterator()
    #expect(await updates.next()?.cards.map(\.id.value) == ["1"])
    await stage.commit([.a("2")], .a)
    await stage.commit([.a("3")], .a)
    #expect(await updates.next()?.cards.map(\.id.value) == ["3"])
  }

  @Test("B1: a refresh without new items yields a value with the new freshness")
  func freshness() async throws {
    let stage = FeedStage()
    await stage.commit([.a("1")], .a)
    var updates = stage.updates().makeAsyncIterator()
    let first = await updates.next()
    stage.clock.advance(by: .seconds(60))
    await stage.commit([.a("1")], .a)
    let second = await updates.next()
    #expect(first?.cards == second?.cards)
    #expect(second?.freshness["a"] == stage.clock.now)
  }

  @Test("a commit that leaves the observed value unchanged yields nothing")
  func unchanged() async throws {
    let stage = FeedStage()
    await stage.commit([.a("1")], .a)
    var counts = stage.feedPublisher.cardUpdates(in: "home", every: .zero) { $0.feed.count }
      .makeAsyncIterator()
    #expect(await counts.next()?.visible == 1)
    await stage.commit([.a("1")], .a)
    await stage.commit([.a("2")], .a)
    await stage.commit([.a("1")], FeedKey("a", Feed(.cards, in: "elsewhere")))
    await stage.commit([.a("1"), .a("2")], .a)
    #expect(await counts.next()?.visible == 2)
  }

  @Test("A8: a stream yields at most one value an interval, and it is the newest")
  func interval() async throws {
    let stage = FeedStage()
    await stage.commit([.a("1")], .a)
    let updates = stage.updates(CardOptions(interval: .seconds(10)))
    let seen = Locked<[[String]]>([])
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for await feed in updates.prefix(2) {
          seen.withLock { $0.append(feed.cards.map(\.id.value)) }
        }
      }
      await stage.clock.sleepers(1)
      await stage.commit([.a("2")], .a)
      stage.clock.advance(by: .seconds(9))
      #expect(seen.withLock { $0 } == [["1"]])
      await stage.commit([.a("3")], .a)
      stage.clock.advance(by: .seconds(1))
      await group.waitForAll()
    }
    #expect(seen.withLock { $0 } == [["1"], ["3"]])
  }

  @Test(
    "A8: an interval is zero or at least one second",
    arguments: [(-1, 0), (0, 0), (1, 1000), (999, 1000), (1000, 1000), (5000, 5000)])
  func leastInterval(_ asked: Int, _ taken: Int) {
    let options = CardOptions(interval: .milliseconds(asked))
    #expect(options.interval == .milliseconds(taken))
  }

  @Test("G13: a value buffered before a user switch is not delivered after it")
  func buffered() async throws {
    let stage = FeedStage()
    await stage.commit([.a("1")], .a)
    stage.reader.set(FeedView(items: [.a("2")]), .a, of: FeedStage.second)
    var updates = stage.updates().makeAsyncIterator()
    try await stage.change(to: FeedStage.second)
    #expect(await updates.next()?.cards.map(\.id.value) == ["2"])
  }

  @Test("G13: after a user switch the stream continues with the new user's values")
  func goesOn() async throws {
    let stage = FeedStage()
    await stage.commit([.a("1")], .a)
    var updates = stage.updates().makeAsyncIterator()
    #expect(await updates.next()?.cards.count == 1)
    try await stage.change(to: FeedStage.second)
    #expect(await updates.next()?.cards.count == 0)
    await stage.commit([.a("1")], .a, of: FeedStage.first)
    await stage.commit([.a("2")], .a, of: FeedStage.second)
    #expect(await updates.next()?.cards.map(\.id.value) == ["2"])
  }

  @Test("A4: a sign-out ends every stream without a further value")
  func signOut() async throws {
    let stage = FeedStage()
    await stage.commit([.a("1")], .a)
    var cards = stage.updates().makeAsyncIterator()
    var inbox = stage.feedPublisher.inboxUpdates().makeAsyncIterator()
    #expect(await inbox.next() != nil)
    try await stage.change(to: FeedStage.anonymous)
    #expect(await cards.next() == nil)
    #expect(await inbox.next() == nil)
  }

  @Test("X2: a value of the former route is not delivered after a route change")
  func route() async throws {
    let stage = FeedStage(Routes(cards: .only("a"), inbox: .none))
    await stage.commit([.a("1")], .a)
    await stage.commit([.b("1")], .b)
    var updates = stage.updates().makeAsyncIterator()
    stage.show(.only("b"))
    #expect(await updates.next()?.cards.map(\.id.description) == ["b/1"])
  }

  @Test("each iterator observes independently")
  func twoReaders() async throws {
    let stage = FeedStage()
    let updates = stage.updates()
    var first = updates.makeAsyncIterator()
    #expect(await first.next()?.cards == [])
    await stage.commit([.a("1")], .a)
    var second = updates.makeAsyncIterator()
    #expect(await second.next()?.cards.count == 1)
    #expect(await first.next()?.cards.count == 1)
  }

  @Test("a cancelled reader ends and is removed from the observers")
  func cancelled() async throws {
    let stage = FeedStage()
    let ended = Task {
      var count = 0
      for await _ in stage.updates() { count += 1 }
      return count
    }
    ended.cancel()
    #expect(await ended.value <= 1)
    #expect(stage.feedPublisher.observerCount == 0)
  }

  /// The runtime locks a task that it cancels, and one that it wakes. The publisher wakes readers inside its
  /// own lock.
  @Test("B1: a reader that is cancelled does not wait for who gives values out")
  func cancelledWithin() async throws {
    let stage = FeedStage()
    await stage.commit([.a("1")], .a)
    let seen = Locked(0)
    let reading = Task { for await _ in stage.updates() { seen.withLock { $0 += 1 } } }
    while seen.withLock(\.self) == 0 { await Task.yield() }
    // The reader waits for its second value.
    for _ in 0..<1_000 { await Task.yield() }
    let isDone = Locked(false)
    Task.detached {
      // An observer is called inside the publisher's lock.
      _ = stage.feedPublisher.add(
        .cards("home", matching: [], { _ in reading.cancel() }, finish: {}))
      isDone.withLock { $0 = true }
    }
    for _ in 0..<100_000 where !isDone.withLock(\.self) { await Task.yield() }
    let hasReturned = isDone.withLock(\.self)
    try #require(hasReturned)
    await reading.value
    #expect(stage.feedPublisher.observerCount == 1)
  }
}
