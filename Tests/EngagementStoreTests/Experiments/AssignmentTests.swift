import EngagementModel
import Foundation
import Testing

@testable import EngagementStore

@Suite("assignments", .timeLimit(.minutes(20))) struct AssignmentTests {
  private let stand: StoreStand

  init() throws { stand = try StoreStand() }

  private func update(
    exposing exposed: Set<String> = [],
    _ choose: @escaping @Sendable ([ArmAssignment]) -> [ArmAssignment]
  ) -> Store.AssignmentUpdate {
    Store.AssignmentUpdate(
      exposed: exposed,
      event: { [stand] consent, assignment, isExposure in
        guard consent == .full else { return nil }
        var event = stand.event(isExposure ? .experimentExposed : .experimentAssigned)
        event.name = assignment.experiment
        event.properties = ["arm": .string(assignment.arm)]
        return event
      }, choose: choose)
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
    let wanted = ArmAssignment("e", version: 1, arm: "a")
    for store in [first, second, first] {
      let kept = try await store.assign(update { _ in [wanted] }, in: user, at: StoreStand.start)
      #expect(kept.map(\.arm) == ["a"] && kept.first?.assignedAt == StoreStand.start)
      #expect(kept.first?.exposedAt == nil)
    }
    for store in [second, first] {
      let kept = try await store.assign(
        update(exposing: ["e", "other"]) { _ in [wanted] }, in: user, at: StoreStand.start)
      #expect(kept.first?.exposedAt == StoreStand.start)
    }
    #expect(try await kinds(first, user) == ["experiment.assigned a", "experiment.exposed a"])
  }

  @Test("X11: another version is another assignment, and a version has one recorded arm")
  func again() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    try await store.setConsent(.full, of: user)
    // Before it is recorded, another arm may take its place.
    try await store.setConsent(.essential, of: user)
    _ = try await store.assign(
      update { _ in [ArmAssignment("e", version: 1, arm: "b")] }, in: user, at: StoreStand.start)
    try await store.setConsent(.full, of: user)
    for wanted in [
      ArmAssignment("e", version: 1, arm: "a"), ArmAssignment("e", version: 2, arm: "a"),
      ArmAssignment("e", version: 2, arm: "b"), ArmAssignment("e", version: 2, arm: "a"),
    ] {
      _ = try await store.assign(
        update(exposing: ["e"]) { _ in [wanted] }, in: user, at: StoreStand.start)
    }
    #expect(
      try await store.assignments(of: user).map { "\($0.version) \($0.arm)" } == ["2 a", "1 a"])
    #expect(
      try await kinds(store, user) == [
        "experiment.assigned a", "experiment.exposed a", "experiment.assigned a",
        "experiment.exposed a",
      ])
  }

  @Test("X11 X20: without consent nothing is kept; with little, the arm alone until there is more")
  func consent() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    let wanted = ArmAssignment("e", version: 1, arm: "a")
    func assign() async throws -> [ArmAssignment] {
      try await store.assign(
        update(exposing: ["e"]) { _ in [wanted] }, in: user, at: StoreStand.start)
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
    _ = try await first.assign(
      update { _ in [ArmAssignment("e", version: 1, arm: "a")] }, in: user, at: StoreStand.start)
    let kept = try await second.assign(
      update { $0.isEmpty ? [ArmAssignment("e", version: 1, arm: "b")] : $0 }, in: user,
      at: StoreStand.start)
    #expect(kept.map(\.arm) == ["a"])
  }
}
