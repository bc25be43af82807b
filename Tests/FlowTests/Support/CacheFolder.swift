import EngagementKit
import EngagementTesting
import Foundation

/// A folder for the caches of one test; it is removed with the last reference.
final class CacheFolder: Sendable {
  private let url = FileManager.default.temporaryDirectory
    .appending(path: "engagement-flow-\(UUID().uuidString)")
  private let copies = Locked(0)

  init() {
    // Where this fails, the cache cannot be opened.
    try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The cache of the first process.
  var cache: Engagement.Cache { cache(0) }

  /// A copy of the first process's files as they are now. A kill leaves the same files.
  func copy() throws -> Engagement.Cache {
    let number = copies.withLock { copies in
      copies += 1
      return copies
    }
    try FileManager.default.copyItem(at: folder(0), to: folder(number))
    return cache(number)
  }

  private func folder(_ number: Int) -> URL { url.appending(path: "\(number)") }

  private func cache(_ number: Int) -> Engagement.Cache {
    .file(folder(number).appending(path: "cache.sqlite").path)
  }
}
