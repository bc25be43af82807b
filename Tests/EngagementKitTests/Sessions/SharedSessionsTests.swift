import EngagementAdapterAPI
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

/// Engagements over one cache file, as in several processes, with a vendor that needs a session.
@Suite("sessions of several processes over one cache", .timeLimit(.minutes(20)))
struct SharedSessionsTests {
  private let place = Stage.Place()
  private static let timeout: Duration = .seconds(600)

  private static let vendor: PuppetAdapter = {
    var vendor = PuppetAdapter(
      "vendor", abilities: PuppetAdapter.able.merging([.events: .request]) { $1 })
    vendor.capabilities.eventKinds = [.custom, .sessionStart, .sessionEnd]
    vendor.capabilities.needsSession = true
    vendor.capabilities.sessionTimeout = timeout
    return vendor
  }()

  private func stage() async throws -> Stage {
    let stage = try await Stage([Self.vendor], at: place)
    try await stage.signIn("u-1", consent: .full)
    return stage
  }

  /// What the vendor is to be told, as `kind session`, with the sessions numbered.
  private func told(_ stage: Stage) async throws -> [String] {
    var sessions: [SessionID?] = []
    return try await stage.waiting(for: "vendor", of: "u-1").compactMap { work in
      guard case .event(let event) = work else { return nil }
      if !sessions.contains(event.session) { sessions.append(event.session) }
      let number = sessions.firstIndex(of: event.session) ?? -1
      return "\(event.kind == .custom ? event.name ?? "" : event.kind.rawValue) \(number)"
    }
  }

  @Test("G8: of several processes that begin at once, one begins the session of all")
  func beginning() async throws {
    var stages: [Stage] = []
    for _ in 0..<4 { stages.append(try await stage()) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for stage in stages { group.addTask { try await stage.engagement.track("done") } }
      try await group.waitForAll()
    }
    #expect(
      try await told(stages[0]) == ["session.start 0", "done 0", "done 0", "done 0", "done 0"])
    let ids = Set(stages.map { $0.engagement.sessions.session(for: "vendor")?.id })
    #expect(ids.count == 1)
    for stage in stages { try await stage.end() }
  }

  @Test("B1 G8: a refresh waits until the process that sends has told of the session that it began")
  func refreshBehindSender() async throws {
    let sender = try await stage()
    let told = Locked<[String]>([])
    let other = try await Stage([Self.vendor], at: place) { request in
      if request.line == "GET /cards" {
        told.withLock { $0 = sender.asked.filter { $0 == "POST /events?user=u-2" } }
      }
      return .json(200, "[]")
    }
    let running = Task { try await sender.engagement.run() }
    let clock = place.clock
    let passing = Task {
      while !Task.isCancelled {
        clock.advance(by: .milliseconds(50))
        try await Task.sleep(for: .milliseconds(2))
      }
    }
    try await sender.engagement.track("done")
    while sender.asked.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
    try await other.signIn("u-2", consent: .full)
    _ = await other.engagement.refresh(.cards(in: "home"))
    #expect(told.withLock(\.self).count == 1)
    running.cancel()
    passing.cancel()
    try await running.value
    try await sender.end()
    try await other.end()
  }

  @Test("G8: an unused session ends once, and the next one is begun once")
  func ending() async throws {
    let (first, second) = (try await stage(), try await stage())
    try await first.engagement.track("a")
    try await second.engagement.track("b")
    place.clock.advance(by: Self.timeout)
    for stage in [first, second] { await stage.engagement.sessions.flush() }
    try await second.engagement.track("c")
    try await first.engagement.track("d")
    #expect(
      try await told(first) == [
        "session.start 0", "a 0", "b 0", "session.end 0", "session.start 1", "c 1", "d 1",
      ])
    for stage in [first, second] { try await stage.end() }
  }

  @Test("G8: a session that another process still uses does not end")
  func using() async throws {
    let (first, second) = (try await stage(), try await stage())
    try await first.engagement.track("a")
    try await second.engagement.track("b")
    place.clock.advance(by: .seconds(400))
    try await second.engagement.track("c")
    await second.engagement.sessions.flush()
    place.clock.advance(by: .seconds(300))
    try await first.engagement.track("d")
    #expect(try await told(first) == ["session.start 0", "a 0", "b 0", "c 0", "d 0"])
    for stage in [first, second] { try await stage.end() }
  }

  @Test("G8: a session that another process left behind ends when it is unused")
  func leftBehind() async throws {
    let first = try await stage()
    let second = try await stage()
    try await second.engagement.track("b")
    // As after a kill: nobody else will end the session.
    place.clock.advance(by: Self.timeout)
    try await first.engagement.track("a")
    #expect(
      try await told(first) == [
        "session.start 0", "b 0", "session.end 0", "session.start 1", "a 1",
      ])
    for stage in [first, second] { try await stage.end() }
  }

  @Test("B6: the anonymous session goes on with who adopts it, also in the next process")
  func adoption() async throws {
    func stage() async throws -> Stage {
      var vendor = Self.vendor
      vendor.onTransition = { former, _, _ in former.isAnonymous ? [.adoptPending] : [] }
      return try await Stage([vendor], at: place)
    }
    let first = try await stage()
    try await first.engagement.setConsent(.full)
    try await first.engagement.track("a")
    try await first.signIn("u-1", consent: .full)
    try await first.end()
    let second = try await stage()
    try await second.engagement.track("b")
    #expect(try await told(second) == ["session.start 0", "a 0", "b 0"])
    try await second.end()
  }

  @Test("B3: an extension's event for a user who was away goes out within a session")
  func extensions() async throws {
    let sessions = Locked<[SessionID?]>([])
    var vendor = Self.vendor
    vendor.onStep = { operation, context in
      if case .events = operation { sessions.withLock { $0.append(context.session?.id) } }
      return nil
    }
    let first = try await Stage([vendor], at: place)
    try await first.signIn("u-1", consent: .full)
    try await first.signIn("u-2", consent: .full)
    try await first.end()
    let journal = try EngagementJournal(cache: place.cache, clock: place.clock)
    try journal.track("left", of: "u-1")
    let second = try await Stage([vendor], at: place)
    try await second.signIn("u-1")
    await second.drain("vendor")
    #expect(second.asked.count { $0.contains("events") } > 0)
    #expect(sessions.withLock { !$0.contains(nil) })
    try await second.end()
  }

  @Test("X8: a sign-out ends a session that another process has just used")
  func signingOut() async throws {
    let (first, second) = (try await stage(), try await stage())
    try await first.engagement.track("a")
    place.clock.advance(by: .seconds(100))
    try await second.engagement.track("b")
    await second.engagement.sessions.flush()
    _ = try await first.engagement.signOut(within: .zero)
    #expect(try await told(second) == ["session.start 0", "a 0", "b 0", "session.end 0"])
    for stage in [first, second] { try await stage.end() }
  }
}
