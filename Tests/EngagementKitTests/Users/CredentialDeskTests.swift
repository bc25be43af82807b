import EngagementAdapterAPI
import EngagementModel
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

@Suite("asking for credentials", .timeLimit(.minutes(20))) struct CredentialDeskTests {
  private let clock = TestClock()
  private let desk: CredentialDesk
  private static let rules = CredentialRules(
    answerWithin: .seconds(5), retryInterval: .seconds(10))

  init() { desk = CredentialDesk(clock) }

  private func renew(
    replacing refused: Secret? = nil, _ user: User = "u-1",
    by rules: CredentialRules = CredentialRules(answerWithin: .seconds(5))
  ) async -> EngagementError? {
    do throws(EngagementError) {
      try await desk.renew(replacing: refused, for: "braze", user, by: rules)
      return nil
    } catch {
      return error
    }
  }

  private func credential(of user: User = "u-1") -> Secret? {
    desk.credential(for: "braze", user)
  }

  // MARK: One answer

  @Test("a credential that the application gives is kept for its user and provider alone")
  func kept() async {
    desk.seat("u-1") { provider in Secret("\(provider)") }
    #expect(credential() == nil)
    #expect(await renew() == nil)
    #expect(credential() == Secret("braze"))
    #expect(credential(of: "u-2") == nil)
    #expect(desk.credential(for: "atomic", "u-1") == nil)
  }

  private struct Leak: Error, CustomStringConvertible {
    var description: String { "token-in-an-error" }
  }

  @Test("what the application may do instead of giving one", arguments: ["none", "thrown", "same"])
  func instead(kind: String) async throws {
    desk.seat("u-1") { _ in
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

  @Test("a user who is present since the last start has nobody to be asked, and is told what to do")
  func nobody() async throws {
    let error = try #require(await renew())
    #expect(error.code == .unauthenticated && error.message.contains("signIn"))
  }

  @Test("one that is not the refused one is used without asking")
  func alreadyRenewed() async {
    let asked = Locked(0)
    desk.seat("u-1") { _ in
      Secret("token \(asked.next())")
    }
    #expect(await renew() == nil)
    #expect(await renew(replacing: Secret("an older one")) == nil)
    #expect(asked.withLock { $0 } == 1 && credential() == Secret("token 0"))
    #expect(await renew(replacing: Secret("token 0")) == nil)
    #expect(asked.withLock { $0 } == 2 && credential() == Secret("token 1"))
  }

  @Test("another source is asked from then on, also for what the former one gave")
  func replaced() async {
    desk.seat("u-1") { _ in Secret("first") }
    #expect(await renew() == nil)
    desk.seat("u-1") { _ in Secret("second") }
    #expect(credential() == nil)
    #expect(await renew() == nil)
    #expect(credential() == Secret("second"))
  }

  // MARK: Many at once

  @Test("a hundred who need one at once ask once (G15)", arguments: [nil, Secret("refused")])
  func hundred(refused: Secret?) async {
    let gate = Gate()
    let asked = Locked(0)
    desk.seat("u-1") { _ in
      asked.withLock { $0 += 1 }
      await gate.pass()
      return Secret("new")
    }
    await withTaskGroup(of: EngagementError?.self) { group in
      for _ in 0..<100 { group.addTask { await renew(replacing: refused) } }
      await gate.isHolding(1)
      let errand = CredentialDesk.Errand(provider: "braze", seat: 1)
      while desk.flights.waiting(for: errand) < 99 { await Task.yield() }
      gate.open()
      for await error in group { #expect(error == nil) }
    }
    #expect(asked.withLock { $0 } == 1 && credential() == Secret("new"))
  }

  @Test("who was asked by somebody who gave up is asked again by the next")
  func cancelled() async {
    let asked = Locked(0)
    let clock = clock
    desk.seat("u-1") { _ in
      if asked.next() == 0 {
        await clock.sleep(until: .seconds(3_600))
        throw CancellationError()
      }
      return Secret("new")
    }
    let first = Task { await renew() }
    await clock.sleepers(2)
    let second = Task { await renew() }
    let errand = CredentialDesk.Errand(provider: "braze", seat: 1)
    while desk.flights.waiting(for: errand) < 1 { await Task.yield() }
    first.cancel()
    #expect(await first.value?.code == .cancelled)
    #expect(await second.value == nil)
    #expect(asked.withLock { $0 } == 2)
  }

  // MARK: Too late

  @Test("an application that does not answer in time is not waited for (A2)")
  func late() async {
    let clock = clock
    desk.seat("u-1") { _ in
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

  @Test("an answer that comes late all the same is kept for its user")
  func lateButGood() async {
    let gate = Gate()
    desk.seat("u-1") { _ in
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
    "an answer for a user who has left is dropped, also when the user is back (G13)",
    arguments: [false, true])
  func left(isBack: Bool) async {
    let gate = Gate()
    desk.seat("u-1") { _ in
      await gate.pass()
      return Secret("of the first stay")
    }
    async let error = renew()
    await gate.isHolding(1)
    desk.dismiss("u-1")
    if isBack { desk.seat("u-1") { _ in nil } }
    gate.open()
    #expect(await error?.code == .signedOut)
    #expect(credential() == nil)
  }

  // MARK: Leaving it alone

  @Test(
    "an application that had none is left alone for the interval, whatever the wall clock does (A2, G19)"
  )
  func interval() async {
    let asked = Locked(0)
    desk.seat("u-1") { _ in
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

  @Test("a new source is asked at once")
  func newSource() async {
    desk.seat("u-1") { _ in nil }
    #expect(await renew(by: Self.rules) != nil)
    desk.seat("u-1") { _ in Secret("new") }
    #expect(await renew(by: Self.rules) == nil)
  }
}

extension Locked<Int> {
  /// Counts on, and says from where.
  fileprivate func next() -> Int {
    withLock { count in
      defer { count += 1 }
      return count
    }
  }
}
