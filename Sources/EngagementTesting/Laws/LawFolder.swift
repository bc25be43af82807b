import EngagementModel
import EngagementPlatform

/// A folder for one cache, gone with the last who knows of it.
final class LawFolder: Sendable {
  private let path: String

  /// Throws `storage` where no folder can be made.
  init() throws(EngagementError) {
    path = "\(Self.parent)/engagement-law-\(UUID().uuidString)"
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw EngagementError(
        .storage, "A folder for a law's cache cannot be made.", underlying: "\(type(of: error))")
    }
  }

  deinit {
    // What is left behind harms nobody.
    try? FileManager.default.removeItem(atPath: path)
  }

  /// In memory where the system has such a place: a law asks for thousands of commits, and none of
  /// them has to survive anything.
  private static let parent: String = {
    let memory = "/dev/shm"
    return FileManager.default.isWritableFile(atPath: memory)
      ? memory : FileManager.default.temporaryDirectory.path
  }()

  /// Where the cache is.
  var cache: String { "\(path)/cache.sqlite" }

  /// The names of the files that hold the text.
  func files(holding text: String) throws -> [String] {
    let wanted = Data(text.utf8)
    return try FileManager.default.contentsOfDirectory(atPath: path).sorted().filter { name in
      let bytes = try Data(contentsOf: URL(filePath: "\(path)/\(name)"))
      return Array(bytes).holds(Array(wanted))
    }
  }
}

extension [UInt8] {
  /// Whether the other bytes are in it in one piece.
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
