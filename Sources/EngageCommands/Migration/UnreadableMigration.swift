import EngagementKit
import EngagementModel

/// A surface whose stored migration cannot be read, and what to do about it.
struct UnreadableMigration: Sendable {
  let surface: Engagement.Surface
  let reason: String
  /// Whether no release can read it.
  let isDamaged: Bool

  static func all(of engagement: Engagement) async throws(EngagementError) -> [Self] {
    let damaged = try await engagement.damagedMigrations()
    return try await engagement.unreadableMigrations()
      .sorted { $0.key.rawValue < $1.key.rawValue }.map { surface, reason in
        Self(surface: surface, reason: reason, isDamaged: damaged.contains(surface))
      }
  }

  /// The command that ends it.
  private var command: String { "\"engage migrate forget \(surface.rawValue)\"" }

  /// What to do, as the end of a sentence.
  var next: String {
    (isDamaged ? "run" : "use the release that stored it, or run")
      + " \(command), and the route of engage.json holds again."
  }

  /// What to do, as a sentence.
  var advice: String { next.prefix(1).uppercased() + next.dropFirst() }

  /// What holds meanwhile, and what to do.
  var sentence: String {
    let start = "\(reason) Its route holds, and nothing of it changes here. "
    let end = "\(command) forgets it, and the route of engage.json holds again."
    return start + (isDamaged ? end : "Use the release that stored it, or else \(end)")
  }
}
