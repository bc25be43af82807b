import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import Foundation
import Testing

@testable import EngagementStore

private let adapters: [ProviderID: any EngagementAdapter] = ["paper": PaperAdapter()]
private let feed = Feed(.cards, in: "home")
private let key = FeedKey("paper", feed)

private func items(_ range: Range<Int>, ended: Int = 0) -> [RawItem] {
  range.map { id in
    let end = id < ended ? #","e":1000"# : ""
    let text = #"{"id":"c-\#(id)","x":"title \#(id)"\#(end)}"#
    return RawItem(index: id, bytes: Array(text.utf8)[...])
  }
}

@Suite struct StoreReaderTests {
  // The suite holds the folder, so that it outlives the files that a test opens in it.
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func store() async throws -> Store {
    try await Store.open(
      Store.Options(path: scratch.path(), adapters: adapters), at: Scratch.noon)
  }

  private func reader() throws(EngagementError) -> StoreReader {
    try StoreReader(path: scratch.path(), adapters: adapters)
  }

  @Test("X6: a reader sees committed cards without waiting for the write lock")
  func cards() async throws {
    let store = try await store()
    let partition = try await store.partition(of: "u-1", at: Scratch.noon)
    var reader = try reader()
    var lock = try SideLock(at: scratch.path() + ".lock")
    for count in [30, 50] {
      _ = try await store.commit(
        [.items(feed, .replace(Retention()), items(0..<count))], from: "paper",
        in: partition, at: Scratch.noon)
      try lock.acquire(within: .zero)
      let found = try reader.partition(of: "u-1", in: "production")
      #expect(found == partition)
      let view = try await store.cards(in: key, of: partition, at: Scratch.noon)
      #expect(view.items.count == count)
      for limit in [0, 1, 7, count, 99] {
        let cards = try reader.firstCards(limit, in: key, of: partition, at: Scratch.noon)
        #expect(cards == Array(view.items.prefix(limit)), "\(limit) of \(count)")
      }
      lock.release()
    }
    let stranger = try reader.partition(of: "u-2", in: "production")
    #expect(stranger == nil)
  }

  @Test("a reader skips expired and dismissed cards across pages")
  func hidden() async throws {
    let store = try await store()
    let partition = try await store.partition(of: "u-1", at: Scratch.noon)
    _ = try await store.commit(
      [.items(feed, .replace(Retention()), items(0..<60, ended: 20))], from: "paper",
      in: partition, at: Scratch.noon)
    let marks = (20..<45).map { id in
      Intent(mark: Intent.Mark(.dismiss, on: ItemReference(ItemID("paper", "c-\(id)"), on: .cards)))
    }
    _ = try await store.accept(marks, in: partition, at: Scratch.noon)
    var reader = try reader()
    let cards = try reader.firstCards(5, in: key, of: partition, at: Scratch.noon)
    #expect(cards.map(\.id.value) == (45..<50).map { "c-\($0)" })
  }

  @Test("a reader counts rows and reads the ledger")
  func rows() async throws {
    let store = try await store()
    let partition = try await store.partition(of: "u-1", at: Scratch.noon)
    let event = EngagementEvent(id: "e-1", kind: .custom, time: Scratch.noon, name: "a")
    let delivery = Intent.Delivery(to: "paper", .event(event), key: OperationKey(1, 2))
    _ = try await store.accept(
      [Intent(event: event, deliveries: [delivery])], in: partition, at: Scratch.noon)
    var reader = try reader()
    let deliveryCounts = try reader.deliveryCounts()
    #expect(deliveryCounts["paper"]?.pending == 1)
    let entries = try reader.entries(after: 0, limit: 10)
    #expect(entries.map(\.event.id) == ["e-1"])
    let later = try reader.entries(after: try #require(entries.last).event.sequence, limit: 10)
    #expect(later.isEmpty)
  }

  @Test("a reader refuses a missing cache and an older schema, and creates no file")
  func missing() throws {
    #expect(failure { () throws(EngagementError) in _ = try reader() }?.code == .notFound)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path).isEmpty)
    _ = try scratch.notes()
    #expect(failure { () throws(EngagementError) in _ = try reader() }?.code == .unavailable)
  }
}
