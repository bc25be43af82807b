import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import TestSupport
import Testing

@testable import EngagementKit

/// Users change while other tasks commit, read and observe feeds. Each read of the cache pauses for
/// a random time. Every card's id is its user's generation.
@Suite("user switches while feeds are shown", .timeLimit(.minutes(20)))
struct SwitchInterleavingTests {
  @Test(
    "G13: no card of an earlier user is shown after a switch, in 2,000 interleavings",
    arguments: 0..<20)
  func interleavings(_ block: Int) async throws {
    for seed in (block * 100..<(block + 1) * 100).prefix(Effort.share(of: 100)) {
      try await Run(seed: UInt64(seed)).check()
    }
  }

  private struct Run: Sendable {
    let seed: UInt64
    let stage: FeedStage
    private let random: Locked<SeededGenerator>
    private static let changes = 4

    init(seed: UInt64) {
      self.seed = seed
      let random = Locked(SeededGenerator(seed: seed))
      self.random = random
      stage = FeedStage(user: Self.partition(1)) {
        for _ in 0..<random.withLock({ $0.below(4) }) { await Task.yield() }
      }
    }

    /// The partition of the generation's user; every third user is anonymous.
    private static func partition(_ generation: Int) -> Partition {
      let user: User = generation % 3 == 0 ? .anonymous : User(UserID("\(generation)"))
      return Partition(id: Int64(generation), environment: "test", user: user)
    }

    func check() async throws {
      let end = Self.changes + 1
      try await withThrowingTaskGroup(of: Void.self) { observers in
        observers.addTask { await observe() }
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { try await change() }
          for worker in 0..<2 { group.addTask { await commit(worker) } }
          group.addTask { await look() }
          try await group.waitForAll()
        }
        observers.cancelAll()
      }
      // At the end the publisher must show the last user's newest feed.
      for key in [FeedKey.a, .b] {
        await stage.commit([Self.card(end, key)], key, of: Self.partition(end))
      }
      #expect(stage.ids() == ["a/\(end)", "b/\(end)"], "seed \(seed)")
      #expect(stage.currentUser.userSession.generation == end)
    }

    private static func card(_ generation: Int, _ key: FeedKey) -> Card {
      .test(ItemID(key.provider, "\(generation)"))
    }

    private func pause() async {
      for _ in 0..<random.withLock({ $0.below(4) }) { await Task.yield() }
    }

    private func change() async throws {
      for generation in 2...Self.changes + 1 {
        await pause()
        let userSession = stage.currentUser.move(into: Self.partition(generation))
        await pause()
        try await stage.feedPublisher.enter(userSession)
      }
    }

    /// Commits into any user's partition, current or not, as late answers do.
    private func commit(_ worker: Int) async {
      for _ in 0..<6 {
        await pause()
        let generation = 1 + random.withLock { $0.below(Self.changes + 1) }
        let key = worker == 0 ? FeedKey.a : .b
        await stage.commit([Self.card(generation, key)], key, of: Self.partition(generation))
      }
    }

    private func look() async {
      for _ in 0..<20 {
        await pause()
        let before = stage.currentUser.userSession.generation
        expect(stage.feedPublisher.cards(in: "home"), notBefore: before)
      }
    }

    private func observe() async {
      // A sign-out ends the observation, so the loop starts a new one.
      while !Task.isCancelled {
        var updates = stage.updates().makeAsyncIterator()
        while true {
          let before = stage.currentUser.userSession.generation
          guard let feed = await updates.next() else { break }
          expect(feed, notBefore: before)
          await pause()
        }
      }
    }

    private func expect(_ feed: CardFeed, notBefore generation: Int) {
      for card in feed.cards {
        let own = Int(card.id.value) ?? 0
        if own < generation { Issue.record("seed \(seed): \(own) is shown to \(generation)") }
      }
    }
  }
}
