import EngagementAdapterAPI
import EngagementModel
import Foundation
import TestSupport
import Testing

@testable import EngagementStore

/// Compares random changes of one user's cards in the item cache with a reference model.
@Suite struct ItemCacheRandomTests {
  private static let feeds = [Feed(.cards), Feed(.cards, in: "home"), Feed(.cards, in: "shop")]
  private static let rules = PatchRules(age: "c", onlyEverSet: ["v", "l"])
  private static let retentions = [
    Retention.nothing, Retention(testItems: true), Retention(onlyEverSet: ["v", "l"]),
    Retention(testItems: true, onlyEverSet: ["v"]),
  ]

  @Test(
    "G20: random changes show the same cards as the reference model at every step",
    .timeLimit(.minutes(20)),
    arguments: [FeedOrder.asSent, .newestFirst, .byPriority], [1, 2, 3] as [UInt64])
  func life(order: FeedOrder, seed: UInt64) throws {
    let adapter = PaperAdapter(cards: order)
    let stand = try ItemCacheStand(adapter)
    var reference = ItemCacheReference(adapter)
    var random = SplitMix64(seed: seed)
    for step in 0..<Effort.share(of: 1_000) {
      try take(step, stand, &reference, &random)
      for feed in Self.feeds {
        let view = try stand.view(feed)
        try #require(
          view.items == reference.cards(in: feed, at: stand.now),
          "step \(step), \(feed.container?.rawValue ?? "-")")
        // The counts that the cache keeps equal a new count of all cards.
        let counted = view.with(view.items)
        #expect(view.shown == counted.shown && view.unreadCount == counted.unreadCount)
        // Time changes the view at `validUntil` and no earlier.
        let end = view.validUntil ?? .distantFuture
        #expect(
          reference.cards(in: feed, at: end - 0.5) == view.items
            || end - 0.5 <= stand.now)
        if view.validUntil != nil {
          #expect(reference.cards(in: feed, at: end) != view.items)
        }
      }
    }
    #expect(
      try stand.count("SELECT count(*) FROM item WHERE id NOT IN (SELECT item FROM membership)")
        == 0)
  }

  private func take(
    _ step: Int, _ stand: ItemCacheStand, _ reference: inout ItemCacheReference,
    _ random: inout SplitMix64
  ) throws {
    switch random.next() % 12 {
    case 0..<6:
      let changes = (0...Int(random.next() % 2)).map { _ in change(stand.now, &random) }
      if random.next() % 8 == 0 {
        try fail(changes, on: stand)
        reference.forget()
      }
      try stand.commit(changes)
      reference.commit(changes, at: stand.now)
    case 6, 7, 8:
      let (action, id) = (action(stand.now, &random), id(&random))
      try stand.act(action, on: id)
      reference.act(action, on: id, at: stand.now)
    case 9:
      let (action, id) = (action(stand.now, &random), id(&random))
      try stand.undo(action, on: id)
      reference.undo(action, on: id)
    case 10: stand.now += Double(random.next() % 40)
    default:
      if random.next() % 2 == 0 { try stand.restart() } else { stand.forget() }
      reference.forget()
    }
  }

  /// Applies the changes in a transaction that fails.
  private func fail(_ changes: [Change], on stand: ItemCacheStand) throws {
    let error = failure { () throws(EngagementError) in
      try stand.change { (itemCache, database) throws(EngagementError) in
        var report = CommitReport()
        for change in changes {
          try itemCache.apply(
            change, from: "paper", in: stand.person, at: stand.now, to: &report, on: &database)
        }
        throw EngagementError(.storage, "the disk is full")
      }
    }
    #expect(error?.code == .storage)
  }

  private func id(_ random: inout SplitMix64) -> String { "\(random.next() % 14)" }

  private func change(_ now: Date, _ random: inout SplitMix64) -> Change {
    let feed = Self.feeds[Int(random.next() % 3)]
    let items = (0..<Int(random.next() % 10)).map { _ in
      let id = id(&random)
      return (id: id, text: text(id, now, &random))
    }
    switch random.next() % 8 {
    case 0..<4:
      return .items(
        feed, .replace(Self.retentions[Int(random.next() % 4)]), raw(items.map(\.text)))
    case 4: return .items(feed, .put, raw(items.map(\.text)))
    case 5, 6: return .items(feed, .patch(Self.rules), named(items))
    default:
      return random.next() % 4 == 0 ? .unchanged(feed) : .removed(feed, ids: items.map(\.id))
    }
  }

  private func text(_ id: String, _ now: Date, _ random: inout SplitMix64) -> String {
    switch random.next() % 40 {
    case 0: return #"{"id":"\#(id)","x":"\ud800"}"#
    case 1: return #"{"id":"\#(id)","kind":"game"}"#
    case 2: return "{}"
    default: break
    }
    var members = [#""id":"\#(id)""#]
    for name in ["n", "a", "c"] where random.next() % 2 == 0 {
      members.append(#""\#(name)":\#(random.next() % 4)"#)
    }
    for name in ["p", "v", "l", "t"] where random.next() % 3 == 0 {
      members.append(#""\#(name)":\#(random.next() % 2)"#)
    }
    for name in ["d", "w"] where random.next() % 12 == 0 { members.append(#""\#(name)":true"#) }
    if random.next() % 3 == 0 {
      members.append(#""e":\#(Int(now.timeIntervalSince1970) + Int(random.next() % 90) - 9)"#)
    }
    return "{\(members.joined(separator: ","))}"
  }

  private func action(_ now: Date, _ random: inout SplitMix64) -> ItemAction {
    switch random.next() % 8 {
    case 0, 1: .impression
    case 2, 3: .click
    case 4: .dismiss
    case 5: .snooze(seconds: Int(random.next() % 60))
    case 6: .expire(at: now + Double(random.next() % 60))
    default: .vote(useful: true, reason: nil, message: nil)
    }
  }
}
