import EngagementKit
import EngagementModel

extension Command {
  /// `engage cache`.
  static let cache = [repairCache, resetCache]

  private static let confirmation = Option("yes", letter: "y", "do not ask")

  private static let repairCache = Command(
    name: ["cache", "repair"], summary: "make a new cache with what can be saved of this one",
    discussion: """
      For a fault that "engage doctor" reports; a sound cache stays as it is. Pending actions and
      their users are saved; the next sync fetches cards and messages anew, and no consent but a
      denial is known any more. The former files are kept under another name.
      """,
    examples: [Example("engage cache repair", "then: engage sync")],
    run: { invocation in
      guard try await !isSound(invocation) else {
        try invocation.console.line("The cache is sound; there is nothing to repair.")
        try invocation.console.object(["isSound": true])
        return .done
      }
      return try await replace(.always, invocation)
    })

  /// Whether the cache opens and every page and row of it is sound.
  private static func isSound(_ invocation: Invocation) async throws -> Bool {
    let configuration = try invocation.configuration()
    guard CacheFile(configuration.cache).wasMade else { return false }
    do throws(EngagementError) {
      let engagement = try await invocation.open(configuration)
      let report = try? await engagement.checkCache()
      try? await engagement.close()
      return report?.isSound == true && report?.recovery == nil
    } catch {
      return false
    }
  }

  private static let resetCache = Command(
    name: ["cache", "reset"], summary: "begin with an empty cache",
    discussion: """
      Nothing is saved: pending actions are never sent, no user is signed in and no consent is known.
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
    let configuration = try invocation.configuration()
    guard CacheFile(configuration.cache).wasMade else {
      throw EngagementError(.notFound, "There is no cache at \(configuration.cache) yet.")
    }
    let engagement = try await invocation.open(configuration, repair: repair)
    let recovery = engagement.recovery
    try await engagement.close()
    guard let recovery else {
      throw EngagementError(.busy, "Another process has replaced the cache; try again.")
    }
    let saved = recovery.savedActions
    let former = recovery.path.map { "The former one is \($0)." } ?? "The former one was gone."
    try invocation.console.line(
      """
      A new cache is in place, with \(saved == 1 ? "1 pending action" : "\(saved) pending actions"). \
      \(former)
      """)
    var object: JSONObject = [
      "savedActions": .integer(Int64(saved)),
      "mayHaveLostActions": .bool(recovery.mayHaveLostActions),
    ]
    object["former"] = recovery.path.map { .string($0) }
    try invocation.console.object(object)
    return .done
  }
}
