import EngagementModel
import Foundation
import Testing

@testable import EngagementStore

@Suite("assignments", .timeLimit(.minutes(20))) struct AssignmentTests {
  private let stand: StoreStand

  init() throws { stand = try StoreStand() }

  private func recorder(
    _ needs: Consent = .full
  ) -> Store.AssignmentRecorder {
    { [stand] consent, assignment, isExposure in
      guard consent == needs else { return nil }
      var event = stand.event(isExposure ? .experimentExposed : .experimentAssigned)
      event.name = assignment.experiment
      event.properties = ["arm": .string(assignment.arm)]
      return event
    }
  }

  private func kinds(_ store: Store, _ user: Partition) async throws -> [String] {
    try await store.entries(after: 0, limit: 100, in: user).map { entry in
      "\(entry.event.kind) \(entry.event.properties["arm"]?.string ?? "")"
    }
  }

  @Test("X11: an arm is recorded once when it is assigned and once when it is seen, by any process")
  func once() async throws {
    let (first, second) = (try await stand.open(), try await stand.open())
    let user = try await first.partition(of: "u-1")
    try await first.setConsent(.full, of: user)
    let wanted = Assignment("e", version: 1, arm: "a")
    for store in [first, second, first] {
      let kept = try await store.assign(
        in: user, at: StoreStand.start, recording: recorder()
      ) { _ in [wanted] }
      #expect(kept.map(\.arm) == ["a"] && kept.first?.assignedAt == StoreStand.start)
      #expect(kept.first?.exposedAt == nil)
    }
    for store in [second, first] {
      let kept = try await store.assign(
        in: user, at: StoreStand.start, exposing: ["e", "other"], recording: recorder()
      ) { _ in [wanted] }
      #expect(kept.first?.exposedAt == StoreStand.start)
    }
    #expect(try await kinds(first, user) == ["experiment.assigned a", "experiment.exposed a"])
  }

  @Test("X11: another version is another assignment, and another arm is recorded anew")
  func again() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    try await store.setConsent(.full, of: user)
    for wanted in [
      Assignment("e", version: 1, arm: "a"), Assignment("e", version: 2, arm: "a"),
      Assignment("e", version: 2, arm: "b"),
    ] {
      _ = try await store.assign(
        in: user, at: StoreStand.start, exposing: ["e"], recording: recorder()
      ) { _ in [wanted] }
    }
    #expect(
      try await store.assignments(of: user).map { "\($0.version) \($0.arm)" } == ["2 b", "1 a"])
    #expect(
      try await kinds(store, user) == [
        "experiment.assigned a", "experiment.exposed a", "experiment.assigned a",
        "experiment.exposed a", "experiment.assigned b", "experiment.exposed b",
      ])
  }

  @Test("X11 X20: without consent nothing is kept; with little, the arm alone until there is more")
  func consent() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    let wanted = Assignment("e", version: 1, arm: "a")
    func assign() async throws -> [Assignment] {
      try await store.assign(
        in: user, at: StoreStand.start, exposing: ["e"], recording: recorder()
      ) { _ in [wanted] }
    }
    try await store.setConsent(.denied, of: user)
    #expect(try await assign().isEmpty)
    try await store.setConsent(.essential, of: user)
    #expect(try await assign() == [wanted])
    #expect(try await kinds(store, user).isEmpty)
    try await store.setConsent(.full, of: user)
    _ = try await assign()
    #expect(try await kinds(store, user) == ["experiment.assigned a", "experiment.exposed a"])
  }

  @Test("X11: the choice is made of what the cache keeps, also by another process")
  func sticky() async throws {
    let (first, second) = (try await stand.open(), try await stand.open())
    let user = try await first.partition(of: "u-1")
    _ = try await first.assign(in: user, at: StoreStand.start, recording: recorder()) { _ in
      [Assignment("e", version: 1, arm: "a")]
    }
    let kept = try await second.assign(in: user, at: StoreStand.start, recording: recorder()) {
      known in known.isEmpty ? [Assignment("e", version: 1, arm: "b")] : known
    }
    #expect(kept.map(\.arm) == ["a"])
  }
}
