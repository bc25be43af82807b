import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import Foundation
import Testing

@testable import EngagementStore

/// Which items the ledger calls delivered.
@Suite(.timeLimit(.minutes(20))) struct DeliveredTests {
  private let stand: StoreStand
  private let store: Store
  private let user: Partition

  init() async throws {
    stand = try StoreStand()
    store = try await stand.open()
    user = try await store.partition(of: "u-1")
    _ = try await store.setConsent(.full, of: user)
  }

  private static let place = Feed(.cards, in: "home")

  private static func items(_ ids: [String]) -> [RawItem] {
    raw(ids.map { #"{"id":"\#($0)"}"# })
  }

  /// Commits that the feed lists the items.
  private func list(
    _ ids: String..., in feed: Feed = place, from provider: ProviderID = "paper",
    of user: Partition? = nil, at time: Date = StoreStand.start
  ) async throws {
    _ = try await store.commit(
      [.items(feed, .replace(.nothing), Self.items(ids))], from: provider, in: user ?? self.user,
      at: time)
  }

  private func delivered(after sequence: Int64 = 0) async throws -> [String] {
    try await store.ledger(after: sequence).filter { $0.kind == .delivered }
      .map { "\($0.item?.id.description ?? "") in \($0.item?.container?.rawValue ?? "none")" }
  }

  @Test("X14: an item is delivered once, in the commit that brings it")
  func once() async throws {
    try await list("a", "b")
    #expect(try await delivered() == ["paper/a in home", "paper/b in home"])
    try await list("b", "c", at: StoreStand.start + 60)
    #expect(try await delivered().dropFirst(2) == ["paper/c in home"])
    let last = try await store.newestSequence()
    try await list("a", "b", "c", at: StoreStand.start + 120)
    try await list("c", in: Feed(.cards, in: "side"))
    #expect(try await delivered(after: last) == [])
    let entry = try #require(try await store.entries(after: 0, limit: 1).first)
    #expect(entry.event.time == StoreStand.start && entry.event.provider == "paper")
    #expect(entry.recording == .init(time: StoreStand.start, uptime: .seconds(90)))
  }

  @Test("X14: each user, provider and surface has deliveries of its own")
  func apart() async throws {
    let other = try await store.partition(of: "u-2")
    _ = try await store.setConsent(.full, of: other)
    try await list("a")
    try await list("a", of: other)
    try await list("a", from: "other")
    #expect(
      try await delivered() == ["paper/a in home", "paper/a in home", "other/a in home"])
  }

  @Test("X14 X20: without consent nothing is recorded as delivered")
  func denied() async throws {
    _ = try await store.setConsent(.denied, of: user)
    try await list("a")
    #expect(try await delivered() == [])
  }

  @Test("X14: after a restart nothing is delivered again")
  func restart() async throws {
    try await list("a")
    try await list()
    let store = try await stand.open()
    _ = try await store.commit(
      [.items(Self.place, .replace(.nothing), Self.items(["a"]))], from: "paper", in: user,
      at: StoreStand.start)
    #expect(try await delivered() == ["paper/a in home"])
  }

  @Test("A4 X14: a purged user's items stay delivered; an erased user's do not")
  func leaving() async throws {
    try await list("a")
    _ = try await store.purge(user, at: StoreStand.start)
    let back = try await store.partition(of: "u-1")
    _ = try await store.setConsent(.full, of: back)
    try await list("a", "b", of: back)
    #expect(try await delivered() == ["paper/a in home", "paper/b in home"])
    _ = try await store.erase(back, at: StoreStand.start)
    #expect(try stand.number("SELECT count(*) FROM delivered") == 0)
    let again = try await store.partition(of: "u-1")
    _ = try await store.setConsent(.full, of: again)
    try await list("a", of: again)
    #expect(try await delivered() == ["paper/a in home"])
  }

  @Test("X14 G3: a commit that fails delivers nothing")
  func failure() async throws {
    await #expect(throws: EngagementError.self) {
      _ = try await store.commit(
        [
          .items(Self.place, .replace(.nothing), Self.items(["a"])),
          .items(Self.place, .replace(.nothing), Self.items(["a"])),
        ], from: "nobody", in: user, at: StoreStand.start)
    }
    #expect(try await delivered() == [])
    try await list("a")
    #expect(try await delivered() == ["paper/a in home"])
  }

  @Test("X14: what a vendor sent is kept with its delivery up to a size, where it is asked for")
  func payloads() async throws {
    let stand = try StoreStand(seed: 8)
    let store = try await stand.open(retention: LedgerRetention(maximumPayload: 60))
    let user = try await store.partition(of: "u-1")
    _ = try await store.setConsent(.full, of: user)
    let long = String(repeating: "x", count: 50)
    let items = raw([#"{"id":"a","n":1.50,"x":"é"}"#, #"{"id":"b","x":"\#(long)"}"#])
    for time in [0.0, 60] {
      _ = try await store.commit(
        [.items(Self.place, .replace(.nothing), items)], from: "paper", in: user,
        at: StoreStand.start + time)
    }
    let events = try await store.ledger().filter { $0.kind == .delivered }
    #expect(events.map { $0.item?.id.value } == ["a", "b"])
    #expect(events.map { $0.item?.container } == ["home", "home"])
    #expect(events[0].properties["payload"]?["x"] == "é")
    #expect(events[0].properties["payload"]?["n"]?.number == 1.5)
    #expect(events[1].properties == ["payloadBytes": 67])
    #expect(Set(events.map(\.id)).count == 2)
  }
}
