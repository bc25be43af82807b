import EngagementModel
import EngagementPlatform

/// Says, beside the cache, that an erasure has begun and not ended. The file is empty: it has no
/// personal data.
struct ErasureMark {
  private let cache: StoreFile

  init(of cache: StoreFile) { self.cache = cache }

  private var path: String { "\(cache.path).erasing" }

  /// Sets the mark durably. Returns whether it was set before.
  func set() throws(EngagementError) -> Bool {
    if try StoreFile.status(of: path, followsLinks: false) != nil { return true }
    _ = try OpenFile(path, O_WRONLY | O_CREAT | O_NOFOLLOW, called: "mark of an erasure")
    try cache.syncFolder()
    return false
  }

  func remove() throws(EngagementError) {
    StoreFile.remove(path)
    try cache.syncFolder()
  }
}
