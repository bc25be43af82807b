import EngagementModel
import EngagementPlatform

extension Engagement {
  /// Where everything is kept.
  public enum Cache: Hashable, Sendable {
    /// Permanent: in this file and in files beside it. A missing folder is created.
    case file(String)
    /// In a folder of its own that is gone after `close()`.
    case temporary
  }
}

/// The place of an open cache.
struct CacheLocation: Sendable {
  let path: String
  /// What goes with the cache; nil for one that stays.
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
        .storage, "A folder for a temporary cache cannot be made; is the disk full?",
        underlying: "\(type(of: error))")
    }
    self.init(
      path: folder.appendingPathComponent("cache.sqlite").path, folder: folder.path)
  }

  /// Takes away what is temporary.
  func remove() {
    guard let folder else { return }
    // What cannot be removed now is the system's to remove.
    try? FileManager.default.removeItem(atPath: folder)
  }
}
