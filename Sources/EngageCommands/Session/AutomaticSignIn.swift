import EngagementModel
import EngagementPlatform

/// Whether the configuration's user is signed in by itself: not after an erasure. The mark is a file
/// without content beside the cache, so it says nothing about anybody.
struct AutomaticSignIn {
  private let path: String

  init(besideCacheAt cache: String) { path = "\(cache).erased" }

  var isOff: Bool { access(path, F_OK) == 0 }

  func turnOff() throws(EngagementError) { try OutputFile.replace(path, []) }

  func turnOn() { unlink(path) }
}
