import EngagementAdapterAPI
import EngagementModel
import Foundation
import Testing

@testable import EngagementStore

@Suite(.timeLimit(.minutes(20))) struct PartitionTests {
  private let stand: StoreStand

  init() throws { stand = try StoreStand() }

  @Test("G13 X8: users differ by their id bytes and environment, and are found after a reopen")
  func apart() async throws {
    let store = try await stand.open()
    let staging = try await stand.open("staging")
    let users: [User] = [.anonymous, "u-1", "caf\u{e9}", "cafe\u{301}"]
    var found: Set<Partition.ID> = []
    for user in users {
      found.insert(try await store.partition(of: user).id)
      found.insert(try await staging.partition(of: user).id)
    }
    #expect(found.count == 8)
    let again = try await stand.open()
    for user in users {
      #expect(found.contains(try await again.partition(of: user).id))
      #expect(try await again.partition(of: user).user == user)
    }
    await #expect(throws: EngagementError.self) { _ = try await store.partition(of: "") }
  }

  @Test("the current user is stored per environment and survives a reopen")
  func present() async throws {
    let store = try await stand.open()
    #expect(try await store.presentUser() == .anonymous)
    try await store.setPresentUser("cafe\u{301}")
    #expect(try await stand.open().presentUser() == "cafe\u{301}")
    #expect(try await stand.open("staging").presentUser() == .anonymous)
    try await store.setPresentUser(.anonymous)
    #expect(try await stand.open().presentUser() == .anonymous)
  }

  @Test("X20: consent is stored per user", arguments: Consent.allCases)
  func consent(level: Consent) async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    try await store.setConsent(level, of: user)
    let again = try await stand.open()
    #expect(try await again.consent(of: user) == level)
    #expect(try await again.consent(of: again.partition(of: "u-2")) == .unknown)
    // A connection that has read the consent before sees the change.
    try await store.setConsent(.denied, of: user)
    #expect(try await again.consent(of: user) == .denied)
  }

  @Test("G3 X8: adopted rows keep key, id, batch and attempts, and other providers' rows stay")
  func adoption() async throws {
    let store = try await stand.open()
    let (anonymous, user) = (
      try await store.partition(of: .anonymous), try await store.partition(of: "u-1")
    )
    let both = stand.track(stand.event(.click, on: "a"), to: ["paper", "other"])
    try await store.accept(both, stand.act(.dismiss, on: "a"), in: anonymous)
    let before = try await store.waiting(in: anonymous)
    try await store.begin(before.map(\.id), as: before[0].id, waited: .seconds(1))
    #expect(try await store.adopt(anonymous, into: user, for: ["paper"]).hasNewRows)
    let after = try await store.waiting(in: user)
    #expect(after.map(\.key) == before.map(\.key))
    #expect(after.map(\.id) == before.map(\.id))
    #expect(after.map(\.work) == before.map(\.work))
    #expect(after.map(\.attempts) == [1, 1])
    #expect(after.map(\.batch) == [before[0].id, before[0].id])
    #expect(try await store.waiting(in: anonymous).isEmpty)
    #expect(try await store.waiting(for: "other", in: anonymous).count == 1)
    _ = try await store.commit(
      [.list([#"{"id":"a"}"#, #"{"id":"b"}"#])], from: "paper", in: user, at: StoreStand.start)
    #expect(try await store.visible(in: user) == ["b"])
    #expect(try await store.entries(after: 0, limit: 9, in: anonymous).count == 2)
    #expect(try await store.deliveryCounts()["paper"]?.accepted == 2)
  }

  @Test("wiping a user's outbox counts every row as wiped")
  func wiped() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    let both = stand.track(stand.event(.click, on: "a"), to: ["paper", "other"])
    try await store.accept(both, in: user)
    #expect(try await store.wipeOutbox(of: user, at: StoreStand.start).ended.count == 2)
    #expect(try await store.pendingCounts(in: user).isEmpty)
    #expect(try await store.deliveryCounts().values.allSatisfy { $0.wiped == 1 && $0.isConserved })
  }

  @Test("X21: an export names the record of each object, without vendor handles")
  func held() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    var person = Person("p-1", provider: "paper", vendor: "paper")
    person.email = "u-1@example.com"
    _ = try await store.commit(
      [.list([#"{"id":"a"}"#]), .person(person), .keep(.user, "mark", "7")], from: "paper",
      in: user, at: StoreStand.start)
    try await store.accept(stand.act(.click, on: "a"), in: user)
    let held = try await store.held(for: user)
    let records = held.compactMap { $0["record"]?.string }
    #expect(
      records == [
        "user", "consent", "person", "value", "feed", "card", "overlay", "event", "event",
        "event", "pending",
      ])
    #expect(held.allSatisfy { $0["detail"]?["item"]?["handle"] == nil })
    let other = try await store.partition(of: "u-2")
    #expect(try await store.held(for: other).count == 2)
  }
}
