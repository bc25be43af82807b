import EngagementModel
import EngagementPlatform

/// The files of exported events that a command was given, and those of the folders among them.
struct ExportedFiles {
  /// A file as it was named, and where it is.
  struct File: Hashable {
    let name: String
    let path: String
    /// The path of the folder that it is in, if that was named; else nil.
    var folder: String?

    /// Shows how much of the file was read, told in bytes without compression.
    func progress(_ show: @escaping (Phrase) -> Void) -> (Int) -> Void {
      var shown = -Self.progressStep
      return { bytes in
        guard bytes - shown >= Self.progressStep else { return }
        shown = bytes
        show("Reading \(name): \(bytes >> 20) MB")
      }
    }

    private static let progressStep = 4 << 20
  }

  /// What the manifests of a folder say of the log that its events are from.
  struct Log: Hashable {
    /// The events that were recorded.
    var written = 0
    /// Those that were evicted or erased before an export could read them.
    var lost = 0
  }

  /// A file of a folder that is not as its manifest says.
  struct Damage: Hashable {
    let name: String
    let sentence: String
  }

  private(set) var files: [File] = []
  private var folders: [File] = []
  /// What was passed over in folders.
  private(set) var notes: [String] = []

  /// Throws `conflict` for folders of one device that name its users in two ways, `notFound` for a name that
  /// nothing has, and for a folder without files of events.
  init(_ names: [String], _ path: (String) -> String) throws(EngagementError) {
    for name in names { try add(File(name: name, path: path(name))) }
    try requireOneNaming()
  }

  /// Holds the manifests of the folders against each other.
  private func requireOneNaming() throws(EngagementError) {
    var first: [String: (folder: String, users: String)] = [:]
    for folder in folders {
      for name in try ExportFolder.manifestNames(in: folder.path) {
        // A damaged one is told later.
        guard let header = try? ExportManifest(fileAt: "\(folder.path)/\(name)").header,
          let users = header.users
        else { continue }
        guard let known = first[header.source] else {
          first[header.source] = (folder.name, users)
          continue
        }
        guard known.users != users else { continue }
        throw CollectedEvents.conflict(
          known.folder, folder.name, "\(known.users) and \(users)", ofSource: header.source)
      }
    }
  }

  private mutating func add(_ place: File) throws(EngagementError) {
    var status = stat()
    guard stat(place.path, &status) == 0 else {
      throw errno == ENOENT
        ? EngagementError(.notFound, "There is no file \(place.name).")
        : EngagementError(
          .unreadable, "\(place.name) cannot be read.",
          underlying: String(cString: strerror(errno)))
    }
    guard UInt32(status.st_mode) & UInt32(S_IFMT) == UInt32(S_IFDIR) else {
      files.append(place)
      return
    }
    let exports = try ExportFolder.inner(of: place.path)
    for export in exports {
      try add(File(name: "\(place.name)/\(export)", path: "\(place.path)/\(export)"))
    }
    func isOfPlace(_ path: String) -> Bool { !exports.contains { path.hasPrefix("\($0)/") } }
    let found = try ExportFolder.files(in: place.path).filter(isOfPlace).sorted()
    let hidden = try ExportFolder.hiddenFiles(in: place.path).filter(isOfPlace)
    if let first = hidden.first {
      let names = hidden.count == 1 ? first : "\(first) and \(hidden.count - 1) more"
      notes.append("\(place.name): hidden files are not read: \(names). Name them to read them.")
    }
    guard !found.isEmpty || !exports.isEmpty else {
      throw EngagementError(.notFound, "\(place.name) has no file of exported events.")
    }
    folders.append(place)
    files += found.map {
      File(name: "\(place.name)/\($0)", path: "\(place.path)/\($0)", folder: place.path)
    }
  }

  /// Holds the folders against their manifests, and leaves out each file that is another one now.
  mutating func takeDamage() throws -> [Damage] {
    var damage: [Damage] = []
    for folder in folders {
      for finding in try ExportCheck.damage(in: folder.path) {
        let name = "\(folder.name)/\(finding.place)"
        let count = files.count
        files.removeAll { $0.name == name }
        let isFile = files.count < count || !finding.place.hasPrefix("_manifests/")
        damage.append(
          Damage(
            name: name,
            sentence: finding.sentence
              + (isFile ? " It is left out." : " What files it names is not known.")))
      }
    }
    return damage
  }

  /// The logs of the folders, by path. A damaged manifest is told elsewhere, and of its folder nothing is
  /// known.
  func logs() throws(EngagementError) -> [String: Log] {
    var logs: [String: Log] = [:]
    for folder in folders {
      let names = try ExportFolder.manifestNames(in: folder.path)
      let manifests = names.compactMap { try? ExportManifest(fileAt: "\(folder.path)/\($0)") }
      guard !names.isEmpty, manifests.count == names.count else { continue }
      logs[folder.path] = manifests.reduce(into: Log()) { log, manifest in
        log.written += manifest.dropped.values.reduce(manifest.events, +)
        log.lost += manifest.dropped[ExportManifest.Reason.gone.rawValue] ?? 0
      }
    }
    return logs
  }
}
