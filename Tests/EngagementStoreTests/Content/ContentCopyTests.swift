import EngagementAdapterAPI
import EngagementModel
import Foundation
import Testing

@testable import EngagementStore

/// What was done to one copy of a content counts for the others.
@Suite struct ContentCopyTests {
  private static let keys: [ProviderID: ContentKeySource] = [
    "a": .extra("sku"), "b": .extra("sku"),
  ]
  private let stand: ItemCacheStand

  init() throws { stand = try Self.stand() }

  private static func stand(
    _ keys: [ProviderID: ContentKeySource] = keys
  ) throws -> ItemCacheStand {
    try ItemCacheStand(
      ["a": PaperAdapter("a"), "b": PaperAdapter("b"), "plain": PaperAdapter("plain")],
      contentKeys: keys)
  }

  private static func item(_ id: String, _ sku: String? = "k", _ more: String = "") -> String {
    let key = sku.map { #","g":"\#($0)""# } ?? ""
    return #"{"id":"\#(id)"\#(key)\#(more.isEmpty ? "" : ",\(more)")}"#
  }

  @discardableResult private func list(
    _ items: String..., at provider: ProviderID, on surface: Surface = .cards
  ) throws -> CommitReport {
    try stand.commit(.list(items, in: Feed(surface)), from: provider)
  }

  /// The visible cards of a provider, each with a star if it was viewed.
  private func cards(_ provider: ProviderID) throws -> [String] {
    try stand.view(of: provider).items.map { $0.id.value + ($0.isViewed ? "*" : "") }
  }

  private func messages(_ provider: ProviderID) throws -> [String] {
    try stand.inbox(of: provider).items.map { $0.id.value + ($0.isRead ? "*" : "") }
  }

  private func both() throws {
    try list(Self.item("a1"), Self.item("a2", "other"), at: "a")
    try list(Self.item("b1"), Self.item("b2", nil), at: "b")
  }

  @Test("X4: what is dismissed at one vendor is gone at the other, over restarts and refreshes")
  func dismissed() throws {
    try both()
    #expect(try cards("b") == ["b1", "b2"])
    let changed = try stand.act(.dismiss, on: "a1", of: "a")
    #expect(changed == [FeedKey("a", .cards), FeedKey("b", .cards)])
    #expect(try cards("a") == ["a2"])
    #expect(try cards("b") == ["b2"])
    stand.forget()
    #expect(try cards("b") == ["b2"])
    try stand.restart()
    try list(Self.item("b1", "k", #""x":"new words""#), Self.item("b2", nil), at: "b")
    #expect(try cards("b") == ["b2"])
    // The first vendor took the dismissal and lists its copy no more.
    try list(Self.item("a2", "other"), at: "a")
    #expect(try cards("b") == ["b2"])
    // A copy that comes later is one too.
    try list(Self.item("a2", "other"), Self.item("a9"), at: "a")
    #expect(try cards("a") == ["a2"])
  }

  @Test("X4: a view of a card is a read message elsewhere, and the other way round")
  func surfaces() throws {
    try list(Self.item("a1"), Self.item("a2", "other"), at: "a")
    try list(Self.item("m1"), Self.item("m2", "other"), at: "b", on: .inbox)
    let changed = try stand.act(.impression, on: "a1", of: "a")
    #expect(changed == [FeedKey("a", .cards), FeedKey("b", .inbox)])
    #expect(try messages("b") == ["m1*", "m2"])
    try stand.act(.read, on: "m2", .inbox, of: "b")
    #expect(try cards("a") == ["a1*", "a2*"])
    try stand.restart()
    #expect(try cards("a") == ["a1*", "a2*"])
    #expect(try messages("b") == ["m1*", "m2*"])
    // An impression of a message does not read its copies.
    try list(Self.item("n1", "third"), at: "b", on: .inbox)
    try list(Self.item("n2", "third"), at: "a", on: .inbox)
    try stand.act(.impression, on: "n1", .inbox, of: "b")
    #expect(try messages("a") == ["n2"])
    #expect(try messages("b") == ["n1"])
  }

  @Test("X4: what the vendor itself says of a copy counts for the others too")
  func vendor() throws {
    try both()
    let report = try list(
      Self.item("a1", "k", #""v":true"#), Self.item("a2", "other"), at: "a")
    #expect(report.feeds.contains(FeedKey("b", .cards)))
    #expect(try cards("b") == ["b1*", "b2"])
    try list(Self.item("a1", "k", #""d":true"#), Self.item("a2", "other"), at: "a")
    #expect(try cards("b") == ["b2"])
    // An older state of the vendor takes nothing back.
    try list(Self.item("a1"), Self.item("a2", "other"), at: "a")
    #expect(try cards("a") == ["a2"])
    #expect(try cards("b") == ["b2"])
  }

  @Test("X4: the marks stay while an item that cannot be read may be the last copy")
  func unread() throws {
    try both()
    try stand.act(.dismiss, on: "a1", of: "a")
    try list("{", at: "b")
    try list(at: "a")
    try stand.restart()
    stand.now += 86_400
    try list("{", at: "b")
    try list(at: "a")
    #expect(try stand.count("SELECT count(*) FROM content_mark") == 1)
    try list(Self.item("b1"), at: "b")
    #expect(try cards("b") == [])
    // An older state may follow.
    try stand.commit([.list([])], from: "b", settling: false)
    try list(at: "b")
    #expect(try stand.count("SELECT count(*) FROM content_mark") == 1)
    stand.now += 86_400
    try list(at: "a")
    #expect(try stand.count("SELECT count(*) FROM content_mark") == 0)
  }

  @Test("X4: a refused action takes back its own marks everywhere, and no others")
  func undone() throws {
    try both()
    try stand.act(.dismiss, on: "a1", of: "a")
    try stand.act(.impression, on: "b1", of: "b")
    let changed = try stand.undo(.dismiss, on: "a1", of: "a")
    #expect(changed == [FeedKey("a", .cards), FeedKey("b", .cards)])
    #expect(try cards("a") == ["a1*", "a2"])
    #expect(try cards("b") == ["b1*", "b2"])
    // Both copies were dismissed, and one vendor refuses.
    try stand.act(.dismiss, on: "a1", of: "a")
    try stand.act(.dismiss, on: "b1", of: "b")
    try stand.undo(.dismiss, on: "a1", of: "a")
    #expect(try cards("a") == ["a2"])
    // The vendor has dropped the copy before it refuses.
    try list(Self.item("a2", "other"), at: "a")
    try stand.undo(.dismiss, on: "b1", of: "b")
    #expect(try cards("b") == ["b1*", "b2"])
    try stand.act(.dismiss, on: "b1", of: "b")
    try list(Self.item("a1"), at: "a")
    try list(at: "b")
    #expect(try cards("a") == [])
    try stand.undo(.dismiss, on: "b1", of: "b")
    #expect(try cards("a") == ["a1*"])
  }

  @Test("X4: a snooze and an end of one copy hide the others for as long")
  func times() throws {
    try both()
    try stand.act(.snooze(seconds: 60), on: "a1", of: "a")
    #expect(try cards("b") == ["b2"])
    stand.now += 61
    #expect(try cards("a") == ["a1", "a2"])
    #expect(try cards("b") == ["b1", "b2"])
    try stand.act(.expire(at: stand.now + 60), on: "b1", of: "b")
    #expect(try cards("a") == ["a1", "a2"])
    stand.now += 61
    #expect(try cards("a") == ["a2"])
    try stand.restart()
    #expect(try cards("a") == ["a2"])
  }

  @Test("X4: a key that the vendor changes makes another content")
  func renamed() throws {
    try both()
    try stand.act(.impression, on: "a1", of: "a")
    try list(Self.item("a1", "new"), Self.item("a2", "other"), at: "a")
    try list(Self.item("b1", "new"), Self.item("b2"), at: "b")
    #expect(try cards("b") == ["b1", "b2*"])
    try list(Self.item("a1", nil), at: "a")
    #expect(try stand.count("SELECT count(*) FROM content_copy WHERE source = 1") == 0)
  }

  @Test("X4: two copies of one provider both stay, and the first commit with both tells it")
  func duplicated() throws {
    var report = try list(Self.item("a1"), Self.item("a2"), at: "a")
    #expect(report.duplicated.map(\.count) == [2])
    #expect(report.duplicated.map(\.provider) == ["a"])
    report = try list(Self.item("a1"), Self.item("a2"), Self.item("a3"), at: "a")
    #expect(report.duplicated.isEmpty)
    #expect(try list(Self.item("b1"), at: "b").duplicated.isEmpty)
    #expect(try cards("a") == ["a1", "a2", "a3"])
    try stand.act(.impression, on: "a2", of: "a")
    #expect(try cards("a") == ["a1*", "a2*", "a3*"])
    try stand.restart()
    #expect(try list(Self.item("a1"), Self.item("a2"), at: "a").duplicated.isEmpty)
    #expect(try list(Self.item("a1"), at: "a").duplicated.isEmpty)
    #expect(try list(Self.item("a1"), Self.item("a2"), at: "a").duplicated.count == 1)
  }

  @Test("X4: a key that is no text, empty or too long is none, and is told once")
  func faults() throws {
    let long = String(repeating: "x", count: 1_001)
    let bad = [
      #"{"id":"1","g":7}"#, #"{"id":"2","g":{}}"#, #"{"id":"3","g":""}"#,
      #"{"id":"4","g":"\#(long)"}"#, #"{"id":"5"}"#, #"{"id":"6","g":null}"#,
    ]
    let report = try stand.commit(.list(bad), from: "a")
    #expect(
      report.ignored.map(\.message) == [
        "The content key of 1 of the cards is empty; each is shown without one.",
        "The content key of 2 of the cards is not a text; each is shown without one.",
        "The content key of 1 of the cards is longer than 1000 bytes; each is shown without one.",
      ])
    #expect(report.ignored.allSatisfy { $0.provider == "a" })
    #expect(try cards("a").count == 6)
    try stand.restart()
    let other = bad.map { $0.replacing(#"{"id""#, with: #"{"x":"new","id""#) }
    #expect(try stand.commit(.list(other), from: "a").ignored.isEmpty)
    // What is wrong in another way is told again.
    let worse = [#"{"id":"1","g":""}"#] + other.dropFirst()
    #expect(try stand.commit(.list(worse), from: "a").ignored.count == 1)
    #expect(try stand.count("SELECT count(*) FROM content_copy") == 0)
  }

  @Test("X4: control cards and providers without a source of keys take no part")
  func others() throws {
    try list(Self.item("c1", "k", #""w":true"#), at: "a")
    try list(Self.item("p1"), at: "plain")
    try list(Self.item("b1"), at: "b")
    #expect(try stand.count("SELECT count(*) FROM content_copy") == 1)
    try stand.act(.dismiss, on: "c1", of: "a")
    try stand.act(.dismiss, on: "p1", of: "plain")
    #expect(try cards("b") == ["b1"])
    #expect(try stand.count("SELECT count(*) FROM content_mark") == 0)
  }

  @Test("X4: an overlay that waits for its item counts for the copies when the item comes")
  func adopted() throws {
    let guest = ItemCacheStand.people[2]
    try list(Self.item("b1"), at: "b")
    stand.person = guest
    try list(Self.item("a1"), at: "a")
    try stand.act(.dismiss, on: "a1", of: "a")
    stand.person = ItemCacheStand.people[0]
    try stand.change { (itemCache, database) throws(EngagementError) in
      _ = try itemCache.adoptOverlays(
        of: [ItemReference(ItemID("a", "a1"), on: .cards)], from: guest, into: stand.person,
        on: &database)
    }
    #expect(try cards("b") == ["b1"])
    try list(Self.item("a1"), at: "a")
    #expect(try cards("b") == [])
  }
}
