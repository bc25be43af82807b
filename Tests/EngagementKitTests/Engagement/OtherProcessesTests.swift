import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

/// Two engagements over one cache file, as in two processes: each has its own connection, and one of
/// them has the right to send.
@Suite("two processes over one cache", .timeLimit(.minutes(20))) struct OtherProcessesTests {
  private let place = Stage.Place()

  private static let vendor = PuppetAdapter(
    "vendor", abilities: PuppetAdapter.able.merging([.events: .request]) { $1 })

  private func stage() async throws -> Stage {
    var vendor = Self.vendor
    vendor.capabilities.eventKinds = [.custom]
    vendor.onAnswer = { operation, _, _ in
      guard case .events(let events) = operation, events.first?.name == "refused" else {
        return nil
      }
      return .refused(.invalidArgument, "No.")
    }
    return try await Stage([vendor], at: place)
  }

  /// Lets time pass until the condition holds; false if it does not within two seconds of the clock.
  private func holds(_ condition: () async throws -> Bool) async throws -> Bool {
    for _ in 0..<20 {
      for _ in 0..<50 {
        if try await condition() { return true }
        try await Task.sleep(for: .milliseconds(2))
      }
      place.clock.advance(by: .milliseconds(100))
    }
    return try await condition()
  }

  @Test("G8: what one process accepts, the process that sends delivers within a second or two")
  func delivery() async throws {
    let (sender, other) = (try await stage(), try await stage())
    try await sender.signIn("u-1", consent: .full)
    try await other.signIn("u-1")
    let running = Task { try await sender.engagement.run() }
    try await sender.engagement.track("first")
    #expect(try await holds { sender.transport.requests.count == 1 })
    try await other.engagement.track("second")
    #expect(try await holds { sender.transport.requests.count == 2 })
    #expect(try await holds { try await other.engagement.pendingCounts["vendor"] ?? 0 == 0 })
    #expect(other.transport.requests.isEmpty)
    running.cancel()
    try await running.value
    try await sender.end()
    try await other.end()
  }

  @Test("G8: when the process that sends ends, another takes over within a second or two")
  func takeover() async throws {
    let (sender, other) = (try await stage(), try await stage())
    try await sender.signIn("u-1", consent: .full)
    try await other.signIn("u-1")
    let first = Task { try await sender.engagement.run() }
    try await sender.engagement.track("first")
    #expect(try await holds { sender.transport.requests.count == 1 })
    let second = Task { try await other.engagement.run() }
    // Time enough to see that the first has the right to send.
    try await Task.sleep(for: .milliseconds(200))
    first.cancel()
    try await first.value
    let receipt = try await other.engagement.track("second")
    #expect(try await holds { receipt.outcomes == ["vendor": .delivered] })
    #expect(other.transport.requests.count == 1)
    second.cancel()
    try await second.value
    try await sender.end()
    try await other.end()
  }

  @Test("A1 G8: a user who is back, by another process, is sent for with a new credential")
  func cameBack() async throws {
    var vendor = Self.vendor
    vendor.capabilities.eventKinds = [.custom]
    vendor.onStep = { _, context throws(EngagementError) in
      guard context.credential == nil else { return nil }
      throw EngagementError(.unauthenticated, "There is no credential.")
    }
    let watcher = try await Stage([vendor], at: place)
    let other = try await Stage([vendor], at: place)
    let asked = Locked(0)
    try await watcher.engagement.signIn("u-1", consent: .full) { _ in
      asked.withLock { $0 += 1 }
      return Secret("token \(asked.withLock(\.self))")
    }
    let running = Task { try await watcher.engagement.run() }
    try await watcher.engagement.track("first")
    #expect(try await holds { watcher.transport.requests.count == 1 })
    try await other.signIn("u-1")
    _ = try await other.engagement.signOut(within: .zero)
    #expect(try await holds { watcher.engagement.user.isAnonymous })
    try await other.signIn("u-1", consent: .full)
    #expect(try await holds { watcher.engagement.user == "u-1" })
    try await other.engagement.track("second")
    #expect(try await holds { watcher.transport.requests.count == 2 })
    #expect(
      watcher.transport.requests.map(\.credential) == [Secret("token 1"), Secret("token 2")],
      "the former credential is not used again")
    running.cancel()
    try await running.value
    try await watcher.end()
    try await other.end()
  }

  @Test("X8: what was accepted before another process's sign-in was heard of is adopted too")
  func adoption() async throws {
    var vendor = Self.vendor
    vendor.capabilities.eventKinds = [.custom]
    vendor.onTransition = { former, _, _ in former.isAnonymous ? [.adoptPending] : [] }
    let (first, late) = (try await Stage([vendor], at: place), try await Stage([vendor], at: place))
    let tasks = [Task { try await first.engagement.run() }]
    try await first.signIn("u-1", consent: .full)
    try await first.engagement.track("early")
    #expect(try await holds { first.transport.requests.count == 1 })
    try await late.engagement.setConsent(.full)
    try await late.engagement.track("late")
    #expect(late.engagement.user.isAnonymous, "it has not looked yet")
    let second = Task { try await late.engagement.run() }
    #expect(try await holds { late.engagement.user == "u-1" })
    #expect(try await holds { first.transport.requests.count == 2 })
    #expect(first.transport.requests.last?.url.hasSuffix("user=u-1") == true)
    #expect(late.transport.requests.isEmpty)
    for task in tasks + [second] { task.cancel() }
    for task in tasks + [second] { try await task.value }
    try await first.end()
    try await late.end()
  }

  @Test("G11: a receipt hears how a row ended that another process sent")
  func receipts() async throws {
    let (sender, other) = (try await stage(), try await stage())
    try await sender.signIn("u-1", consent: .full)
    try await other.signIn("u-1")
    var tasks = [Task { try await sender.engagement.run() }]
    try await sender.engagement.track("first")
    #expect(try await holds { sender.transport.requests.count == 1 })
    // Now that the first has the right to send.
    tasks.append(Task { try await other.engagement.run() })
    let taken = try await other.engagement.track("taken")
    #expect(try await holds { taken.outcomes == ["vendor": .delivered] })
    let refused = try await other.engagement.track("refused")
    #expect(try await holds { refused.outcomes["vendor"] != nil })
    guard case .rejected = refused.outcomes["vendor"] else {
      Issue.record("\(String(describing: refused.outcomes))")
      return
    }
    #expect(other.transport.requests.isEmpty)
    for task in tasks { task.cancel() }
    for task in tasks { try await task.value }
    try await sender.end()
    try await other.end()
  }

  @Test("G15: processes that need a device at once register one")
  func registration() async throws {
    var vendor = Self.vendor
    vendor.onStep = { operation, context in
      operation == .inbox && context.values[.installation, "device"] == nil
        ? .first(.device(.register)) : nil
    }
    vendor.onAnswer = { operation, _, _ in
      operation == .device(.register) ? Answer([.keep(.installation, "device", "1")]) : nil
    }
    var stages: [Stage] = []
    for _ in 0..<6 {
      let stage = try await Stage([vendor], at: place) { _ in
        // Long enough that all of them find no device.
        try? await Task.sleep(for: .milliseconds(20))
        return .json(200, "[]")
      }
      try await stage.signIn("u-1", consent: .full)
      stages.append(stage)
    }
    await withTaskGroup(of: Void.self) { group in
      for stage in stages { group.addTask { _ = await stage.engagement.refresh(.inbox) } }
    }
    let requests = stages.flatMap(\.asked)
    #expect(requests.count { $0.contains("device.register") } == 1, "\(requests)")
    #expect(requests.count { $0.contains("inbox") } == stages.count)
    for stage in stages { try await stage.end() }
  }

  @Test("G14: an answer that comes after another process's erasure brings nothing of the user back")
  func lateAnswer() async throws {
    let (asked, isErased) = (AsyncSignal(), AsyncSignal())
    var vendor = Self.vendor
    vendor.onAnswer = { operation, _, _ in
      guard operation == .inbox else { return nil }
      return Answer([
        .keep(.user, "name", "u-1"), .secret(.user, "token", Secret("of u-1")),
        .items(.inbox, .replace(.nothing), []),
      ])
    }
    let slow = try await Stage([vendor], at: place) { request in
      if request.line.hasSuffix("inbox") {
        asked.fire()
        await isErased.wait(after: 0)
      }
      return .json(200, "[]")
    }
    let other = try await stage()
    try await slow.signIn("u-1", consent: .full)
    try await other.signIn("u-1")
    let refresh = Task { await slow.engagement.refresh(.inbox) }
    await asked.wait(after: 0)
    _ = try await other.engagement.eraseData(of: "u-1")
    isErased.fire()
    #expect(await refresh.value.providers["vendor"]?.error != nil)
    for stage in [slow, other] {
      #expect(try await stage.engagement.dependencies.store.knownPartition(of: "u-1") == nil)
    }
    let kept = try await slow.engagement.dependencies.providerSecrets.contents(
      of: "vendor", for: "u-1")
    #expect(kept.secrets.all(.user).isEmpty)
    try await slow.end()
    try await other.end()
  }

  @Test("A4 G14: an answer after another process's purge brings nothing of the user back")
  func purged() async throws {
    let (asked, isPurged) = (AsyncSignal(), AsyncSignal())
    let slow = try await Stage([Self.vendor], at: place) { request in
      guard request.line.hasSuffix("cards") else { return HTTPResponse(200) }
      asked.fire()
      await isPurged.wait(after: 0)
      return .json(200, #"["a"]"#)
    }
    let other = try await stage()
    try await slow.signIn("u-1", consent: .full)
    try await other.signIn("u-1")
    async let refreshed = slow.engagement.refresh(.cards(in: "home"))
    await asked.wait(after: 0)
    _ = try await other.engagement.signOut(purgesCache: true)
    isPurged.fire()
    _ = await refreshed
    let held = try await other.engagement.exportData(of: "u-1").compactMap { $0["record"]?.string }
    #expect(Set(held).isSubset(of: ["user", "consent", "event"]), "\(held)")
    try await other.signIn("u-1")
    _ = await other.engagement.refresh(.cards(in: "home"))
    try await slow.end()
    try await other.end()
  }

  @Test("A4: an action whose answer comes after another process's purge is dropped, not rejected")
  func takenDuringPurge() async throws {
    let (asked, isPurged) = (AsyncSignal(), AsyncSignal())
    var vendor = Self.vendor
    vendor.onAnswer = { operation, _, _ in
      guard case .act = operation else { return nil }
      return Answer([.keep(.user, "last", "a")])
    }
    let slow = try await Stage([vendor], at: place) { request in
      if request.line.hasPrefix("GET") { return .json(200, #"["a"]"#) }
      asked.fire()
      await isPurged.wait(after: 0)
      return HTTPResponse(200)
    }
    let other = try await stage()
    try await slow.signIn("u-1", consent: .full)
    try await other.signIn("u-1")
    _ = await slow.engagement.refresh(.cards(in: "home"))
    try await slow.engagement.perform(.dismiss, on: ItemID("vendor", "a"))
    let flushing = Task { try await slow.engagement.flush() }
    await asked.wait(after: 0)
    let report = try await other.engagement.signOut(within: .zero, purgesCache: true)
    #expect(report.providers["vendor"]?.discarded == 1)
    isPurged.fire()
    _ = try await flushing.value
    let held = try await other.engagement.exportData(of: "u-1").compactMap { $0["record"]?.string }
    #expect(Set(held).isSubset(of: ["user", "consent", "event"]), "\(held)")
    try await slow.end()
    try await other.end()
  }

  @Test("G13: a change of user and an erasure in one process bind the others")
  func users() async throws {
    let (watcher, other) = (try await stage(), try await stage())
    try await watcher.signIn("u-1", consent: .full)
    try await other.signIn("u-1")
    let running = Task { try await watcher.engagement.run() }
    try await watcher.engagement.track("mine")
    #expect(try await holds { watcher.transport.requests.count == 1 })
    let signing = Task { try await other.signIn("u-2", consent: .full) }
    #expect(try await holds { watcher.engagement.user == "u-2" })
    try await other.engagement.track("after")
    #expect(
      try await holds { watcher.transport.requests.last?.url.hasSuffix("?user=u-2") == true },
      "the process that sends sends for the new user")
    try await signing.value
    let erasing = Task { try await other.engagement.eraseData(of: "u-2") }
    #expect(try await holds { watcher.engagement.user.isAnonymous })
    _ = try await erasing.value
    #expect(watcher.lines.all.contains { $0.message == "Another process has changed the user." })
    running.cancel()
    try await running.value
    try await watcher.end()
    try await other.end()
  }
}
