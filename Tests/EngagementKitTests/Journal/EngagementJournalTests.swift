import EngagementAdapterAPI
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

/// A vendor that takes custom events and recognizes pushes with its name as a key.
private let vendor: PuppetAdapter = {
  var adapter = PuppetAdapter(
    "braze", abilities: PuppetAdapter.able.merging([.events: .request]) { $1 })
  adapter.capabilities.eventKinds = [.custom]
  adapter.onPush = { push, context in
    guard let id = push["braze"]?.string else { return nil }
    return Received(
      PushNotification(vendor: "puppet"),
      changes: [
        .items(.cards, .put, [RawCard(id).item]), .keep(.installation, "device", "of a push"),
        .keep(.user, "mark", id),
      ],
      operations: [.vendor("welcome", .string(id))])
  }
  return adapter
}()

extension Stage.Place {
  fileprivate func journal() throws(EngagementError) -> EngagementJournal {
    try EngagementJournal(cache: cache, clock: clock, random: random)
  }

  fileprivate var journalFile: URL { URL(filePath: path + ".journal") }
}

extension Stage {
  /// The ledger's events of the kind, for all users.
  func recorded(_ kind: EngagementEvent.Kind) async throws -> [EngagementEvent] {
    try await engagement.dependencies.store.entries(after: 0, limit: 10_000).map(\.event)
      .filter { $0.kind == kind }
  }

  fileprivate func names(of user: User) async throws -> [String] {
    try await waiting(for: "braze", of: user).compactMap { work in
      if case .event(let event) = work { event.name } else { nil }
    }
  }
}

@Suite("extension journal", .timeLimit(.minutes(20))) struct EngagementJournalTests {
  private let place = Stage.Place()

  /// A stage with a signed-in user, full consent, the cards a and b, and no pending rows.
  private func stage(_ user: User = "u-1") async throws -> Stage {
    let stage = try await Stage([vendor], at: place) { _ in .json(200, #"["a","b"]"#) }
    try await stage.signIn(user)
    try await stage.engagement.setConsent(.full)
    _ = await stage.engagement.refresh(.cards(in: "home"))
    await stage.drain("braze")
    return stage
  }

  /// Writes one entry of each kind.
  private func leave(of user: UserID? = nil, _ id: String = "pushed") throws {
    let journal = try place.journal()
    try journal.received(["braze": .string(id)], of: user)
    try journal.track("opened \(id)", ["n": 1], of: user)
    try journal.perform(.dismiss, on: ItemID("braze", "a"), of: user)
  }

  private func isDone(_ stage: Stage, at time: Date) async throws {
    let cards = stage.engagement.cards(in: "home").cards.map(\.id.value)
    #expect(cards.sorted() == ["b", "pushed"])
    let waiting = try await stage.waiting(for: "braze", of: "u-1")
    #expect(waiting.count == 3)
    #expect(waiting.first == .operation(.vendor("welcome", .string("pushed"))))
    #expect(try await stage.names(of: "u-1") == ["opened pushed"])
    for kind: EngagementEvent.Kind in [.receive, .custom, .dismiss] {
      let events = try await stage.recorded(kind)
      #expect(events.count == 1)
      #expect(events.first?.time == time, "the time of the extension's entry")
    }
    #expect(try await stage.recorded(.outboxDropped).isEmpty)
    #expect(try Data(contentsOf: place.journalFile).isEmpty)
  }

  @Test("X6 G1: entries written while the application is closed are applied once when it opens")
  func opening() async throws {
    try await self.stage().end()
    let time = place.clock.now
    try leave()
    place.clock.advance(by: .seconds(3600))
    for _ in 0..<2 {
      let stage = try await Stage([vendor], at: place)
      try await isDone(stage, at: time)
      try await stage.end()
    }
  }

  @Test("X6: entries written during suspend are applied at resume and delivered")
  func resuming() async throws {
    let stage = try await stage()
    try await stage.engagement.suspend()
    let time = place.clock.now
    try leave()
    place.clock.advance(by: .seconds(60))
    try await stage.engagement.resume()
    try await isDone(stage, at: time)
    stage.transport.forget()
    await stage.drain("braze")
    #expect(try await stage.engagement.pendingCounts.values.reduce(0, +) == 0)
    #expect(stage.asked.allSatisfy { $0.hasSuffix("user=u-1") } && stage.asked.count == 3)
    try await stage.end()
  }

  @Test(
    "G13: entries written before a user switch belong to the former user and are sent for that user"
  )
  func switching() async throws {
    let stage = try await stage()
    stage.transport.forget()
    try leave()
    try await stage.signIn("u-2")
    #expect(stage.asked.count == 3 && stage.asked.allSatisfy { $0.hasSuffix("user=u-1") })
    try await stage.engagement.setConsent(.full)
    try leave(of: nil, "second")
    _ = try await stage.engagement.signOut(undelivered: .keep)
    #expect(try await stage.kept("braze", for: "u-1").contains("pushed"))
    #expect(try await stage.kept("braze", for: "u-2") == ["second"])
    #expect(try await stage.kept("braze", for: .anonymous).isEmpty)
    try await stage.end()
  }

  @Test("G13: an entry that names a user goes to that user, or is dropped and counted if unknown")
  func named() async throws {
    let stage = try await stage()
    try await stage.signIn("u-2")
    try await stage.engagement.setConsent(.full)
    try await stage.engagement.suspend()
    try leave(of: "u-1")
    try leave(of: "u-9")
    try await stage.engagement.resume()
    #expect(stage.engagement.cards(in: "home").cards.isEmpty)
    #expect(try await stage.waiting(for: "braze", of: "u-2").isEmpty)
    #expect(try await stage.kept("braze", for: "u-1").sorted() == ["b", "pushed"])
    #expect(try await stage.names(of: "u-1") == ["opened pushed"])
    let memory = try await stage.memory(of: "braze", for: "u-1")
    #expect(memory.values[.user, "mark"] == "pushed")
    #expect(
      memory.values[.installation, "device"] == nil,
      "a former user's push changes no installation value")
    #expect(try await stage.engagement.dependencies.store.knownPartition(of: "u-9") == nil)
    let dropped = try await stage.recorded(.outboxDropped)
    #expect(dropped.map(\.properties) == [["reason": "journal", "count": 3]])
    try await stage.end()
  }

  @Test("an entry that cannot be applied is dropped and counted")
  func impossible() async throws {
    let stage = try await stage()
    try await stage.engagement.suspend()
    let journal = try place.journal()
    try journal.perform(.dismiss, on: ItemID("braze", "gone"))
    try journal.perform(.delete, on: ItemID("braze", "a"))
    try journal.perform(.dismiss, on: ItemID("nobody", "a"))
    try journal.received(["aps": [:]])
    try journal.track("kept")
    try await stage.engagement.resume()
    #expect(try await stage.names(of: "u-1") == ["kept"])
    #expect(try await stage.waiting(for: "braze", of: "u-1").count == 1)
    #expect(try await stage.recorded(.outboxDropped).first?.properties["count"] == 4)
    try await stage.end()
  }

  @Test("X20: under denied consent the kit discards the journal's entries")
  func denied() async throws {
    let stage = try await stage()
    try await stage.engagement.setConsent(.denied)
    let before = try await stage.waiting(for: "braze", of: "u-1")
    try await stage.engagement.suspend()
    try leave()
    try await stage.engagement.resume()
    #expect(try await stage.waiting(for: "braze", of: "u-1") == before)
    #expect(try await !stage.kept("braze", for: "u-1").contains("pushed"))
    for kind: EngagementEvent.Kind in [.receive, .custom, .dismiss] {
      #expect(try await stage.recorded(kind).isEmpty)
    }
    #expect(try Data(contentsOf: place.journalFile).isEmpty)
    try await stage.end()
  }

  @Test("G9: a damaged last entry is lost alone, counted and logged")
  func damaged() async throws {
    let stage = try await stage()
    try await stage.engagement.suspend()
    try leave()
    let whole = try Data(contentsOf: place.journalFile)
    try place.journal().track("torn")
    let torn = try Data(contentsOf: place.journalFile)
    try torn.prefix(whole.count + 30).write(to: place.journalFile)
    try await stage.engagement.resume()
    #expect(try await stage.names(of: "u-1") == ["opened pushed"])
    #expect(try await stage.recorded(.outboxDropped).first?.properties["count"] == 1)
    #expect(stage.lines.all.contains { $0.level == .warning && $0.message.contains("journal") })
    try await stage.end()
  }

  @Test("X21 G14: an export includes journal entries, and an erasure removes every byte of them")
  func erased() async throws {
    let stage = try await stage("canary-user")
    try leave(of: "canary-user", "canary-of-a-push")
    #expect(try place.holds("canary-of-a-push"))
    let held = try await stage.engagement.exportData(of: "canary-user")
    #expect(held.contains { $0["id"]?.string == "canary-of-a-push" })
    try leave(of: "canary-user", "canary-of-another")
    _ = try await stage.engagement.eraseData(of: "canary-user")
    #expect(try !place.holds("canary"))
    try leave(of: "canary-user", "canary-of-a-third")
    try await stage.signIn("u-2")
    #expect(try !place.holds("canary"))
    #expect(try await stage.engagement.dependencies.store.knownPartition(of: "canary-user") == nil)
    try await stage.end()
  }

  @Test("a journal that another process holds blocks a change of user")
  func held() async throws {
    let stage = try await stage()
    try leave(of: "u-1", "read")
    let other = open(place.journalFile.path, O_RDWR)
    #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
    #expect(await failure { try await stage.signIn("u-2") }?.code == .busy)
    #expect(stage.engagement.user == "u-1")
    close(other)
    try await stage.signIn("u-2")
    try await stage.end()
  }

  @Test("G9: a folder in the journal's place is set aside, and the loss is told")
  func replaced() async throws {
    try await self.stage().end()
    try? FileManager.default.removeItem(at: place.journalFile)
    try FileManager.default.createDirectory(
      at: place.journalFile, withIntermediateDirectories: false)
    let stage = try await Stage([vendor], at: place)
    #expect(stage.engagement.user == "u-1")
    #expect(stage.lines.all.contains { $0.message.contains("journal") })
    let held = try await stage.engagement.exportData(of: "u-1")
    #expect(held.count { $0["kind"] == "outbox.dropped" } == 1, "the loss is in the books")
    try await stage.signIn("u-2")
    try await stage.end()
  }

  @Test("the journal refuses invalid input at once and creates no file")
  func refused() throws {
    let journal = try place.journal()
    func code(_ body: () throws(EngagementError) -> Void) -> EngagementError.Code? {
      do throws(EngagementError) {
        try body()
        return nil
      } catch {
        return error.code
      }
    }
    #expect(code { () throws(EngagementError) in try journal.track("") } == .invalidArgument)
    #expect(
      code { () throws(EngagementError) in try journal.track("a", ["n": .number(.nan)]) }
        == .invalidArgument)
    #expect(
      code { () throws(EngagementError) in try journal.track("a", of: "") } == .invalidArgument)
    #expect(
      code { () throws(EngagementError) in
        try journal.perform(.snooze(seconds: -1), on: ItemID("braze", "a"))
      } == .invalidArgument)
    #expect(
      code { () throws(EngagementError) in _ = try EngagementJournal(cache: .temporary) }
        == .invalidConfiguration)
    #expect(!FileManager.default.fileExists(atPath: place.folder.path))
  }
}

/// A clock that kills its process after a number of reads.
private struct KillingClock: EngagementClock {
  let left: Locked<Int>
  let inner = TestClock()

  var now: Date {
    let isOver = left.withLock { left in
      left -= 1
      return left < 0
    }
    if isOver { kill(getpid(), SIGKILL) }
    return inner.now
  }

  var uptime: Duration { inner.uptime }
  func sleep(until uptime: Duration) async { await inner.sleep(until: uptime) }
}

@Suite("a kill while the journal is applied", .timeLimit(.minutes(20))) struct KilledFoldTests {
  @Test("G1 G2: a kill at any point leaves each entry applied exactly once", arguments: 0..<12)
  func killed(count: Int) async throws {
    let place = Stage.Place()
    let first = try await Stage([vendor], at: place) { _ in .json(200, #"["a","b"]"#) }
    try await first.engagement.setConsent(.full)
    _ = await first.engagement.refresh(.cards(in: "home"))
    try await first.end()
    let journal = try place.journal()
    for number in 0..<5 {
      try journal.track("n-\(number)")
      try journal.received(["braze": .string("p-\(number)")])
    }
    try journal.perform(.dismiss, on: ItemID("braze", "a"))
    let before = try Data(contentsOf: place.journalFile)
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = place.path as String, count] in
      _ = try await Engagement.open(
        cache: .file(path), device: .test, transport: ScriptedTransport(Stage.empty),
        providers: ["braze": vendor],
        routes: Routes(cards: .only("braze"), inbox: .none),
        options: Options(
          environment: "test", secrets: MemorySecretStore(),
          clock: KillingClock(left: Locked(count))))
      kill(getpid(), SIGKILL)
    }
    // Restores the entries, as if the kill had come before the journal was emptied.
    let isEmptied = try Data(contentsOf: place.journalFile).isEmpty
    if isEmptied { try before.write(to: place.journalFile) }
    let stage = try await Stage([vendor], at: place)
    #expect(try await stage.names(of: .anonymous) == (0..<5).map { "n-\($0)" })
    #expect(try await stage.waiting(for: "braze", of: .anonymous).count == 11)
    #expect(try await stage.recorded(.receive).count == 5)
    #expect(try await stage.recorded(.dismiss).count == 1)
    let cards = try await stage.kept("braze", for: .anonymous)
    #expect(cards.sorted() == ["b"] + (0..<5).map { "p-\($0)" })
    let tally = try await stage.engagement.dependencies.store.deliveryCounts()["braze"]
    #expect(tally?.isConserved == true && tally?.accepted == 11)
    try await stage.end()
  }
}
