import EngagementModel
import EngagementPlatform

extension Engagement {
  /// The place of the cache.
  public enum Cache: Hashable, Sendable {
    /// This file and files beside it, which stay. Missing folders are created.
    case file(String)
    /// A folder of its own, which `close()` removes.
    case temporary
  }
}

/// The place of an open cache.
struct CacheLocation: Sendable {
  let path: String
  /// The folder of a temporary cache; nil for any other.
  let folder: String?

  init(_ cache: Cache) throws(EngagementError) {
    switch cache {
    case .file(let path): self.init(path: path, folder: nil)
    case .temporary: try self.init(in: FileManager.default.temporaryDirectory)
    }
  }

  private init(path: String, folder: String?) {
    self.path = path
    self.folder = folder
  }

  private init(in parent: URL) throws(EngagementError) {
    let folder = parent.appendingPathComponent("engagement-\(UUID().uuidString)")
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw EngagementError(
        .storage,
        "No folder for a temporary cache can be made in \(parent.path). Set TMPDIR to a folder that takes one.",
        underlying: "\(type(of: error))")
    }
    self.init(
      path: folder.appendingPathComponent("cache.sqlite").path, folder: folder.path)
  }

  /// Removes a temporary cache.
  func remove() {
    guard let folder else { return }
    // The system clears its temporary folder of what cannot be removed now.
    try? FileManager.default.removeItem(atPath: folder)
  }
}
