import EngagementAdapterAPI
import EngagementModel
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

@Suite("credential cache", .timeLimit(.minutes(20))) struct CredentialCacheTests {
  private let clock = TestClock()
  private let cache: CredentialCache
  private static let rules = CredentialRules(
    answerWithin: .seconds(5), retryInterval: .seconds(10))

  init() { cache = CredentialCache(clock) }

  private func renew(
    replacing refused: Secret? = nil, _ user: User = "u-1",
    by rules: CredentialRules = CredentialRules(answerWithin: .seconds(5))
  ) async -> EngagementError? {
    do throws(EngagementError) {
      try await cache.renew(replacing: refused, for: "braze", user, by: rules)
      return nil
    } catch {
      return error
    }
  }

  private func credential(of user: User = "u-1") -> Secret? {
    cache.credential(for: "braze", user)
  }

  // MARK: One caller

  @Test("a credential from the application is kept for its user and provider alone")
  func kept() async {
    cache.setSource(for: "u-1") { provider in Secret("\(provider)") }
    #expect(credential() == nil)
    #expect(await renew() == nil)
    #expect(credential() == Secret("braze"))
    #expect(credential(of: "u-2") == nil)
    #expect(cache.credential(for: "atomic", "u-1") == nil)
  }

  @Test("A18: of all who wait for a credential in place of an earlier one, one learns that it came")
  func renewals() async throws {
    let (count, gate) = (Locked(0), Gate())
    cache.setSource(for: "u-1") { _ in
      let number = count.withLock { count in
        count += 1
        return count
      }
      if number == 2 { await gate.pass() }
      return Secret("\(number)")
    }
    let first = try await cache.renew(replacing: nil, for: "braze", "u-1", by: Self.rules)
    #expect(!first, "there was none before")
    let cache = cache
    let renewals = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<3 {
        group.addTask {
          try await cache.renew(replacing: Secret("1"), for: "braze", "u-1", by: Self.rules)
        }
      }
      await gate.isHolding(1)
      gate.open()
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(renewals.filter(\.self).count == 1 && renewals.count == 3)
  }

  private struct Leak: Error, CustomStringConvertible {
    var description: String { "token-in-an-error" }
  }

  @Test(
    "a missing, failed or already refused credential is reported as unauthenticated",
    arguments: ["none", "thrown", "same"])
  func instead(kind: String) async throws {
    cache.setSource(for: "u-1") { _ in
      switch kind {
      case "thrown": throw Leak()
      case "same": return Secret("refused")
      default: return nil
      }
    }
    let error = try #require(await renew(replacing: Secret("refused")))
    #expect(error.code == .unauthenticated && error.provider == "braze")
    #expect(error.underlying == (kind == "thrown" ? "Leak" : nil))
    #expect(!"\(error)".contains("token-in-an-error"))
    #expect(credential() == nil)
  }

  @Test("a failure of the source that may pass keeps its code, and any other is unauthenticated")
  func passing() async {
    for (code, expected): (EngagementError.Code, EngagementError.Code) in [
      (.unavailable, .unavailable), (.deadlineExceeded, .deadlineExceeded),
      (.invalidArgument, .unauthenticated),
    ] {
      cache.setSource(for: "u-1") { _ in throw EngagementError(code, "canary") }
      let error = await renew()
      #expect(error?.code == expected)
      #expect(error?.message.contains("canary") == false)
    }
  }

  @Test("each credential that comes is told once")
  func arrivals() async {
    let count = Locked(0)
    cache.onArrival { count.withLock { $0 += 1 } }
    cache.setSource(for: "u-1") { _ in nil }
    #expect(await renew()?.code == .unauthenticated)
    #expect(count.withLock(\.self) == 0)
    cache.setSource(for: "u-1") { _ in Secret("good") }
    #expect(await renew() == nil)
    #expect(await renew() == nil)
    #expect(count.withLock(\.self) == 1)
  }

  @Test("without a credential source the error tells the application to call signIn")
  func noSource() async throws {
    let error = try #require(await renew())
    #expect(error.code == .unauthenticated && error.message.contains("signIn"))
  }

  @Test("a credential other than the refused one is used without asking again")
  func alreadyRenewed() async {
    let asked = Locked(0)
    cache.setSource(for: "u-1") { _ in
      Secret("token \(asked.next())")
    }
    #expect(await renew() == nil)
    #expect(await renew(replacing: Secret("an older one")) == nil)
    #expect(asked.withLock { $0 } == 1 && credential() == Secret("token 0"))
    #expect(await renew(replacing: Secret("token 0")) == nil)
    #expect(asked.withLock { $0 } == 2 && credential() == Secret("token 1"))
  }

  @Test("a new credential source replaces the former one and its credential")
  func replaced() async {
    cache.setSource(for: "u-1") { _ in Secret("first") }
    #expect(await renew() == nil)
    cache.setSource(for: "u-1") { _ in Secret("second") }
    #expect(credential() == nil)
    #expect(await renew() == nil)
    #expect(credential() == Secret("second"))
  }

  // MARK: Concurrent callers

  @Test(
    "G15: a hundred concurrent renewals ask the application once",
    arguments: [nil, Secret("refused")])
  func hundred(refused: Secret?) async {
    let gate = Gate()
    let asked = Locked(0)
    cache.setSource(for: "u-1") { _ in
      asked.withLock { $0 += 1 }
      await gate.pass()
      return Secret("new")
    }
    await withTaskGroup(of: EngagementError?.self) { group in
      for _ in 0..<100 { group.addTask { await renew(replacing: refused) } }
      await gate.isHolding(1)
      let request = CredentialCache.Request(provider: "braze", entry: 1)
      while cache.singleFlight.waiting(for: request) < 99 { await Task.yield() }
      gate.open()
      for await error in group { #expect(error == nil) }
    }
    #expect(asked.withLock { $0 } == 1 && credential() == Secret("new"))
  }

  @Test("when the first caller is cancelled, the next caller asks the application again")
  func cancelled() async {
    let asked = Locked(0)
    let clock = clock
    cache.setSource(for: "u-1") { _ in
      if asked.next() == 0 {
        await clock.sleep(until: .seconds(3_600))
        throw CancellationError()
      }
      return Secret("new")
    }
    let first = Task { await renew() }
    await clock.sleepers(2)
    let second = Task { await renew() }
    let request = CredentialCache.Request(provider: "braze", entry: 1)
    while cache.singleFlight.waiting(for: request) < 1 { await Task.yield() }
    first.cancel()
    #expect(await first.value?.code == .cancelled)
    #expect(await second.value == nil)
    #expect(asked.withLock { $0 } == 2)
  }

  // MARK: Late credentials

  @Test("A2: a renewal fails when the application exceeds its time limit")
  func late() async {
    let clock = clock
    cache.setSource(for: "u-1") { _ in
      await clock.sleep(until: .seconds(3_600))
      throw CancellationError()
    }
    async let error = renew()
    await clock.sleepers(2)
    clock.advance(by: .milliseconds(4_999))
    #expect(clock.sleeping == 2)
    clock.advance(by: .milliseconds(1))
    #expect(await error?.code == .deadlineExceeded)
    #expect(clock.sleeping == 0)
  }

  @Test("a late credential is still kept for its user")
  func lateButGood() async {
    let gate = Gate()
    cache.setSource(for: "u-1") { _ in
      await gate.pass()
      return Secret("late")
    }
    async let error = renew()
    await gate.isHolding(1)
    await clock.sleepers(1)
    clock.advance(by: .seconds(5))
    gate.open()
    #expect(await error == nil)
    #expect(credential() == Secret("late"))
  }

  @Test(
    "G13: a credential for a user who has left is dropped, even if that user is back",
    arguments: [false, true])
  func left(isBack: Bool) async {
    let gate = Gate()
    cache.setSource(for: "u-1") { _ in
      await gate.pass()
      return Secret("of the first session")
    }
    async let error = renew()
    await gate.isHolding(1)
    cache.remove("u-1")
    if isBack { cache.setSource(for: "u-1") { _ in nil } }
    gate.open()
    #expect(await error?.code == .signedOut)
    #expect(credential() == nil)
  }

  // MARK: Retry interval

  @Test(
    "A2 G19: after an empty answer the application is asked again only after the retry interval"
  )
  func interval() async {
    let asked = Locked(0)
    cache.setSource(for: "u-1") { _ in
      asked.withLock { $0 += 1 }
      return nil
    }
    let first = await renew(by: Self.rules)
    clock.set(to: clock.now.addingTimeInterval(315_360_000))
    clock.advance(by: .milliseconds(9_999))
    #expect(await renew(by: Self.rules) == first)
    #expect(asked.withLock { $0 } == 1)
    clock.advance(by: .milliseconds(1))
    #expect(await renew(by: Self.rules) == first)
    #expect(asked.withLock { $0 } == 2)
  }

  @Test("a new credential source is asked at once")
  func newSource() async {
    cache.setSource(for: "u-1") { _ in nil }
    #expect(await renew(by: Self.rules) != nil)
    cache.setSource(for: "u-1") { _ in Secret("new") }
    #expect(await renew(by: Self.rules) == nil)
  }
}

extension Locked<Int> {
  /// Increases the count and returns the former value.
  fileprivate func next() -> Int {
    withLock { count in
      defer { count += 1 }
      return count
    }
  }
}
