import EngagementFormats
import EngagementKit
import EngagementModel
import EngagementPlatform

/// What is said of a damaged cache until a person has read it. It is kept beside the cache.
struct RecoveryNotice {
  private let path: String
  private static let longest = 2_000

  init(besideCacheAt cache: String) { path = "\(cache).recovered" }

  /// The notice; nil if nothing was damaged since it was acknowledged.
  var text: String? {
    guard let file = try? InputFile(path), let bytes = try? file.bytes(atMost: Self.longest) else {
      return nil
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// What is said where a route may be lost that was set at run time.
  static let lostRoutes = """
    Routes of "engage routes set" may be lost: see "engage routes" before "engage consent set".
    """

  func add(_ recovery: Engagement.CacheRecovery, at now: Date) throws(EngagementError) {
    let lost =
      recovery.lostActions > 0
      ? "\(recovery.lostActions) lost"
      : recovery.mayHaveLostActions ? "others may be lost" : "none lost"
    let saved = recovery.savedActions
    let time = ISO8601.text(of: now) ?? "an unknown time"
    let line =
      if let path = recovery.path {
        """
        The cache was set aside as damaged at \(time): \
        \(saved == 1 ? "1 pending action was" : "\(saved) pending actions were") saved, and \(lost). \
        The file, with the events recorded before, is \(path).
        """ + (recovery.mayHaveLostRoutes ? " \(Self.lostRoutes)" : "")
      } else {
        """
        The cache was found gone at \(time), with all that was in it: pending actions may be lost. \
        Another cache was begun. \(Self.lostRoutes)
        """
      }
    let earlier = text.map { "\($0)\n" } ?? ""
    try OutputFile.replace(path, Array((earlier + line).utf8.suffix(Self.longest)))
  }

  func remove() { unlink(path) }
}
