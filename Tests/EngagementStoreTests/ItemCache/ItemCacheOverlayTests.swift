import EngagementAdapterAPI
import EngagementModel
import Foundation
import Testing

@testable import EngagementStore

@Suite struct ItemCacheOverlayTests {
  /// An action, its visible effect, and the vendor's members that report the same.
  struct Deed: Sendable, CustomTestStringConvertible {
    let action: ItemAction
    let surface: Surface
    /// Whether the item is hidden at once.
    let hides: Bool
    /// The visible marks of the item, as the vendor's names of members.
    let shows: [String]
    var testDescription: String { "\(action.name) on \(surface)" }

    init(_ action: ItemAction, _ surface: Surface = .cards, hides: Bool = false, shows: String...) {
      self.action = action
      self.surface = surface
      self.hides = hides
      self.shows = shows
    }
  }

  private static let deeds: [Deed] = [
    Deed(.impression, shows: "v"), Deed(.click, shows: "v", "l"), Deed(.open, shows: "v"),
    Deed(.dismiss, hides: true, shows: "d"), Deed(.delete, hides: true, shows: "d"),
    Deed(.submit(button: "ok", values: [:]), hides: true, shows: "d"),
    Deed(.expire(at: nil), hides: true, shows: "d"),
    Deed(.vote(useful: true, reason: nil, message: nil)),
    Deed(.read, .inbox, shows: "r"), Deed(.open, .inbox, shows: "r"),
    Deed(.delete, .inbox, hides: true),
    Deed(.snooze(seconds: 60), hides: true), Deed(.snooze(seconds: 60), .inbox, hides: true),
    Deed(.expire(at: ItemCacheStand.start + 60)),
  ]

  private let stand: ItemCacheStand

  init() throws { stand = try ItemCacheStand() }

  private func item(_ id: String, _ true: [String] = []) -> String {
    #"{"id":"\#(id)"\#(`true`.map { #","\#($0)":true"# }.joined())}"#
  }

  private func list(_ items: [String], on surface: Surface) throws {
    try stand.commit(.list(items, in: Feed(surface)))
  }

  /// The visible marks of the item `a`; nil if the item is hidden.
  private func marks(_ surface: Surface) throws -> [String]? {
    if surface == .inbox {
      return try stand.inbox().items.first { $0.id.value == "a" }.map { $0.isRead ? ["r"] : [] }
    }
    return try stand.view().items.first { $0.id.value == "a" }.map { card in
      (card.isViewed ? ["v"] : []) + (card.isClicked ? ["l"] : []) + (card.isDismissed ? ["d"] : [])
    }
  }

  private func expectSeen(_ deed: Deed, _ note: Comment) throws {
    let seen = deed.hides ? nil : deed.shows
    #expect(try marks(deed.surface) == seen, note)
  }

  private var overlays: Int { get throws { try stand.count("SELECT count(*) FROM overlay") } }

  @Test("G5: an action is visible at once and survives later lists and restarts", arguments: deeds)
  func stillListed(deed: Deed) throws {
    try list([item("a"), item("b")], on: deed.surface)
    let keys = try stand.act(deed.action, on: "a", deed.surface)
    #expect(
      deed.action.marks.isEmpty && !deed.hides || keys == [FeedKey("paper", Feed(deed.surface))])
    try expectSeen(deed, "at once")
    try list([item("b"), item("a")], on: deed.surface)
    try expectSeen(deed, "after a list")
    try stand.commit(.put([item("a")], in: Feed(deed.surface)), .unchanged(Feed(deed.surface)))
    try expectSeen(deed, "after it was put")
    try stand.restart()
    try expectSeen(deed, "after a restart")
    try list([item("a")], on: deed.surface)
    try expectSeen(deed, "after a restart and a list")
  }

  @Test(
    "G5: a mark ends when the vendor reports the same, and the item looks unchanged",
    arguments: deeds)
  func vendorAgrees(deed: Deed) throws {
    try list([item("a")], on: deed.surface)
    try stand.act(deed.action, on: "a", deed.surface)
    try list([item("a", deed.shows)], on: deed.surface)
    try expectSeen(deed, "the vendor agrees")
    guard deed.canEnd else { return }
    #expect(try overlays == 0)
    try list([item("a")], on: deed.surface)
    #expect(try marks(deed.surface) == [], "the vendor has the last word")
  }

  @Test("G5: an action's overlay ends when no feed lists the item", arguments: deeds)
  func notListed(deed: Deed) throws {
    try list([item("a"), item("b")], on: deed.surface)
    try stand.act(deed.action, on: "a", deed.surface)
    try list([item("b")], on: deed.surface)
    #expect(try overlays == 0)
    try list([item("a")], on: deed.surface)
    #expect(try marks(deed.surface) == [])
  }

  @Test("G5: a refused action is undone at once", arguments: deeds)
  func refused(deed: Deed) throws {
    try list([item("a")], on: deed.surface)
    try stand.act(deed.action, on: "a", deed.surface)
    try stand.restart()
    try stand.undo(deed.action, on: "a", deed.surface)
    #expect(try marks(deed.surface) == [])
    #expect(try overlays == 0)
  }

  @Test("X7: an action on an item lasts while any feed still lists it")
  func listedElsewhere() throws {
    let (home, shop) = (Feed(.cards, in: "home"), Feed(.cards, in: "shop"))
    try stand.commit(.list([item("a")], in: home), .list([item("a")], in: shop))
    try stand.act(.dismiss, on: "a")
    try stand.commit(.list([], in: home))
    #expect(try stand.ids(shop) == [])
    try stand.commit(.removed(shop, ids: ["a"]))
    #expect(try overlays == 0)
  }

  @Test("an action on an unknown item lasts until a list arrives without the item")
  func beforeTheItem() throws {
    try stand.act(.dismiss, on: "a")
    try list([item("a")], on: .cards)
    #expect(try stand.ids() == [])
    try list([item("b")], on: .cards)
    try list([item("a")], on: .cards)
    #expect(try stand.ids() == ["a"])
  }

  @Test("a list with an unreadable item ends no overlay")
  func badListEndsNothing() throws {
    try list([item("a"), item("b")], on: .cards)
    try stand.act(.dismiss, on: "a")
    try list([#"{"id":7}"#, item("b")], on: .cards)
    try list([item("a"), item("b")], on: .cards)
    #expect(try stand.ids() == ["b"])
    try list([item("b")], on: .cards)
    #expect(try overlays == 0)
  }

  @Test("A15: a snoozed item returns at its time, which the view reports")
  func snooze() throws {
    try list([item("a"), item("b")], on: .cards)
    stand.now += 0.0006
    try stand.act(.snooze(seconds: 30), on: "a")
    let back = Date(timeIntervalSince1970: 1_790_845_230.001)
    for _ in 0..<2 {
      #expect(try stand.ids() == ["b"])
      #expect(try stand.view().validUntil == back)
      try stand.restart()
    }
    stand.now = back
    #expect(try stand.view().items.map(\.id.value) == ["a", "b"])
    #expect(try stand.view().validUntil == nil)
    try list([item("b"), item("a")], on: .cards)
    #expect(try overlays == 0)
  }

  @Test("an item expires at its time, which the view reports")
  func expiry() throws {
    let start = ItemCacheStand.start
    let end = start.timeIntervalSince1970
    try list(
      [
        #"{"id":"a","e":\#(end + 60)}"#, #"{"id":"b","e":\#(end + 30.0004)}"#,
        #"{"id":"c","e":\#(end)}"#, item("d"),
      ], on: .cards)
    for (seconds, ids, change) in [
      (0.0, ["a", "b", "d"], 30.0004), (30, ["a", "b", "d"], 30.0004), (30.0005, ["a", "d"], 60),
      (60, ["d"], nil), (-10, ["a", "b", "c", "d"], 0),
    ] as [(Double, [String], Double?)] {
      stand.now = start + seconds
      let view = try stand.view()
      #expect(view.items.map(\.id.value) == ids)
      #expect(view.validUntil == change.map { Date(timeIntervalSince1970: end + $0) })
    }
  }

  @Test("an item that expires while snoozed never returns")
  func endsWhileSnoozed() throws {
    let end = ItemCacheStand.start.timeIntervalSince1970 + 20
    try list([#"{"id":"a","e":\#(end)}"#], on: .cards)
    try stand.act(.snooze(seconds: 30), on: "a")
    #expect(try stand.view().validUntil == nil)
    stand.now += 31
    #expect(try stand.ids() == [])
  }

  @Test("a card that its vendor reports as dismissed stays hidden after other actions")
  func dismissedByVendor() throws {
    try list([item("a", ["d"]), item("b")], on: .cards)
    #expect(try stand.ids() == ["b"])
    try stand.act(.impression, on: "a")
    #expect(try stand.ids() == ["b"])
  }

  @Test("times far outside the calendar are clamped without a trap")
  func extremeTimes() throws {
    try list([item("a"), #"{"id":"b","e":1e300}"#, #"{"id":"c","e":-1e300}"#], on: .cards)
    try stand.act(.snooze(seconds: .max), on: "a")
    #expect(try stand.ids() == ["b"])
    try stand.restart()
    #expect(try stand.ids() == ["b"])
    stand.now = .distantFuture
    #expect(try stand.ids() == ["b"])
  }

  @Test("a signed-in user adopts anonymous actions, except on items they acted on themselves")
  func adoption() throws {
    let (known, anonymous) = (ItemCacheStand.people[0], ItemCacheStand.people[2])
    for person in [known, anonymous] {
      stand.person = person
      try list([item("a"), item("b"), item("c")], on: .cards)
    }
    try stand.act(.dismiss, on: "a")
    try stand.act(.dismiss, on: "b")
    stand.person = known
    try stand.act(.click, on: "b")
    let references = ["a", "b", "c"].map { ItemReference(ItemID("paper", $0), on: .cards) }
    let keys = try stand.change { (itemCache, database) throws(EngagementError) in
      try itemCache.adoptOverlays(of: references, from: anonymous, into: known, on: &database)
    }
    #expect(keys == [FeedKey("paper", .cards)])
    #expect(try stand.ids() == ["b", "c"])
    try stand.restart()
    #expect(try stand.view().items.map(\.isClicked) == [true, false])
  }
}

extension ItemCacheOverlayTests.Deed {
  /// Whether a vendor can report all marks of the action. No vendor reports a card as read or a
  /// message as viewed, and marks with a time end at that time.
  fileprivate var canEnd: Bool {
    guard surface == .cards else { return false }
    switch action {
    case .open, .snooze, .expire(.some): return false
    default: return true
    }
  }
}
