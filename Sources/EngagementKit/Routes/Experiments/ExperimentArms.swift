import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// Where a user stands in the experiments of the routes.
struct UserArms: Hashable, Sendable {
  let user: Partition.ID
  var standings: [String: Engagement.Split.Standing] = [:]
  /// The experiments of which the user has an arm and the ledger no exposure.
  var unexposed: Set<String> = []
}

/// Finds out where users stand in experiments, and keeps it.
///
/// People are told apart by the user's id; those without one are the installation. Without consent
/// nothing is kept, and the draw holds, which is the same each time.
struct ExperimentArms: Sendable {
  private let dependencies: KitDependencies

  init(_ dependencies: KitDependencies) { self.dependencies = dependencies }

  /// Where the user stands in the experiments of the routes. It is kept when this returns.
  func settle(
    _ routes: Routes, for partition: Partition
  ) async throws(EngagementError) -> UserArms {
    let splits = routes.splits
    guard !splits.isEmpty else { return UserArms(user: partition.id) }
    try await keepInstallation(for: partition)
    let choice = choice(splits, for: partition)
    let known = try await dependencies.store.assign(
      update(of: splits, for: partition), in: partition, at: dependencies.clock.now)
    return arms(choice, known, of: partition)
  }

  /// Where the user would stand if the routes held. Nothing is kept.
  func expect(
    _ routes: Routes, for partition: Partition
  ) async throws(EngagementError) -> UserArms {
    let splits = routes.splits
    guard !splits.isEmpty else { return UserArms(user: partition.id) }
    let known = try await dependencies.store.assignments(of: partition)
    return arms(choice(splits, for: partition), known, of: partition)
  }

  /// What is kept and recorded of the user's arms.
  func update(
    of splits: [Engagement.Split], for partition: Partition, exposing exposed: Set<String> = []
  ) -> Store.AssignmentUpdate {
    let choice = choice(splits, for: partition)
    return Store.AssignmentUpdate(
      exposed: exposed, event: { [self] in event($0, $1, isExposure: $2) },
      choose: { choice.wanted(among: $0) })
  }

  private func choice(_ splits: [Engagement.Split], for partition: Partition) -> ArmChoice {
    ArmChoice(splits, for: partition.user.id?.rawValue ?? dependencies.device().id)
  }

  private func arms(
    _ choice: ArmChoice, _ known: [ArmAssignment], of partition: Partition
  ) -> UserArms {
    UserArms(
      user: partition.id, standings: choice.standings(among: known),
      unexposed: choice.unexposed(among: known))
  }

  /// The experiments of which the user has an arm and the ledger no exposure.
  func unexposed(
    _ splits: [Engagement.Split], among known: [ArmAssignment], for partition: Partition
  ) -> Set<String> {
    choice(splits, for: partition).unexposed(among: known)
  }

  func logUnknown(_ error: EngagementError) {
    dependencies.log(.warning, "The arms of experiments are not known yet: \(error.code)")
  }

  private func event(
    _ consent: Consent, _ assignment: ArmAssignment, isExposure: Bool
  ) -> EngagementEvent? {
    let kind = isExposure ? EngagementEvent.Kind.experimentExposed : .experimentAssigned
    guard ConsentPolicy(consent: consent).allows(kind) else { return nil }
    var properties: JSONObject = [
      "arm": .string(assignment.arm), "version": .integer(Int64(assignment.version)),
    ]
    properties["appVersion"] = dependencies.device().appVersion.map { .string($0) }
    var event = dependencies.event(kind, properties)
    event.name = assignment.experiment
    return event
  }

  /// Keeps the installation's id for readers in other processes, which do not know the device.
  private func keepInstallation(for partition: Partition) async throws(EngagementError) {
    guard partition.user.isAnonymous else { return }
    let (state, id) = (KitState(dependencies), JSON.string(dependencies.device().id))
    guard try await state.value(.installation, Self.installation, in: partition) != id else {
      return
    }
    try await state.keep([Self.installation: id], .installation, in: partition)
  }

  static let installation = "experiments.installation"
}
