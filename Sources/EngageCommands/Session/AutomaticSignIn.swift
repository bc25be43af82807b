import EngagementModel
import EngagementPlatform

/// Whether the configuration's user and consent count by themselves: never again after an erasure or
/// a damaged cache, in which another user or a denial may have been. The mark is a file without
/// content beside the cache, so it says nothing about anybody.
struct AutomaticSignIn {
  private let path: String

  init(besideCacheAt cache: String) { path = "\(cache).ask" }

  var isOff: Bool { access(path, F_OK) == 0 }

  func turnOff() throws(EngagementError) { try OutputFile.replace(path, []) }
}
