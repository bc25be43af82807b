import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementPlatform
import EngagementStore
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

/// What begins before a purge and ends after it, in one process or in two.
@Suite("purges", .timeLimit(.minutes(20))) struct PurgeTests {
  private let place = Stage.Place()

  /// A vendor that lists all cards once, and afterwards what has changed since: nothing.
  private static var vendor: PuppetAdapter {
    var vendor = PuppetAdapter(
      "vendor", abilities: PuppetAdapter.able.merging([.events: .request]) { $1 })
    vendor.capabilities.eventKinds = [.custom]
    vendor.onStep = { operation, context in
      guard case .cards = operation, context.values[.user, "cursor"] != nil else { return nil }
      return .send(HTTPRequest("GET", "https://vendor.example/changes"))
    }
    vendor.onAnswer = { operation, _, context in
      guard case .cards(let container, let filters) = operation else { return nil }
      let feed = Feed(.cards, in: container, matching: filters)
      let isDelta = context.values[.user, "cursor"] != nil
      let list: Change =
        isDelta ? .items(feed, .put, []) : .items(feed, .replace(.nothing), [RawCard("a").item])
      return Answer([list, .keep(.user, "cursor", "1")])
    }
    return vendor
  }

  private func shown(by stage: Stage) async throws -> [String] {
    _ = await stage.engagement.refresh(.cards(in: "home"))
    return stage.engagement.cards(in: "home").cards.map(\.id.value)
  }

  @Test(
    "A4 G14: a late answer to a stay that was purged says nothing to the same user's next stay",
    arguments: [1, 2])
  func lateAnswer(processes: Int) async throws {
    let (asked, answers) = (AsyncSignal(), AsyncSignal())
    let slow = try await Stage([Self.vendor], at: place) { request in
      guard request.line.hasSuffix("changes") else { return HTTPResponse(200) }
      asked.fire()
      await answers.wait(after: 0)
      return HTTPResponse(200)
    }
    let other =
      processes == 1
      ? slow : try await Stage([Self.vendor], at: place) { _ in HTTPResponse(200) }
    try await slow.signIn("u-1", consent: .full)
    if processes == 2 { try await other.signIn("u-1") }
    #expect(try await shown(by: slow) == ["a"])
    let refresh = Task { await slow.engagement.refresh(.cards(in: "home")) }
    await asked.wait(after: 0)
    _ = try await other.engagement.signOut(within: .zero, purgesCache: true)
    try await other.signIn("u-1")
    answers.fire()
    _ = await refresh.value
    #expect(try await other.memory(of: "vendor", for: "u-1").values.all(.user).isEmpty)
    #expect(try await shown(by: other) == ["a"])
    try await slow.end()
    if processes == 2 { try await other.end() }
  }

  @Test("A4 G13: a process that watches follows a user who was purged and is back at once")
  func follower() async throws {
    let script: ScriptedTransport.Script = { _ in HTTPResponse(200) }
    let watcher = try await Stage([Self.vendor], at: place, script)
    let other = try await Stage([Self.vendor], at: place, script)
    try await watcher.signIn("u-1", consent: .full)
    try await other.signIn("u-1")
    #expect(try await shown(by: watcher) == ["a"])
    _ = try await other.engagement.signOut(within: .zero, purgesCache: true)
    try await other.signIn("u-1")
    let running = Task { try await watcher.engagement.run() }
    let new = other.engagement.dependencies.currentUser.userSession.partition
    for _ in 0..<200 where watcher.engagement.dependencies.currentUser.userSession.partition != new
    {
      place.clock.advance(by: .milliseconds(100))
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(watcher.engagement.dependencies.currentUser.userSession.partition == new)
    #expect(try await shown(by: watcher) == ["a"])
    running.cancel()
    try await running.value
    try await watcher.end()
    try await other.end()
  }

  @Test("A4 X21: the events of a purged user stay that user's, and leave with an erasure")
  func events() async throws {
    let stage = try await Stage([Self.vendor])
    try await stage.signIn("u-1", consent: .full)
    try await stage.engagement.track("opened")
    _ = try await stage.engagement.signOut(within: .zero, purgesCache: true)
    func held() async throws -> [String] {
      try await stage.engagement.exportData(of: "u-1").compactMap { $0["name"]?.string }
    }
    #expect(try await held() == ["opened"])
    try await stage.signIn("u-1")
    try await stage.engagement.track("closed")
    #expect(try await held() == ["opened", "closed"])
    _ = try await stage.engagement.eraseData(of: "u-1")
    #expect(await failure { try await held() }?.code == .notFound)
    try await stage.end()
  }

  @Test("A4: a sign-out that purges the cache leaves the events, and nothing is shown or sent")
  func purge() async throws {
    let isUp = Locked(true)
    let stage = try await Stage([PuppetAdapter("braze")]) { request throws(EngagementError) in
      guard isUp.withLock({ $0 }) else { throw EngagementError(.unavailable, "No network.") }
      return request.line.hasPrefix("GET") ? .json(200, #"["a","b"]"#) : HTTPResponse(200)
    }
    try await stage.signIn("u-1")
    _ = await stage.engagement.refresh(.cards(in: "home"))
    #expect(stage.engagement.cards(in: "home").cards.map(\.id.value) == ["a", "b"])
    isUp.withLock { $0 = false }
    try await stage.engagement.perform(.dismiss, on: ItemID("braze", "a"), surface: .cards)
    let report = try await stage.engagement.signOut(purgesCache: true)
    #expect(report.providers["braze"]?.pending == 0 && report.providers["braze"]?.discarded == 1)
    let held = try await stage.engagement.exportData(of: "u-1").compactMap { $0["record"]?.string }
    #expect(Set(held) == ["user", "consent", "event"], "\(held)")

    try await stage.signIn("u-1")
    #expect(stage.engagement.cards(in: "home").cards.isEmpty)
    #expect(try await stage.engagement.pendingCounts.isEmpty)
    isUp.withLock { $0 = true }
    _ = await stage.engagement.refresh(.cards(in: "home"))
    // What was dropped is as the vendor has it.
    #expect(stage.engagement.cards(in: "home").cards.map(\.id.value) == ["a", "b"])
    try await stage.end()
  }

  @Test("A4: a user who was purged signs in again, at a vendor that keeps values on arrival")
  func backAfterPurge() async throws {
    var adapter = PuppetAdapter("braze")
    adapter.onTransition = { _, new, _ in
      new.isAnonymous
        ? [] : [.apply([.keep(.user, "arrived", "yes"), .secret(.user, "s", Secret("1"))])]
    }
    let stage = try await Stage([adapter])
    try await stage.signIn("u-1")
    _ = try await stage.engagement.signOut(purgesCache: true)
    let dependencies = stage.engagement.dependencies
    let partition = try #require(try await dependencies.store.knownPartition(of: "u-1"))
    #expect(
      try await dependencies.store.memory(of: "braze", in: partition).values.all(.user).isEmpty)
    try await stage.signIn("u-1")
    #expect(
      try await dependencies.store.memory(of: "braze", in: partition)
        .values[.user, "arrived"] == "yes")
    let kept = try await dependencies.providerSecrets.contents(of: "braze", for: "u-1")
    #expect(kept.secrets.all(.user).count == 1)
    try await stage.end()
  }

  /// Secrets that cannot be removed.
  private final class StuckSecretStore: Engagement.SecretStore {
    let isStuck = Locked(false)
    private let secrets = MemorySecretStore()

    func secrets(of owner: Engagement.SecretOwner) async throws(EngagementError) -> [String: Secret]
    {
      await secrets.secrets(of: owner)
    }

    func set(_ new: [String: Secret?], of owner: Engagement.SecretOwner)
      async throws(EngagementError)
    {
      try await secrets.set(new, of: owner)
    }

    func removeAll(of user: User, in environment: String) async throws(EngagementError) {
      guard !isStuck.withLock(\.self) else { throw EngagementError(.unreadable, "No.") }
      await secrets.removeAll(of: user, in: environment)
    }
  }

  @Test(
    "A4: what a purge cannot remove beside the cache is removed by the next call, start or sign-in")
  func stuckPurge() async throws {
    let secrets = StuckSecretStore()
    let place = Stage.Place(secrets: secrets)
    var adapter = PuppetAdapter("braze")
    adapter.onTransition = { _, new, _ in
      new.isAnonymous ? [] : [.apply([.secret(.user, "s", Secret("1"))])]
    }
    for next in ["call", "start", "sign-in"] {
      var stage = try await Stage([adapter], at: place)
      try await stage.signIn("u-1")
      secrets.isStuck.withLock { $0 = true }
      await #expect(throws: EngagementError.self) {
        try await stage.engagement.signOut(purgesCache: true)
      }
      #expect(stage.engagement.user.isAnonymous, "the user has left")
      secrets.isStuck.withLock { $0 = false }
      let owner = Engagement.SecretOwner(
        environment: "test", provider: "braze", user: "u-1")
      #expect(try await secrets.secrets(of: owner).count == 1)
      switch next {
      case "call":
        _ = try await stage.engagement.signOut(purgesCache: true)
        #expect(try await secrets.secrets(of: owner).isEmpty)
      case "sign-in": try await stage.signIn("u-1")
      default: break
      }
      try await stage.end()
      stage = try await Stage([adapter], at: place)
      // What the user's next stay keeps is not the former's.
      #expect(try await secrets.secrets(of: owner).count == (next == "sign-in" ? 1 : 0), "\(next)")
      try await stage.end()
    }
  }
}
