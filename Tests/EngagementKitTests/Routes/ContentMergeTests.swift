import EngagementAdapterAPI
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import TestSupport
import Testing

@testable import EngagementKit

/// Merging lists of which several have one content.
@Suite(.timeLimit(.minutes(20))) struct ContentMergeTests {
  private static let order: [ProviderID] = ["b", "a", "flat"]
  private static let feedKeys: [ProviderID: FeedKey] = ["a": .a, "b": .b, "flat": .flat]

  private static func contentKey(_ name: String) -> ContentKey {
    ContentKey(of: ItemID("content", name), on: .cards)
  }

  private static func card(_ random: inout SplitMix64, _ provider: ProviderID, _ id: Int) -> Card {
    .test(ItemID(provider, "\(id)")) { card in
      card.priority = Int.random(in: 1...10, using: &random)
      card.isViewed = Bool.random(using: &random)
      if Int.random(in: 0..<8, using: &random) == 0 { card.kind = .control }
      if card.kind != .control, Int.random(in: 0..<5, using: &random) > 0 {
        card.contentKey = contentKey("\(Int.random(in: 0..<5, using: &random))")
      }
    }
  }

  private static func lists(_ random: inout SplitMix64) -> [ProviderID: [Card]] {
    var lists: [ProviderID: [Card]] = [:]
    for provider in order {
      lists[provider] = (0..<Int.random(in: 0..<6, using: &random)).map {
        card(&random, provider, $0)
      }
    }
    return lists
  }

  /// The feed after the lists came in that order, each as often as it is there.
  private static func feed(
    _ lists: [ProviderID: [Card]], arriving arrivals: [ProviderID],
    _ options: CardOptions = .standard
  ) async throws -> CardFeed {
    let stage = FeedStage(
      Routes(cards: .merge(order), inbox: .none), keyed: ["a", "b", "flat"])
    for provider in arrivals {
      let list = lists[provider] ?? []
      await stage.commit(list, try #require(feedKeys[provider]), total: list.count + 2)
    }
    return stage.feedPublisher.cards(in: "home", options: options)
  }

  @Test(
    "X4: the merged feed is the same in every order of arrival, and after repeats",
    arguments: 1...8 as ClosedRange<UInt64>)
  func arrival(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<Effort.share(of: 40) {
      let lists = Self.lists(&random)
      let first = try await Self.feed(lists, arriving: Self.order)
      for arrivals in [["a", "b", "flat"], ["flat", "a", "b"], ["b", "flat", "a", "b", "a"]]
        as [[ProviderID]]
      {
        #expect(try await Self.feed(lists, arriving: arrivals) == first)
      }
    }
  }

  @Test(
    "X4: one content appears as the copies of one provider, the first that lists it",
    arguments: 1...4 as ClosedRange<UInt64>)
  func preferred(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<Effort.share(of: 40) {
      let lists = Self.lists(&random)
      let feed = try await Self.feed(lists, arriving: Self.order)
      var expected: Set<ItemID> = []
      var seen: Set<ContentKey> = []
      for provider in Self.order {
        let shown = (lists[provider] ?? []).filter { card in
          card.kind != .control && card.contentKey.map { !seen.contains($0) } ?? true
        }
        expected.formUnion(shown.map(\.id))
        seen.formUnion(shown.compactMap(\.contentKey))
      }
      #expect(Set(feed.cards.map(\.id)) == expected)
      #expect(feed.cards.count == expected.count)
      // The badge is the list's.
      #expect(feed.unreadCount == feed.cards.count { !$0.isViewed })
      #expect(feed.count.visible == feed.cards.count)
      let control = lists.values.joined().count { $0.kind == .control }
      #expect(feed.total == expected.count + 2 * Self.order.count + control)
    }
  }

  @Test(
    "X4: providers may be merged in any grouping",
    arguments: 1...4 as ClosedRange<UInt64>)
  func associative(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    func merged(_ lists: [[Card]]) -> [Card] {
      let parts = lists.map { ProviderPart(FeedView(items: $0), of: "any") }
      return FeedMerge.withoutCopies(parts, of: parts).flatMap(\.view.items)
    }
    for _ in 0..<Effort.share(of: 200) {
      let lists = Self.lists(&random)
      let (a, b, c) = (lists["a"] ?? [], lists["b"] ?? [], lists["flat"] ?? [])
      let all = merged([a, b, c])
      #expect(merged([merged([a, b]), c]) == all)
      #expect(merged([a, merged([b, c])]) == all)
      #expect(merged([all]) == all)
    }
  }

  @Test("X4: a refresh with the same lists is no change, and the preferred copy comes back")
  func stable() async throws {
    let stage = FeedStage(Routes(cards: .merge(["a", "b"]), inbox: .none), keyed: ["a", "b"])
    let seen = Locked<[[String]]>([])
    _ = stage.feedPublisher.add(
      .cards(
        "home", matching: [],
        { snapshot in seen.withLock { $0.append(snapshot.feed.cards.map(\.id.description)) } },
        finish: {}))
    let a = Card.a("1") { $0.contentKey = Self.contentKey("k") }
    let b = Card.b("1") { $0.contentKey = Self.contentKey("k") }
    await stage.commit([b], .b)
    await stage.commit([a], .a)
    stage.clock.advance(by: .seconds(60))
    await stage.commit([a], .a)
    await stage.commit([b], .b)
    await stage.commit([a], .a)
    #expect(seen.withLock(\.self).map { $0.joined() } == ["", "b/1", "a/1", "a/1", "a/1"])
    await stage.commit([], .a)
    #expect(stage.ids() == ["b/1"])
  }

  @Test("X4: conditions choose among the contents, and not among their copies")
  func conditions() async throws {
    let lists: [ProviderID: [Card]] = [
      "b": [
        .b("1") {
          $0.contentKey = Self.contentKey("k")
          $0.priority = 9
        }
      ],
      "a": [
        .a("1") {
          $0.contentKey = Self.contentKey("k")
          $0.priority = 2
        }, .a("2") { $0.priority = 2 },
      ],
    ]
    let options = CardOptions(filters: [.priority(.atMost(5))])
    let feed = try await Self.feed(lists, arriving: ["a", "b"], options)
    #expect(feed.cards.map(\.id.description) == ["a/2"])
    #expect(feed.unreadCount == 1)
    #expect(feed.total == 1)
  }

  @Test("X4: a copy that ends leaves its place to the next one at that time")
  func ended() async {
    let stage = FeedStage(
      Routes(cards: .merge(["a", "b"]), inbox: .merge(["a", "b"])), keyed: ["a", "b"])
    let end = stage.clock.now.addingTimeInterval(60)
    for (provider, end) in [("a", end), ("b", nil)] as [(ProviderID, Date?)] {
      let card = Card.test(ItemID(provider, "c")) {
        ($0.contentKey, $0.expiresAt) = (Self.contentKey("k"), end)
      }
      let message = InboxMessage.test(ItemID(provider, "m")) {
        ($0.contentKey, $0.expiresAt) = (Self.contentKey("k"), end)
      }
      let key = FeedKey(provider, Feed(.cards, in: "home"))
      stage.reader.set(FeedView(items: [card], validUntil: end), key, of: FeedStage.first)
      stage.reader.set(FeedView(items: [message], validUntil: end), provider, of: FeedStage.first)
      var report = CommitReport()
      report.feeds = [key, FeedKey(provider, .inbox)]
      await stage.feedPublisher.observe(report, of: FeedStage.first)
    }
    func shown() -> [String] {
      stage.ids() + stage.feedPublisher.inbox().messages.map(\.id.description)
    }
    #expect(shown() == ["a/c", "a/m"])
    #expect(stage.feedPublisher.inbox().unreadCount == 1)
    stage.clock.advance(by: .seconds(61))
    #expect(shown() == ["b/c", "b/m"])
  }
}
