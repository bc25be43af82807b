import EngagementAdapterAPI
import EngagementModel
import Foundation
import Testing

@testable import EngagementStore

/// Content keys in a whole cache: the events, other processes, users, and other sources of keys.
@Suite(.timeLimit(.minutes(20))) struct StoreContentTests {
  private static let sku: [ProviderID: ContentKeySource] = [
    "paper": .extra("sku"), "other": .extra("sku"),
  ]
  private let stand: StoreStand

  init() throws { stand = try StoreStand() }

  private func open(
    _ keys: [ProviderID: ContentKeySource] = sku
  ) async throws -> (Store, Partition) {
    let store = try await stand.open(contentKeys: keys)
    return (store, try await store.partition(of: "u-1"))
  }

  @discardableResult private func list(
    _ items: String..., at provider: ProviderID, _ store: Store, _ user: Partition
  ) async throws -> CommitReport {
    try await store.commit(
      [.items(.cards, .replace(.nothing), raw(items))], from: provider, in: user,
      at: StoreStand.start, loadsFeeds: true)
  }

  private func ids(
    _ provider: ProviderID, _ store: Store, _ user: Partition
  ) async throws -> [String] {
    let key = FeedKey(provider, .cards)
    let loaded = try await store.load([key], of: user, at: StoreStand.start)
    return loaded.cards[key]?.items.map(\.id.value) ?? []
  }

  @Test("X4: an action returns the other vendors' feeds as they are now, and a refusal too")
  func feeds() async throws {
    let (store, user) = try await open()
    try await list(#"{"id":"p","g":"k"}"#, at: "paper", store, user)
    try await list(#"{"id":"o","g":"k"}"#, #"{"id":"o2"}"#, at: "other", store, user)
    let intent = stand.act(.dismiss, on: "p")
    let accepted = try await store.accept(in: user, at: StoreStand.start, loadsFeeds: true) {
      (_, _) throws(EngagementError) in [intent]
    }
    let other = FeedKey("other", .cards)
    #expect(accepted.loaded?.cards[other]?.items.map(\.id.value) == ["o2"])
    let row = try #require(try await store.ids(in: user).first)
    let report = try await store.end([row], .rejected(EngagementError(.conflict, "No.")))
    #expect(report.feeds.contains(other))
    #expect(try await ids("other", store, user) == ["o", "o2"])
  }

  @Test("X4: the ledger says once that a provider lists a content twice")
  func ledger() async throws {
    let (store, user) = try await open()
    let twice = [#"{"id":"1","g":"k"}"#, #"{"id":"2","g":"k"}"#, #"{"id":"3","g":"l"}"#]
    for _ in 0..<2 { try await list(twice[0], twice[1], twice[2], at: "paper", store, user) }
    try await list(#"{"id":"o","g":"k"}"#, at: "other", store, user)
    let events = try await store.entries(after: 0, limit: 100).map(\.event)
      .filter { $0.kind == .contentDuplicated }
    #expect(events.map(\.provider) == ["paper"])
    #expect(events.first?.properties["count"] == 2)
    #expect(events.first?.properties["surface"] == "cards")
    #expect(events.first?.properties["key"]?.string?.count == 32)
  }

  @Test("X4 X6: another process shows the same, and what it dismisses is gone here")
  func processes() async throws {
    let (store, user) = try await open()
    try await list(#"{"id":"p","g":"k"}"#, at: "paper", store, user)
    try await list(#"{"id":"o","g":"k"}"#, at: "other", store, user)
    #expect(try await ids("other", store, user) == ["o"])
    var reader = try StoreReader(
      path: stand.scratch.path(),
      adapters: ["paper": PaperAdapter(), "other": PaperAdapter("other")], contentKeys: Self.sku)
    let (second, _) = try await open()
    try await second.accept(stand.act(.dismiss, on: "p"), in: user)
    #expect(try await ids("other", store, user) == [])
    let seen = try reader.cards(in: FeedKey("other", .cards), of: user, at: StoreStand.start)
    #expect(seen.items.isEmpty)
    let first = try reader.firstCards(
      5, in: FeedKey("other", .cards), of: user, at: StoreStand.start)
    #expect(first.isEmpty)
  }

  @Test("X4: with another source of keys what was done follows the items to their new contents")
  func changedSource() async throws {
    var (store, user) = try await open()
    try await list(#"{"id":"p","g":"k","x":"same"}"#, at: "paper", store, user)
    try await list(
      #"{"id":"o","g":"k","x":"own"}"#, #"{"id":"o2","x":"same"}"#, at: "other", store, user)
    try await store.accept(stand.act(.dismiss, on: "p"), in: user)
    #expect(try await ids("other", store, user) == ["o2"])
    (store, user) = try await open(["paper": .fingerprint, "other": .fingerprint])
    // The copy of the former content shows again, and that of the present one is gone.
    #expect(try await ids("other", store, user) == ["o"])
    #expect(try stand.number("SELECT count(*) FROM content_copy") == 3)
    // Without sources nothing is a copy, and the item itself stays dismissed.
    (store, user) = try await open([:])
    #expect(try await ids("other", store, user) == ["o", "o2"])
    #expect(try await ids("paper", store, user) == [])
    #expect(try stand.number("SELECT count(*) FROM content_copy") == 0)
    (store, user) = try await open()
    try await list(
      #"{"id":"o","g":"k","x":"own"}"#, #"{"id":"o2","x":"same"}"#, at: "other", store, user)
    #expect(try await ids("other", store, user) == ["o2"])
    // The same source again makes nothing anew.
    try stand.tamper("UPDATE content_copy SET since = 7")
    (store, user) = try await open()
    #expect(try await ids("other", store, user) == ["o2"])
    #expect(try stand.number("SELECT count(*) FROM content_copy WHERE since = 7") == 2)
  }

  @Test("X4: items that were there before the keys get theirs, with what vendors and the user did")
  func configuredLater() async throws {
    var (store, user) = try await open([:])
    try await list(
      #"{"id":"p","g":"k","v":true}"#, #"{"id":"p2","g":"l"}"#, #"{"id":"p3","g":"l"}"#,
      at: "paper", store, user)
    try await list(#"{"id":"o","g":"k"}"#, #"{"id":"o2","g":"l"}"#, at: "other", store, user)
    try await store.accept(stand.act(.dismiss, on: "p2"), in: user)
    #expect(try stand.number("SELECT count(*) FROM content_mark") == 0)
    (store, user) = try await open()
    // The first use is an action.
    try await store.accept(stand.act(.click, on: "p3"), in: user)
    let key = FeedKey("other", .cards)
    let cards = try await store.load([key], of: user, at: StoreStand.start).cards[key]?.items
    #expect(cards?.map(\.id.value) == ["o"])
    #expect(cards?.first?.isViewed == true)
    let events = try await store.entries(after: 0, limit: 100).map(\.event)
      .filter { $0.kind == .contentDuplicated }
    #expect(events.count == 1)
  }

  @Test("X4: wrong keys of items that were there before are told in the next commit")
  func toldLater() async throws {
    var (store, user) = try await open([:])
    try await list(#"{"id":"p","g":""}"#, at: "paper", store, user)
    (store, user) = try await open()
    #expect(try await ids("paper", store, user) == ["p"])
    let report = try await list(#"{"id":"p","g":""}"#, at: "paper", store, user)
    #expect(report.ignored.map(\.provider) == ["paper"])
    #expect(try await list(#"{"id":"p","g":""}"#, at: "paper", store, user).ignored.isEmpty)
  }

  @Test("X4 X21: an erased user leaves no setting of keys, and others keep theirs")
  func erased() async throws {
    let (store, user) = try await open()
    let stays = try await store.partition(of: "u-2")
    for partition in [user, stays] {
      try await list(#"{"id":"p","g":"k"}"#, at: "paper", store, partition)
      try await store.accept(stand.act(.dismiss, on: "p"), in: partition)
    }
    let settings = "SELECT count(*) FROM setting WHERE name LIKE 'content keys %'"
    #expect(try stand.number(settings) == 2)
    let held = try await store.held(for: user).map { $0["record"]?.string }
    #expect(held.contains("contentCopy") && held.contains("contentMark"))
    _ = try await store.erase(user, at: StoreStand.start)
    #expect(try stand.number(settings) == 1)
    #expect(try stand.number("SELECT count(*) FROM content_mark") == 1)
    #expect(try stand.number("SELECT count(*) FROM content_copy") == 1)
    // What is loaded for the erased user makes nothing.
    #expect(try await ids("paper", store, user) == [])
    #expect(try stand.number(settings) == 1)
  }

  @Test("X4: without sources of keys nothing is written of contents")
  func off() async throws {
    let (store, user) = try await open([:])
    try await list(#"{"id":"p","g":"k","v":true}"#, at: "paper", store, user)
    try await store.accept(stand.act(.dismiss, on: "p"), in: user)
    for table in ["content_copy", "content_mark"] {
      #expect(try stand.number("SELECT count(*) FROM \(table)") == 0)
    }
    let settings = "SELECT count(*) FROM setting WHERE name LIKE 'content keys %'"
    #expect(try stand.number(settings) == 0)
  }
}
