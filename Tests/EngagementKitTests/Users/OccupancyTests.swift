import EngagementAdapterAPI
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

@Suite("who uses the application", .timeLimit(.minutes(20))) struct OccupancyTests {
  private static let anonymous = Partition(id: 1, environment: "test", user: .anonymous)
  private static let first = Partition(id: 2, environment: "test", user: "u-1")
  private static let second = Partition(id: 3, environment: "test", user: "u-2")

  private static func attempt(by user: User, in generation: Int? = nil) -> Attempt {
    Attempt(by: user, OperationKey(1, 2), acceptedAt: .distantPast, generation: generation)
  }

  private func speaks(
    _ occupancy: Occupancy, _ user: User, in generation: Int? = nil, for provider: ProviderID
  ) async throws -> Bool {
    try await occupancy.committing(by: Self.attempt(by: user, in: generation), for: provider) {
      $0
    }
  }

  @Test("who is present speaks for the installation; who has left does not")
  func speaks() async throws {
    let occupancy = Occupancy(Self.first)
    #expect(try await speaks(occupancy, "u-1", for: "braze"))
    occupancy.move(into: Self.second)
    #expect(try await !speaks(occupancy, "u-1", for: "braze"))
    #expect(try await speaks(occupancy, "u-2", for: "braze"))
    #expect(try await !speaks(occupancy, .anonymous, for: "braze"))
  }

  @Test("nobody speaks on where the first user took over, provider by provider")
  func adoption() async throws {
    let occupancy = Occupancy(Self.anonymous)
    await occupancy.leave(Occupancy.Change(adopters: ["braze"]))
    #expect(try await speaks(occupancy, .anonymous, for: "braze"))
    #expect(try await !speaks(occupancy, .anonymous, for: "atomic"))
    let occupant = occupancy.move(into: Self.first, adopting: 1, for: ["braze"])
    #expect(occupant.adopted == 1 && occupant.generation == 2)
    #expect(try await speaks(occupancy, .anonymous, for: "braze"))
    #expect(try await !speaks(occupancy, .anonymous, for: "atomic"))
    occupancy.move(into: Self.second)
    #expect(try await !speaks(occupancy, .anonymous, for: "braze"))
  }

  @Test("between two users nothing is sent for anybody, and a user who stays goes on (X8)")
  func between() async throws {
    let occupancy = Occupancy(Self.first)
    let before = occupancy.present
    #expect(occupancy.occupant(acting: Self.attempt(by: "u-1")) == before)
    await occupancy.leave(Occupancy.Change(adopters: []))
    #expect(occupancy.occupant(acting: Self.attempt(by: "u-1")) == nil)
    #expect(try await !speaks(occupancy, "u-1", for: "braze"))
    occupancy.stay()
    #expect(
      occupancy.occupant(acting: Self.attempt(by: "u-1")) == before && occupancy.isPresent(before))
    occupancy.move(into: Self.first)
    #expect(!occupancy.isPresent(before), "the same user again is another generation")
  }

  @Test("what began in a former stay of a user speaks for that user alone (X8, G13)")
  func formerStay() async throws {
    let occupancy = Occupancy(Self.first)
    occupancy.move(into: Self.second)
    let back = occupancy.move(into: Self.first)
    #expect(back.generation == 3)
    #expect(occupancy.occupant(acting: Self.attempt(by: "u-1", in: 1)) == nil)
    #expect(occupancy.occupant(acting: Self.attempt(by: "u-1", in: 3)) == back)
    #expect(try await !speaks(occupancy, "u-1", in: 1, for: "braze"))
    #expect(try await speaks(occupancy, "u-1", in: 3, for: "braze"))
    await occupancy.forget("u-2")
    occupancy.move(into: Self.second)
    await #expect(throws: EngagementError.self) {
      try await speaks(occupancy, "u-2", in: 2, for: "braze")
    }
    #expect(try await speaks(occupancy, "u-2", in: 4, for: "braze"))
  }

  @Test(
    "nobody leaves while something is being committed, and nobody waits for what comes after (X8)")
  func waits() async throws {
    let occupancy = Occupancy(Self.first)
    let (early, late) = (Gate(), Gate())
    let hasLeft = Locked(false)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await occupancy.committing(by: Self.attempt(by: "u-1"), for: "braze") { speaks in
          #expect(speaks)
          await early.pass()
          #expect(!hasLeft.withLock { $0 })
        }
      }
      await early.isHolding(1)
      let leaving = Task {
        await occupancy.leave(Occupancy.Change(adopters: []))
        hasLeft.withLock { $0 = true }
      }
      while occupancy.occupant(acting: Self.attempt(by: "u-1")) != nil { await Task.yield() }
      group.addTask {
        try await occupancy.committing(by: Self.attempt(by: "u-1"), for: "braze") { speaks in
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

  @Test("nothing of a user who was erased is committed until the user comes again (G14)")
  func erased() async throws {
    let occupancy = Occupancy(Self.second)
    await occupancy.forget("u-1")
    await #expect(throws: EngagementError.self) {
      try await speaks(occupancy, "u-1", for: "braze")
    }
    occupancy.move(into: Self.first)
    #expect(try await speaks(occupancy, "u-1", for: "braze"))
  }
}
