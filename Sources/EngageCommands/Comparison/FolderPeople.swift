/// The people whose events are in each folder of exports.
struct FolderPeople {
  private var folders: [String: Set<UInt64>] = [:]
  private var folder: String?
  private var found: Set<UInt64> = []
  /// Most events are of the same person as the event before.
  private var last: UInt64?

  /// Begins with a file of a folder, or with nil one of which no folder is to be known.
  mutating func begin(_ folder: String?) {
    guard folder != self.folder else { return }
    end()
    self.folder = folder
  }

  mutating func add(_ person: UInt64) {
    guard folder != nil, person != last else { return }
    found.insert(person)
    last = person
  }

  /// The people by the path of the folder.
  mutating func takeFolders() -> [String: Set<UInt64>] {
    end()
    defer { folders = [:] }
    return folders
  }

  private mutating func end() {
    if let folder { folders[folder, default: []].formUnion(found) }
    (folder, found, last) = (nil, [], nil)
  }
}
