import EngagementModel
import EngagementPlatform

/// A part of a download, under a name that nothing refers to.
final class IncomingFile: Sendable {
  let name: String
  private let folder: OpenFolder
  private let file: OpenPlainFile

  init(in folder: consuming OpenFolder) throws(EngagementError) {
    name = "\(UUID().uuidString.lowercased()).part"
    file = try folder.newFile(name)
    self.folder = folder
  }

  static func isName(_ name: String) -> Bool { name.utf8.count == 41 && name.hasSuffix(".part") }

  func write(_ bytes: RawSpan) throws(EngagementError) { try file.write(bytes) }

  /// Writes unless less than the reserve would be free on the disk.
  func write(_ bytes: RawSpan, leaving reserve: Int) throws(EngagementError) {
    if let free = folder.freeBytes, free - bytes.byteCount < reserve { throw FileFolder.full }
    try file.write(bytes)
  }

  func sync() throws(EngagementError) { try file.sync() }
  func setUse(to now: Date) throws(EngagementError) {
    guard file.use(at: now) else { throw FileFolder.unwritten }
  }

  func move(to other: borrowing OpenFolder, as newName: String) throws(EngagementError) {
    try folder.move(name, to: other, as: newName)
  }

  func remove() { folder.remove(name) }
}
