import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import Foundation
import TestSupport
import Testing

@testable import EngagementStore

@Suite(.timeLimit(.minutes(20))) struct EraseTests {
  private let stand: StoreStand

  init() throws { stand = try StoreStand() }

  /// The sizes decide how SQLite moves rows between pages, and so what it leaves in their unused room.
  @Test(
    "G14 X21: an erased user leaves no byte in any file, and other users lose nothing",
    arguments: [2, 6, 8, 13, Effort.share(of: 40)])
  func canaries(rounds: Int) async throws {
    let store = try await stand.open()
    let gone = try await store.partition(of: "canary-user")
    let stays = try await store.partition(of: "u-2")
    try await store.setPresentUser("canary-user")
    for round in 0..<rounds {
      for (user, word) in [(gone, "canary"), (stays, "keeper")] {
        try await fill(store, user, word, round)
      }
    }
    #expect(try occurrences(of: "canary") > 0)
    let kept = try await store.held(for: stays)
    let report = try await store.erase(gone, at: StoreStand.start)
    #expect(!report.ended.isEmpty)
    #expect(report.ended.allSatisfy { $0.ending == .wiped })
    #expect(try await !store.endErasure())
    #expect(try occurrences(of: "canary") == 0)
    #expect(try await store.held(for: stays) == kept)
    #expect(try await store.presentUser() == .anonymous)
    #expect(try await store.check().isSound)
    #expect(try await store.erase(gone, at: StoreStand.start) == CommitReport())
  }

  @Test("G13: late changes for an erased user are refused, and the partition id is not reused")
  func late() async throws {
    let store = try await stand.open()
    let gone = try await store.partition(of: "u-1")
    _ = try await store.erase(gone, at: StoreStand.start)
    let next = try await store.partition(of: "u-2")
    #expect(next.id != gone.id)
    await #expect(throws: EngagementError.self) {
      _ = try await store.commit(
        [.keep(.user, "mark", "1")], from: "paper", in: gone, at: StoreStand.start)
    }
    await #expect(throws: EngagementError.self) {
      try await store.accept(stand.act(.click, on: "a"), in: gone)
    }
    #expect(try await store.partition(of: "u-1").id != gone.id)
  }

  @Test(
    "G14: an erasure ends with `busy` while a reader holds the log, and well once the reader is done"
  )
  func heldUp() async throws {
    let store = try await stand.open(wait: .milliseconds(50))
    let gone = try await store.partition(of: "canary-user")
    try await fill(store, gone, "canary", 0)
    do {
      let reader = try Database.open(
        at: stand.scratch.path(), mode: .readOnly, newestSchema: Schema.migrations.newest)
      try reader.connection.execute("BEGIN; SELECT count(*) FROM ledger")
      #expect(try await !store.beginErasure())
      _ = try await store.erase(gone, at: StoreStand.start)
      await #expect {
        _ = try await store.endErasure()
      } throws: {
        ($0 as? EngagementError)?.code == .busy
      }
      try reader.connection.execute("COMMIT")
    }
    #expect(try await store.beginErasure(), "the first has not ended")
    _ = try await store.endErasure()
    #expect(try occurrences(of: "canary") == 0)
    #expect(try await !store.beginErasure())
  }

  private func fill(
    _ store: Store, _ user: Partition, _ word: String, _ round: Int
  ) async throws {
    let names = (0..<8).map { "\(word)-\(round)-\($0)" }
    let padding = String(repeating: "\(word) ", count: 10 + round * 7)
    let cards = names.map { #"{"id":"\#($0)","x":"\#(padding)"}"# }
    var person = Person("\(word)-key", provider: "paper", vendor: "paper")
    person.email = "\(word)@example.com"
    _ = try await store.commit(
      [
        .put(cards), .person(person), .keep(.user, "\(word)-name", padding),
        .throttled("inbox", until: StoreStand.start),
      ], from: "paper", in: user, at: StoreStand.start)
    var intents = names.map { stand.act(.click, on: $0) }
    intents.append(stand.track(stand.event(.custom, on: nil, ["note": .string(padding)])))
    _ = try await store.accept(intents, in: user, at: StoreStand.start)
    let rows = try await store.ids(in: user)
    _ = try await store.end(
      [rows[0]], .rejected(EngagementError(.invalidArgument, "\(word) is refused")))
    _ = try await store.end([rows[1]], .delivered)
  }

  @Test("X21 G14: an export lists everything about a user once, and an erase removes all of it")
  func everything() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "canary-user")
    try await store.setPresentUser("canary-user")
    try await fillEverything(store, user)
    let held = try await store.held(for: user)
    let text = held.map { String(decoding: JSON.object($0).encoded(), as: UTF8.self) }
      .joined(separator: "\n")
    let words = [
      "user", "plain", "dismissed", "vendor-dismissed", "snoozed", "ended", "control", "home",
      "other", "filter", "message", "campaign", "note", "mark-name", "mark-value", "email",
      "refused", "unknown-provider",
    ]
    for word in words { #expect(text.contains("canary-\(word)"), "\(word) is not in the export") }
    let records = Set(held.compactMap { $0["record"]?.string })
    #expect(
      records == [
        "user", "consent", "person", "metrics", "value", "throttle", "feed", "card", "message",
        "campaign", "item", "overlay", "quarantined", "event", "pending", "rejected",
      ])
    let cards = held.filter { $0["record"] == "card" }
    #expect(cards.count == 6)
    #expect(Set(cards.compactMap { $0["id"]?.string }).count == 6)
    let plain = try #require(cards.first { $0["id"] == "canary-plain" })
    #expect(plain["containers"] == ["canary-home", "canary-other"])
    #expect(cards.count { $0["dismissed"] == true } == 2)
    let store2 = try await stand.open()
    #expect(
      try await store2.held(for: user) == held, "the export is the same from disk and from memory")
    _ = try await store.erase(user, at: StoreStand.start)
    _ = try await store.endErasure()
    #expect(try occurrences(of: "canary") == 0)
  }

  /// Writes data into every table, and an item in each state that hides it.
  private func fillEverything(_ store: Store, _ user: Partition) async throws {
    var person = Person("p-1", provider: "paper", vendor: "paper")
    person.email = "canary-email@example.com"
    let cards = [
      #"{"id":"canary-plain"}"#, #"{"id":"canary-dismissed"}"#,
      #"{"id":"canary-vendor-dismissed","d":true}"#, #"{"id":"canary-snoozed"}"#,
      #"{"id":"canary-ended","e":1000}"#, #"{"id":"canary-control","w":true}"#, #"{"x":1}"#,
    ].enumerated().map { RawItem(index: $0, bytes: Array($1.utf8)[...]) }
    let (home, other) = (Feed(.cards, in: "canary-home"), Feed(.cards, in: "canary-other"))
    let filter = try CardFilter(
      field: .cardID, operator: .equal, values: [.string("canary-filter")])
    let filtered = Feed(.cards, in: "canary-home", matching: [filter])
    func item(_ id: String) -> [RawItem] {
      [RawItem(index: 0, bytes: Array(#"{"id":"\#(id)","x":"a"}"#.utf8)[...])]
    }
    _ = try await store.commit(
      [
        .items(home, .replace(.nothing), cards), .items(other, .put, [cards[0]]),
        .items(filtered, .put, [cards[0]]), .items(.inbox, .put, item("canary-message")),
        .items(.campaigns, .put, item("canary-campaign")), .person(person),
        .metrics(CardMetrics(active: 1, unseen: [])),
        .keep(.user, "canary-mark-name", "canary-mark-value"),
        .throttled("inbox", until: StoreStand.start),
      ], from: "paper", in: user, at: StoreStand.start)
    _ = try await store.commit(
      [.items(.cards, .put, item("canary-unknown-provider"))], from: "other", in: user,
      at: StoreStand.start)
    try stand.tamper("UPDATE source SET provider = 'gone' WHERE provider = 'other'")
    try stand.resealGone(user)
    try await store.accept(
      stand.act(.dismiss, on: "canary-dismissed"),
      stand.act(.snooze(seconds: 600), on: "canary-snoozed"),
      stand.track(stand.event(.custom, on: nil, ["note": "canary-note"])),
      stand.track(stand.event(.custom, on: nil, ["note": "canary-refused"])), in: user)
    let last = try #require(try await store.ids(in: user).last)
    _ = try await store.end([last], .rejected(EngagementError(.invalidArgument, "no")))
  }

  private func occurrences(of word: String) throws -> Int {
    let files = try FileManager.default.contentsOfDirectory(atPath: stand.scratch.folder.path)
    return try files.filter { try stand.scratch.bytes($0).range(of: Data(word.utf8)) != nil }.count
  }
}
