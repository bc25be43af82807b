import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import Foundation
import Testing

@testable import EngagementStore

@Suite(.timeLimit(.minutes(20))) struct LedgerTests {
  private let stand: StoreStand

  init() throws { stand = try StoreStand() }

  private static let fullest: EngagementEvent = {
    var event = EngagementEvent(
      id: "an id of its own", kind: "custom", time: StoreStand.start, zoneOffset: -3_600,
      session: "s", provider: "paper", item: StoreStand.item("é\u{1F600}", "other"), name: "n\"",
      properties: ["list": [1, 2.5, .null, true], "text": "\u{7}\u{301}"])
    event.sequence = 42
    return event
  }()
  private static let plainest = EngagementEvent(
    id: "0198c0de-0000-7000-8000-000000000001", kind: "launch",
    time: Date(timeIntervalSince1970: -1.5))
  private static let sixteen = EngagementEvent(
    id: "sixteen bytes it", kind: "é", time: StoreStand.start, item: StoreStand.item(""))

  @Test(
    "the body of a ledger row is the event's stored JSON, byte for byte",
    arguments: [fullest, plainest, sixteen])
  func body(event: EngagementEvent) throws {
    #expect(try event.storedBody() == event.storedJSON.encoded())
  }

  @Test(
    "an event id survives its stored form, whether or not it is a UUID",
    arguments: [
      "0198c0de-0000-7000-8000-000000000001", "0198C0DE-0000-7000-8000-000000000001",
      "sixteen bytes it", "short", "", "fifteen bytes i", "seventeen bytes it",
    ])
  func identity(text: String) {
    let id = EventID(text)
    #expect(EventID(stored: id.stored) == id)
  }

  @Test("a recorded event is read back once, unchanged except for its item's handle")
  func back() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    let events = [Self.fullest, Self.plainest, Self.sixteen]
    let recorded = try await store.record(events, in: user)
    #expect(recorded.map(\.sequence) == [1, 2, 3])
    #expect(try await store.record(events, in: user) == recorded)
    #expect(try await stand.open().ledger() == recorded.map(\.withoutHandle))
  }

  @Test("G19: sequence numbers have no gap where some of many events were recorded before")
  func known() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    let events = (0..<50).map { number in
      EngagementEvent(
        id: EventID("event \(number)"), kind: "custom", time: StoreStand.start,
        properties: ["number": .integer(Int64(number))])
    }
    let known = [events[3], events[30]]
    #expect(try await store.record(known, in: user).map(\.sequence) == [1, 2])
    let recorded = try await store.record(events, in: user)
    var next: Int64 = 2
    let expected = events.map { event -> Int64 in
      if let place = known.firstIndex(where: { $0.id == event.id }) { return Int64(place) + 1 }
      next += 1
      return next
    }
    #expect(recorded.map(\.sequence) == expected)
    #expect(Set(try await store.ledger().map(\.id)) == Set(events.map(\.id)))
    #expect(try await store.ledger().map(\.sequence) == Array(1...50))
  }

  @Test("G19: sequence numbers keep increasing across restarts, erasures and failures")
  func sequences() async throws {
    var last: Int64 = 0
    for round in 0..<4 {
      let store = try await stand.open()
      let user = try await store.partition(of: User(UserID("u-\(round)")))
      let recorded = try await store.record([stand.event(), stand.event()], in: user)
      #expect(recorded[0].sequence > last && recorded[1].sequence > recorded[0].sequence)
      last = recorded[1].sequence
      await #expect(throws: EngagementError.self) {
        _ = try await store.record([stand.event(.custom, on: nil, ["a": "\u{0}"])], in: user)
      }
      if round % 2 == 0 { _ = try await store.erase(user, at: StoreStand.start) }
    }
  }

  @Test("the ledger is read page by page, for all users or for one", arguments: [1, 3, 100])
  func pages(size: Int) async throws {
    let store = try await stand.open()
    let users = [try await store.partition(of: "u-1"), try await store.partition(of: "u-2")]
    for number in 0..<10 { _ = try await store.record([stand.event()], in: users[number % 2]) }
    for user in [nil, users[1]] {
      var seen: [Int64] = []
      while true {
        let page = try await store.entries(after: seen.last ?? 0, limit: size, in: user)
        #expect(page.count <= size)
        #expect(user == nil || page.allSatisfy { $0.partition == user?.id })
        if page.isEmpty { break }
        seen += page.map(\.event.sequence)
      }
      #expect(seen == (1...10).filter { user == nil || $0 % 2 == 0 })
    }
  }
}
