import EngagementKit
import EngagementModel

extension Command {
  /// `engage cache`.
  static let cache = [repairCache, resetCache]

  private static let confirmation = Option("yes", letter: "y", "do not ask")

  private static let repairCache = Command(
    name: ["cache", "repair"], summary: "make a new cache with what can be saved of this one",
    discussion: """
      For a fault that "engage doctor" reports; a sound cache stays as it is. Pending actions, their
      users and the routes of "engage routes set" are saved; the next sync fetches cards and messages
      anew, and no consent but a denial is known any more. Recorded events and the cursors of exports
      are not saved: an export goes on in another folder. The former files are kept under another
      name. A route that may be lost is told of.
      """,
    examples: [Example("engage cache repair", "then: engage sync")],
    run: { invocation in
      switch try await condition(of: try invocation.configurationWithCache(), invocation) {
      case .sound:
        try invocation.console.line("The cache is sound; there is nothing to repair.")
        try invocation.console.object(["isSound": true])
        return .done
      case .repaired(let recovery): return try tell(recovery, .ifDamaged, invocation)
      case .damaged: return try await replace(.always, invocation)
      }
    })

  private enum Condition {
    case sound
    /// Opening or checking it has put a new cache in its place.
    case repaired(Engagement.CacheRecovery)
    case damaged
  }

  /// Whether the cache opens and every page and row of it is sound.
  private static func condition(
    of configuration: EngageConfiguration, _ invocation: Invocation
  ) async throws -> Condition {
    do throws(EngagementError) {
      let engagement = try await invocation.open(configuration)
      let report = try? await engagement.checkCache()
      try? await engagement.close()
      // Not earlier: what the check has found may be mended when the cache is closed.
      if let recovery = engagement.recovery { return .repaired(recovery) }
      return report?.isSound == true ? .sound : .damaged
    } catch {
      return .damaged
    }
  }

  private static let resetCache = Command(
    name: ["cache", "reset"], summary: "begin with an empty cache",
    discussion: """
      Nothing is saved: pending actions are never sent, no user is signed in, no consent is known, no
      event is recorded any more, and the routes are those of engage.json.
      Vendors are not told, and may go on pushing: sign out first. They get a new id of this
      installation. The former files are kept under another name. It asks first; without a terminal
      it needs --yes.
      """,
    options: [confirmation], examples: [Example("engage cache reset --yes", "then: engage signin")],
    run: { invocation in
      try invocation.confirm("Pending actions will not be sent", by: confirmation)
      return try await replace(.startingEmpty, invocation)
    })

  private static func replace(
    _ repair: Engagement.Options.CacheRepair, _ invocation: Invocation
  ) async throws -> ExitStatus {
    let engagement = try await invocation.open(
      try invocation.configurationWithCache(), repair: repair)
    let recovery = engagement.recovery
    try await engagement.close()
    guard let recovery else {
      throw EngagementError(.busy, "Another process has replaced the cache; try again.")
    }
    return try tell(recovery, repair, invocation)
  }

  private static func tell(
    _ recovery: Engagement.CacheRecovery, _ repair: Engagement.Options.CacheRepair,
    _ invocation: Invocation
  ) throws -> ExitStatus {
    let saved = recovery.savedActions
    let former =
      recovery.path.map { "The former one, with the recorded events, is \($0)." }
      ?? "The former one was gone."
    try invocation.console.line(
      """
      A new cache is in place, with \(saved == 1 ? "1 pending action" : "\(saved) pending actions"). \
      \(former)
      """)
    var object: JSONObject = [
      "savedActions": .integer(Int64(saved)),
      "mayHaveLostActions": .bool(recovery.mayHaveLostActions),
      "mayHaveLostRoutes": .bool(recovery.mayHaveLostRoutes),
    ]
    object["former"] = recovery.path.map { .string($0) }
    if recovery.mayHaveLostRoutes, repair != .startingEmpty {
      invocation.console.note("\(RecoveryNotice.lostRoutes)")
    }
    try invocation.console.object(object)
    return .done
  }
}
