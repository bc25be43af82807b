import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

@Suite("running an engagement", .timeLimit(.minutes(20))) struct RunningTests {
  private func run(_ engagement: Engagement) async -> EngagementError.Code? {
    await failure { try await engagement.run() }?.code
  }

  @Test(
    "X7: run delivers accepted operations and returns cleanly when cancelled")
  func delivers() async throws {
    let stage = try await Stage([PuppetAdapter("braze")])
    let running = Task { await run(stage.engagement) }
    try await stage.signIn("u-1")
    let receipt = try await stage.engagement.associate("person-1")
    #expect(try await receipt.outcome() == .delivered)
    #expect(stage.asked == ["POST /person.associate?user=u-1"])
    running.cancel()
    #expect(await running.value == nil)
    try await stage.end()
  }

  @Test("run refuses a second call, pauses during suspend and ends at close")
  func life() async throws {
    let stage = try await Stage([PuppetAdapter("braze")])
    let running = Task { await run(stage.engagement) }
    await stage.clock.sleepers(1)
    #expect(await run(stage.engagement) == .busy)
    try await stage.engagement.suspend()
    #expect(stage.clock.sleeping == 0, "no timer runs while the engagement is suspended")
    try await stage.engagement.resume()
    let receipt = try await stage.engagement.associate("person-1")
    #expect(try await receipt.outcome() == .delivered)
    try await stage.engagement.close()
    #expect(await running.value == nil)
    #expect(await run(stage.engagement) == .conflict)
    try await stage.engagement.close()
  }

  /// A stage whose first row is being sent to a vendor that answers when it is told to.
  private func sending(
    until answered: AsyncSignal, then answer: @escaping ScriptedTransport.Script
  ) async throws -> (stage: Stage, receipt: Engagement.Receipt, running: Task<Void, any Error>) {
    let asked = AsyncSignal()
    let stage = try await Stage([PuppetAdapter("braze")]) { (request) throws(EngagementError) in
      asked.fire()
      await answered.wait(after: 0)
      return try await answer(request)
    }
    let running = Task { try await stage.engagement.run() }
    try await stage.signIn("u-1")
    let receipt = try await stage.engagement.associate("person-1")
    await asked.wait(after: 0)
    return (stage, receipt, running)
  }

  @Test("G3: a process that ends lets the request under way be answered, and sends nothing new")
  func ending() async throws {
    let (answered, isClosed) = (AsyncSignal(), Locked(false))
    let (stage, first, running) = try await sending(until: answered, then: Stage.empty)
    let closing = Task {
      try await stage.engagement.close(within: .seconds(2))
      isClosed.withLock { $0 = true }
    }
    let second = try await stage.engagement.associate("person-2")
    try await Task.sleep(for: .milliseconds(50))
    let wasClosed = isClosed.withLock(\.self)
    #expect(!wasClosed, "the vendor has not answered")
    answered.fire()
    try await closing.value
    #expect(first.outcomes == ["braze": .delivered])
    #expect(second.outcomes.isEmpty && stage.transport.requests.count == 1)
    try await running.value
  }

  @Test(
    "G3: a flush that is cancelled lets the request under way be answered, and sends nothing new")
  func cancelledFlush() async throws {
    let gate = Gate()
    let stage = try await Stage([PuppetAdapter("braze")]) { _ throws(EngagementError) in
      await gate.pass()
      if Task.isCancelled { throw EngagementError(.cancelled, "It was cut off.") }
      return .json(200, "[]")
    }
    try await stage.signIn("u-1", consent: .full)
    let first = try await stage.engagement.associate("person-1")
    let flushing = Task { try await stage.engagement.flush(within: .seconds(60)) }
    await gate.isHolding(1)
    let second = try await stage.engagement.associate("person-2")
    flushing.cancel()
    try await Task.sleep(for: .milliseconds(50))
    gate.open()
    _ = await flushing.result
    #expect(first.outcomes == ["braze": .delivered])
    #expect(second.outcomes.isEmpty && stage.transport.requests.count == 1)
    try await stage.end()
    for _ in 0..<1_000 where stage.clock.sleeping > 0 {
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(stage.clock.sleeping == 0, "nothing of the flush waits any longer")
  }

  @Test("a flush that is cancelled waits for a vendor no longer than a moment")
  func cancelledFlushWithoutAnswer() async throws {
    let gate = Gate()
    let stage = try await Stage([PuppetAdapter("braze")]) { _ throws(EngagementError) in
      await withTaskCancellationHandler {
        await gate.pass()
      } onCancel: {
        gate.open()
      }
      throw EngagementError(.cancelled, "It was cut off.")
    }
    try await stage.signIn("u-1", consent: .full)
    let receipt = try await stage.engagement.associate("person-1")
    let isDone = Locked(false)
    let flushing = Task {
      _ = try? await stage.engagement.flush(within: .seconds(36_000))
      isDone.withLock { $0 = true }
    }
    await gate.isHolding(1)
    flushing.cancel()
    let start = stage.clock.uptime
    while !isDone.withLock(\.self) {
      stage.clock.advance(by: .milliseconds(100))
      try await Task.sleep(for: .milliseconds(1))
    }
    #expect(stage.clock.uptime - start < .seconds(36_000))
    #expect(receipt.outcomes.isEmpty)
    try await stage.end()
  }

  @Test("a process that ends waits no longer for a vendor than it is told to")
  func endingWithoutAnswer() async throws {
    let (stage, receipt, running) = try await sending(until: AsyncSignal()) {
      _ throws(EngagementError) in throw EngagementError(.cancelled, "It was cut off.")
    }
    let isClosed = Locked(false)
    let closing = Task {
      try await stage.engagement.close(within: .seconds(2))
      isClosed.withLock { $0 = true }
    }
    while !isClosed.withLock(\.self) {
      stage.clock.advance(by: .milliseconds(100))
      try await Task.sleep(for: .milliseconds(1))
    }
    try await closing.value
    #expect(receipt.outcomes.isEmpty)
    try await running.value
  }

  @Test("closing deletes a temporary cache with its folder and keeps a cache in a file")
  func folders() async throws {
    let stage = try await Stage([PuppetAdapter("braze")])
    let folder = try #require(stage.engagement.folder)
    #expect(FileManager.default.fileExists(atPath: folder))
    let mode = try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int
    #expect(mode == 0o700)
    try await stage.end()
    #expect(!FileManager.default.fileExists(atPath: folder))

    let place = Stage.Place()
    let other = try await Stage([PuppetAdapter("braze")], at: place)
    #expect(other.engagement.folder == nil)
    try await other.end()
    #expect(
      FileManager.default.fileExists(atPath: place.folder.appending(path: "cache.sqlite").path))
  }

  @Test("run moves a large answer from the write-ahead log to the cache file before close")
  func tidies() async throws {
    let place = Stage.Place()
    let text = JSON.string(String(repeating: "a", count: 4_000))
    let items = (0..<1_500).map { number in
      RawItem(
        index: number, bytes: JSON.object(["id": .string("\(number)"), "x": text]).encoded()[...])
    }
    var adapter = PuppetAdapter("braze")
    adapter.onAnswer = { operation, _, _ in
      guard case .cards(let container, let filters) = operation else { return nil }
      return Answer([
        .items(Feed(.cards, in: container, matching: filters), .replace(.nothing), items)
      ])
    }
    let stage = try await Stage([adapter], at: place)
    let running = Task { await run(stage.engagement) }
    try await stage.signIn("u-1")
    #expect(await stage.engagement.refresh(.cards(in: "home")).isComplete)
    func size() throws -> Int {
      try URL(filePath: place.path).resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
    }
    for _ in 0..<10_000 where try size() < 6_000_000 { try await Task.sleep(for: .milliseconds(5)) }
    #expect(try size() >= 6_000_000)
    #expect(try await stage.kept("braze", for: "u-1").count == 1_500)
    try await stage.end()
    #expect(await running.value == nil)
  }

  @Test("G1 G3: an accepted operation survives a restart and is delivered with the same key")
  func restart() async throws {
    let place = Stage.Place()
    let first = try await Stage([PuppetAdapter("braze")], at: place) {
      _ throws(EngagementError) in throw EngagementError(.unavailable, "No network.")
    }
    try await first.signIn("u-1")
    try await first.engagement.associate("person-1")
    let partition = first.engagement.dependencies.currentUser.userSession.partition
    let rows = try await first.engagement.dependencies.store.pending(
      for: "braze", in: partition, limit: 10)
    try await first.end()
    let second = try await Stage([PuppetAdapter("braze")], at: place)
    let kept = try await second.engagement.dependencies.store.pending(
      for: "braze", in: second.engagement.dependencies.currentUser.userSession.partition, limit: 10)
    #expect(kept.map(\.key) == rows.map(\.key) && rows.count == 1)
    await second.drain("braze")
    #expect(second.asked == ["POST /person.associate?user=u-1"])
    try await second.end()
  }

  @Test("a closed engagement is freed, with its files and connections")
  func freed() async throws {
    weak var sender: OutboxSender?
    weak var transport: ScriptedTransport?
    do {
      let stage = try await Stage([PuppetAdapter("braze")])
      try await stage.signIn("u-1")
      _ = await stage.engagement.refresh(.cards)
      (sender, transport) = (stage.engagement.outboxSender, stage.transport)
      try await stage.end()
    }
    #expect(sender == nil)
    #expect(transport == nil)
  }
}
