import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementPlatform

/// What `engage migrate status` tells of each surface that moves, by the cache alone.
struct MigrationOverview {
  let surfaces: [MigratingSurface]
  let unreadable: [UnreadableMigration]
  let notes: MigrationNotes
  let date: Date

  /// - Parameter reader: Reads the same cache.
  init(of engagement: Engagement, _ reader: EngagementReader, at date: Date) async throws {
    self.date = date
    notes = MigrationNotes(of: engagement)
    unreadable = try await UnreadableMigration.all(of: engagement)
    let statuses = try await engagement.migrations()
    let parity = statuses.isEmpty ? [] : try await engagement.parity()
    let dropped =
      statuses.contains { $0.surface == .push } ? try Self.droppedPushes(in: reader) : [:]
    var surfaces: [MigratingSurface] = []
    for status in statuses {
      let (from, to) = (status.plan.from, status.plan.to)
      let holding = try await engagement.migrationHoldings(from: from, to: to)
        .first { $0.surface == status.surface }
      surfaces.append(
        MigratingSurface(
          status: status, holding: holding,
          parity: parity.filter { $0.candidate == to && $0.surface == status.surface },
          droppedPushes: status.surface == .push ? dropped[from] ?? 0 : nil))
    }
    self.surfaces = surfaces
  }

  /// How many late pushes of each provider were not shown, by the events that the cache has.
  private static func droppedPushes(in reader: EngagementReader) throws -> [ProviderID: Int] {
    var dropped: [ProviderID: Int] = [:]
    var last: Int64 = 0
    let limit = 1_000
    while true {
      let events = try reader.events(after: last, limit: limit)
      for event in events where event.kind == .pushDropped {
        if let provider = event.provider { dropped[provider, default: 0] += 1 }
      }
      guard events.count == limit, let newest = events.last else { return dropped }
      last = newest.sequence
    }
  }

  var statuses: [Engagement.MigrationStatus] { surfaces.map(\.status) }
}

/// One surface that moves.
struct MigratingSurface {
  let status: Engagement.MigrationStatus
  let holding: Engagement.MigrationHolding?
  /// The comparisons with the new provider.
  let parity: [Engagement.ParityReport]
  /// Nil for a surface without pushes.
  let droppedPushes: Int?

  var name: String { status.surface.rawValue }

  /// The stages from `off` to `removed`.
  var stages: [Engagement.MigrationStage] {
    [.off] + (status.plan.moves.first { $0.surface == status.surface }?.stages ?? [])
  }

  /// Whether what is listed by both can be told apart at all.
  var hasContents: Bool { status.surface == .cards || status.surface == .inbox }

  var object: JSONObject {
    var object = status.object
    object["held"] = holding?.held.map { .integer(Int64($0)) }
    if hasContents, let holding {
      object["shownOnce"] = .integer(Int64(holding.shownOnce))
      object["hidden"] = .integer(Int64(holding.hidden))
    }
    object["droppedPushes"] = droppedPushes.map { .integer(Int64($0)) }
    return object
  }
}
