import EngagementModel
import EngagementPlatform

/// A folder for one cache, removed with its last reference.
final class LawFolder: Sendable {
  private let path: String

  /// Throws `storage` if the folder cannot be created.
  init() throws(EngagementError) {
    path = "\(Self.parent)/engagement-law-\(UUID().uuidString)"
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw EngagementError(
        .storage, "The cache folder cannot be created.", underlying: "\(type(of: error))")
    }
  }

  deinit {
    // A folder that remains does no harm.
    try? FileManager.default.removeItem(atPath: path)
  }

  /// In memory if the system has such a folder: a law makes thousands of commits, and none must
  /// survive a restart.
  private static let parent: String = {
    let memory = "/dev/shm"
    return FileManager.default.isWritableFile(atPath: memory)
      ? memory : FileManager.default.temporaryDirectory.path
  }()

  /// The path of the cache.
  var cache: String { "\(path)/cache.sqlite" }

  /// The names of the files that contain the text.
  func files(holding text: String) throws -> [String] {
    let wanted = Data(text.utf8)
    return try FileManager.default.contentsOfDirectory(atPath: path).sorted().filter { name in
      let bytes = try Data(contentsOf: URL(filePath: "\(path)/\(name)"))
      return Array(bytes).holds(Array(wanted))
    }
  }
}

extension [UInt8] {
  /// Whether it contains the other bytes in one piece.
  func holds(_ part: [UInt8]) -> Bool {
    guard let first = part.first else { return true }
    guard part.count <= count else { return false }
    var start = startIndex
    while let next = self[start...(count - part.count)].firstIndex(of: first) {
      if self[next...].starts(with: part) { return true }
      start = next + 1
      if start > count - part.count { return false }
    }
    return false
  }
}
