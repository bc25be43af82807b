import EngagementFormats
import EngagementModel
import EngagementPlatform

/// Whether each provider has the user's token for pushes in each environment of the vendor.
struct PushStateTable: ~Copyable {
  private var everything = Statement(
    """
    SELECT provider, environment, state, CASE state WHEN 'pending' THEN NULL ELSE code END,
      CASE state WHEN 'pending' THEN NULL ELSE reason END, token, changed FROM push_state
    WHERE partition = ? ORDER BY provider, environment
    """)
  private var setting = Statement(
    """
    INSERT INTO push_state (partition, provider, environment, state, code, reason, token, changed)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (partition, provider, environment) DO UPDATE SET state = excluded.state,
      code = CASE WHEN excluded.state <> 'pending' THEN excluded.code
        WHEN push_state.state = 'registered' THEN 'registered' ELSE push_state.code END,
      reason = CASE excluded.state WHEN 'pending' THEN push_state.reason ELSE excluded.reason END,
      token = coalesce(excluded.token, push_state.token), changed = excluded.changed
    """)
  // A pending row has in `code` what it was before: NULL for nothing, `registered`, or the code with
  // which it failed. The token of that time is not known any more.
  private var takingBack = Statement(
    """
    UPDATE push_state SET
      state = CASE coalesce(code, '') WHEN '' THEN 'unregistered' WHEN 'registered' THEN code
        ELSE 'failed' END,
      code = nullif(code, 'registered'), token = x'', changed = ?
    WHERE partition = ? AND provider = ? AND environment = ? AND state = 'pending'
    """)
  private var ending = Statement(
    """
    UPDATE push_state SET state = 'unregistered', code = NULL, reason = NULL, changed = ?
    WHERE partition = ? AND provider = coalesce(?, provider) AND state IN ('registered', 'failed')
    """)
  private var endingOthers = Statement(
    """
    UPDATE push_state SET
      changed = CASE state WHEN 'pending' THEN changed ELSE ? END,
      state = CASE state WHEN 'pending' THEN state ELSE 'unregistered' END,
      code = NULL, reason = NULL
    WHERE provider = ? AND environment = ? AND state <> 'unregistered' AND partition <> ?
      AND partition IN (
        SELECT id FROM partition
        WHERE environment = (SELECT environment FROM partition WHERE id = ?))
    """)
  private var findingOthers = Statement(
    """
    SELECT 1 FROM push_state
    WHERE provider = ? AND partition <> ?
      AND (state IN ('registered', 'failed') OR state = 'pending' AND code IS NOT NULL)
      AND partition IN (
        SELECT id FROM partition
        WHERE environment = (SELECT environment FROM partition WHERE id = ?))
    LIMIT 1
    """)
  private var copying = Statement(
    """
    INSERT INTO push_state (partition, provider, environment, state, token, changed)
    SELECT ?, provider, environment, state, token, ? FROM push_state
    WHERE partition = ? AND provider = ? AND state = 'registered'
    ON CONFLICT (partition, provider, environment) DO UPDATE SET state = excluded.state,
      code = NULL, reason = NULL, token = excluded.token, changed = excluded.changed
    WHERE push_state.state <> 'pending'
    """)
  private var erasing = Statement("DELETE FROM push_state WHERE partition = ?")

  /// - Parameter token: The digest of the token that the vendor is told of; nil: the same as before.
  mutating func set(
    _ state: PushState, _ token: [UInt8]?, of partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    var (code, reason): (SQLValue, SQLValue) = (.null, .null)
    if case .failed(let failure, let sentence) = state.phase {
      (code, reason) = (.text(failure.rawValue), .text(sentence))
    }
    try database.run(
      &setting, .integer(partition), .text(state.provider.rawValue),
      .text(state.environment.rawValue), .text(state.phase.name), code, reason,
      token.map { .blob($0[...]) } ?? .null, .integer(Milliseconds.nearest(state.changedAt)))
  }

  /// A registration that was not sent leaves the state as it was before it was accepted.
  mutating func takeBack(
    _ environment: PushEnvironment, at provider: ProviderID, of partition: Partition.ID,
    at now: Date, on database: inout Database
  ) throws(EngagementError) {
    try database.run(
      &takingBack, .integer(Milliseconds.nearest(now)), .integer(partition),
      .text(provider.rawValue), .text(environment.rawValue))
  }

  /// The vendor has let go of the user's tokens, or every vendor has.
  mutating func end(
    at provider: ProviderID?, of partition: Partition.ID, at now: Date,
    on database: inout Database
  ) throws(EngagementError) {
    try database.run(
      &ending, .integer(Milliseconds.nearest(now)), .integer(partition),
      provider.map { .text($0.rawValue) } ?? .null)
  }

  /// The vendor, which has one user for a device's token, has not those of any other user any more.
  mutating func endOthers(
    _ environment: PushEnvironment, at provider: ProviderID, than partition: Partition.ID,
    at now: Date, on database: inout Database
  ) throws(EngagementError) {
    try database.run(
      &endingOthers, .integer(Milliseconds.nearest(now)), .text(provider.rawValue),
      .text(environment.rawValue), .integer(partition), .integer(partition))
  }

  /// Whether the vendor has, or may have, a token of any other user.
  mutating func hasOthers(
    at provider: ProviderID, than partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) -> Bool {
    try !database.all(
      &findingOthers, .text(provider.rawValue), .integer(partition), .integer(partition)
    ) { $0.integer(0) }.isEmpty
  }

  /// Another user takes over the tokens that the vendor has of this one.
  mutating func copy(
    at provider: ProviderID, from former: Partition.ID, to partition: Partition.ID, at now: Date,
    on database: inout Database
  ) throws(EngagementError) {
    try database.run(
      &copying, .integer(partition), .integer(Milliseconds.nearest(now)), .integer(former),
      .text(provider.rawValue))
  }

  /// What the vendors have of a user's tokens, by provider and environment. A state that this release
  /// does not know is left out.
  mutating func holdings(
    of partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) -> [PushHolding] {
    try database.all(&everything, .integer(partition)) { row in
      PushState.Phase(row.text(2), code: row.text(3), reason: row.text(4)).flatMap { phase in
        PushEnvironment(rawValue: row.text(1)).map {
          PushHolding(
            state: PushState(
              ProviderID(row.text(0)), $0, phase, changedAt: Milliseconds.date(row.integer(6))),
            token: row.isNull(5) ? nil : row.bytes(5))
        }
      }
    }.compactMap(\.self)
  }

  /// All states of a user as objects, with the digests of the tokens.
  mutating func held(
    of partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) -> [JSONObject] {
    try database.all(&everything, .integer(partition)) { row in
      ObjectEncoder([
        "record": "pushState", "provider": row.text(0), "environment": row.text(1),
        "state": row.text(2), "code": row.isNull(3) ? nil : row.text(3),
        "reason": row.isNull(4) ? nil : row.text(4),
        "token": row.bytes(5).isEmpty ? nil : Hex.text(of: row.bytes(5)),
        "changedAt": Milliseconds.date(row.integer(6)),
      ]).object
    }
  }

  mutating func erase(
    _ partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    try database.run(&erasing, .integer(partition))
  }
}

extension PushState.Phase {
  fileprivate init?(_ name: String, code: String, reason: String) {
    switch name {
    case "pending": self = .pending
    case "registered": self = .registered
    case "failed": self = .failed(EngagementError.Code(rawValue: code), reason: reason)
    case "unregistered": self = .unregistered
    default: return nil
    }
  }
}
