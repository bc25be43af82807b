import EngagementAdapterAPI
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

@Suite("current user session", .timeLimit(.minutes(20))) struct CurrentUserTests {
  private static let anonymous = Partition(id: 1, environment: "test", user: .anonymous)
  private static let first = Partition(id: 2, environment: "test", user: "u-1")
  private static let second = Partition(id: 3, environment: "test", user: "u-2")
  /// The user's partition after an erasure.
  private static let secondAgain = Partition(id: 4, environment: "test", user: "u-2")

  private static func attempt(by user: User, in generation: Int? = nil) -> Attempt {
    Attempt(by: user, OperationKey(1, 2), acceptedAt: .distantPast, generation: generation)
  }

  private func speaks(
    _ currentUser: CurrentUser, _ user: User, in generation: Int? = nil, for provider: ProviderID
  ) async throws -> Bool {
    try await currentUser.committing(by: Self.attempt(by: user, in: generation), for: provider) {
      (_, speaks) in speaks
    }
  }

  @Test("only the present user may change installation values")
  func speaks() async throws {
    let currentUser = CurrentUser(Self.anonymous)
    currentUser.move(into: Self.first)
    #expect(try await speaks(currentUser, "u-1", for: "braze"))
    currentUser.move(into: Self.second)
    #expect(try await !speaks(currentUser, "u-1", for: "braze"))
    #expect(try await speaks(currentUser, "u-2", for: "braze"))
    #expect(try await !speaks(currentUser, .anonymous, for: "braze"))
  }

  @Test("after adoption, anonymous attempts change installation values only at adopting providers")
  func adoption() async throws {
    let currentUser = CurrentUser(Self.anonymous)
    await currentUser.leave(CurrentUser.Change(adopters: ["braze"]))
    #expect(try await speaks(currentUser, .anonymous, for: "braze"))
    #expect(try await !speaks(currentUser, .anonymous, for: "atomic"))
    let userSession = currentUser.move(into: Self.first, adopting: 1, for: ["braze"])
    #expect(userSession.adopted == 1 && userSession.generation == 2)
    #expect(try await speaks(currentUser, .anonymous, for: "braze"))
    #expect(try await !speaks(currentUser, .anonymous, for: "atomic"))
    currentUser.move(into: Self.second)
    #expect(try await !speaks(currentUser, .anonymous, for: "braze"))
  }

  @Test("X8: during a switch no attempt has a user session, and a user who stays gets it back")
  func between() async throws {
    let currentUser = CurrentUser(Self.first)
    let before = currentUser.userSession
    #expect(currentUser.userSession(acting: Self.attempt(by: "u-1")) == before)
    await currentUser.leave(CurrentUser.Change(adopters: []))
    #expect(currentUser.userSession(acting: Self.attempt(by: "u-1")) == nil)
    #expect(try await !speaks(currentUser, "u-1", for: "braze"))
    currentUser.stay()
    #expect(
      currentUser.userSession(acting: Self.attempt(by: "u-1")) == before
        && currentUser.isCurrent(before))
    currentUser.move(into: Self.first)
    #expect(!currentUser.isCurrent(before), "the same user again is another generation")
  }

  @Test("X8 G13: an attempt from an earlier user session cannot change installation values")
  func formerStay() async throws {
    let currentUser = CurrentUser(Self.first)
    currentUser.move(into: Self.second)
    let back = currentUser.move(into: Self.first)
    #expect(back.generation == 3)
    #expect(currentUser.userSession(acting: Self.attempt(by: "u-1", in: 1)) == nil)
    #expect(currentUser.userSession(acting: Self.attempt(by: "u-1", in: 3)) == back)
    #expect(try await !speaks(currentUser, "u-1", in: 1, for: "braze"))
    #expect(try await speaks(currentUser, "u-1", in: 3, for: "braze"))
    await currentUser.forget(Self.second)
    currentUser.move(into: Self.secondAgain)
    await #expect(throws: EngagementError.self) {
      try await speaks(currentUser, "u-2", in: 2, for: "braze")
    }
    #expect(try await speaks(currentUser, "u-2", in: 4, for: "braze"))
  }

  @Test(
    "X8: a user switch waits for a commit under way and not for later ones")
  func waits() async throws {
    let currentUser = CurrentUser(Self.first)
    let (early, late) = (Gate(), Gate())
    let hasLeft = Locked(false)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await currentUser.committing(by: Self.attempt(by: "u-1"), for: "braze") { (_, speaks) in
          #expect(speaks)
          await early.pass()
          #expect(!hasLeft.withLock { $0 })
        }
      }
      await early.isHolding(1)
      let leaving = Task {
        await currentUser.leave(CurrentUser.Change(adopters: []))
        hasLeft.withLock { $0 = true }
      }
      while currentUser.userSession(acting: Self.attempt(by: "u-1")) != nil { await Task.yield() }
      group.addTask {
        try await currentUser.committing(by: Self.attempt(by: "u-1"), for: "braze") { (_, speaks) in
          #expect(!speaks)
          await late.pass()
        }
      }
      await late.isHolding(1)
      early.open()
      await leaving.value
      late.open()
      try await group.waitForAll()
    }
  }

  @Test("G14: commits for an erased user are refused until that user signs in again")
  func erased() async throws {
    let currentUser = CurrentUser(Self.second)
    await currentUser.forget(Self.second)
    await #expect(throws: EngagementError.self) {
      try await speaks(currentUser, "u-2", for: "braze")
    }
    currentUser.move(into: Self.secondAgain)
    #expect(try await speaks(currentUser, "u-2", for: "braze"))
    let partition = try await currentUser.committing(by: Self.attempt(by: "u-2"), for: "braze") {
      (partition, _) in partition
    }
    #expect(partition == Self.secondAgain)
  }

  @Test("G14: commits go on for a user who could not be erased and stays")
  func stays() async throws {
    let currentUser = CurrentUser(Self.first)
    await currentUser.leave(CurrentUser.Change(adopters: []))
    await currentUser.forget(Self.first)
    currentUser.stay()
    #expect(try await speaks(currentUser, "u-1", for: "braze"))
  }
}
