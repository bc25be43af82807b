import EngagementModel
import EngagementPlatform

/// Which arm of which experiment a user is in, and when the ledger had that and the exposure.
struct AssignmentTable: ~Copyable {
  private var everything = Statement(
    """
    SELECT experiment, version, arm, assigned, exposed FROM assignment
    WHERE partition = ? ORDER BY experiment, version
    """)
  private var selection = Statement(
    """
    SELECT experiment, version, arm, assigned, exposed FROM assignment
    WHERE partition = ? ORDER BY experiment, version DESC
    """)
  private var setting = Statement(
    """
    INSERT INTO assignment (partition, experiment, version, arm, assigned, exposed)
    VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (partition, experiment, version) DO UPDATE SET arm = excluded.arm,
      assigned = excluded.assigned, exposed = excluded.exposed
    """)
  private var moving = Statement("UPDATE assignment SET partition = ? WHERE partition = ?")
  private var erasing = Statement("DELETE FROM assignment WHERE partition = ?")

  /// The user's assignments, the newest version of each experiment first.
  mutating func all(
    of partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) -> [ArmAssignment] {
    try database.all(&selection, .integer(partition)) { row in
      ArmAssignment(
        row.text(0), version: Int(clamping: row.integer(1)), arm: row.text(2),
        assignedAt: row.integerIfAny(3).map { Milliseconds.date($0) },
        exposedAt: row.integerIfAny(4).map { Milliseconds.date($0) })
    }
  }

  mutating func set(
    _ assignment: ArmAssignment, of partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    func value(_ date: Date?) -> SQLValue {
      date.map { .integer(Milliseconds.nearest($0)) } ?? .null
    }
    try database.run(
      &setting, .integer(partition), .blob(Array(assignment.experiment.utf8)),
      .integer(assignment.version), .text(assignment.arm), value(assignment.assignedAt),
      value(assignment.exposedAt))
  }

  /// Gives the assignments to the partition that the user has after a purge. The ledger keeps the
  /// exposure, so the user must not be exposed again.
  mutating func move(
    from former: Partition.ID, to new: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    try database.run(&moving, .integer(new), .integer(former))
  }

  /// All assignments of a user as objects.
  mutating func held(
    of partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) -> [JSONObject] {
    try database.all(&everything, .integer(partition)) { row in
      ObjectEncoder([
        "record": "assignment", "experiment": row.text(0), "version": row.integer(1),
        "arm": row.text(2), "assignedAt": row.integerIfAny(3).map { Milliseconds.date($0) },
        "exposedAt": row.integerIfAny(4).map { Milliseconds.date($0) },
      ]).object
    }
  }

  mutating func erase(
    _ partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    try database.run(&erasing, .integer(partition))
  }
}
