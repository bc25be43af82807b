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

  /// Whether both are of one arm in one version of one experiment.
  package func isSame(as other: ArmAssignment) -> Bool {
    experiment == other.experiment && version == other.version && arm == other.arm
  }
}
