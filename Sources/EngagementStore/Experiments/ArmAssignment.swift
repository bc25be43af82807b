package import EngagementPlatform

/// A user's arm in a version of an experiment.
package struct ArmAssignment: Hashable, Sendable {
  package var experiment: String
  package var version: Int
  package var arm: String
  /// When the ledger had it; nil before, such as without the user's consent.
  package var assignedAt: Date?
  /// When the ledger had that the user could see the difference that the arm makes; nil before.
  package var exposedAt: Date?

  package init(
    _ experiment: String, version: Int, arm: String, assignedAt: Date? = nil,
    exposedAt: Date? = nil
  ) {
    self.experiment = experiment
    self.version = version
    self.arm = arm
    self.assignedAt = assignedAt
    self.exposedAt = exposedAt
  }

  /// Whether both are of one version of one experiment.
  package func isOfSameVersion(as other: ArmAssignment) -> Bool {
    experiment == other.experiment && version == other.version
  }

  /// What is kept of the version from now on. An arm that the ledger has stays the one of its version,
  /// also where the experiment names its arms otherwise meanwhile: a person is recorded once.
  func following(_ kept: ArmAssignment?) -> ArmAssignment {
    guard let kept, kept.arm == arm || kept.assignedAt != nil else { return self }
    return kept
  }
}
