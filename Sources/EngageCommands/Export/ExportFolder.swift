import EngagementModel
import EngagementPlatform

/// A folder that exports write into, for as long as one of them does.
///
/// A run happens when its manifest is written. If the run is interrupted later, the next one completes
/// it, or takes it back if a user was erased meanwhile or a file is not whole. If it is interrupted
/// earlier, the next one removes what it left.
///
/// ```
/// DIR/vendor=braze/day=2026-11-27/events-…   what readers look for
/// DIR/_manifests/00000000000000004096.json   one for each run, named for its last event
/// DIR/_drafts/…                              files of a run that are not whole, or not placed yet
/// ```
final class ExportFolder {
  let path: String
  /// The manifests of the earlier runs, in order.
  private(set) var manifests: [ExportManifest] = []
  /// How many files of the last run got their names when the folder was opened.
  private(set) var completed = 0
  /// Whether the last run was taken back when the folder was opened, because a file of it was not whole.
  private(set) var isCut = false
  /// Whether the drafts are those of a run that has happened.
  private var isPlacing = false
  /// The folders that this run has made, outer ones first.
  private var made: [String] = []
  private let lock: Int32

  /// Makes the folder if it is not there, and completes the last run. Throws `busy` while another export
  /// writes to it.
  ///
  /// - Parameter revision: That of the ledger, which tells whether a user was erased meanwhile.
  init(_ path: String, revision: String) throws(EngagementError) {
    self.path = path
    (lock, made) = try Self.locked(path)
    for name in try Self.manifestNames(in: path) {
      manifests.append(try ExportManifest(fileAt: "\(path)/\(name)"))
    }
    if let last = manifests.last {
      if isUnfinished(last), last.revision != revision || !isWhole(last) {
        isCut = last.revision == revision
        try takeBack(last)
      } else {
        try place(last)
      }
    }
    removeDrafts()
  }

  deinit { close(lock) }

  // MARK: Opening

  /// The folder's lock, and the folders that were made for it.
  private static func locked(
    _ path: String
  ) throws(EngagementError) -> (lock: Int32, made: [String]) {
    var status = stat()
    if lstat(path, &status) == 0 {
      guard UInt32(status.st_mode) & UInt32(S_IFMT) == UInt32(S_IFDIR) else {
        throw DraftFile.noFolder(path, status)
      }
      let others = try names(in: path).filter { !$0.hasPrefix("_") && !$0.hasPrefix(".") }
      guard others.isEmpty || lstat("\(path)/_manifests", &status) == 0 else {
        throw EngagementError(
          .invalidArgument,
          "\(path) has other files, such as \(others[0]), and no manifest; choose a folder of its own."
        )
      }
    }
    var made: [String] = []
    do throws(EngagementError) {
      for folder in [path, "\(path)/_manifests", "\(path)/_drafts"] {
        if try make(folder) { made.append(folder) }
      }
      return (try taken(lockPath(path), of: path), made)
    } catch {
      removeEmpty(made)
      throw error
    }
  }

  private static func taken(
    _ lockPath: String, of path: String
  ) throws(EngagementError) -> Int32 {
    let lock = open(lockPath, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw DraftFile.failure("\(path) cannot be written.", errno) }
    var (ours, there) = (stat(), stat())
    // A run that fails removes the lock of a folder that it has made.
    guard flock(lock, LOCK_EX | LOCK_NB) == 0, fstat(lock, &ours) == 0,
      lstat(lockPath, &there) == 0, ours.st_ino == there.st_ino
    else {
      close(lock)
      throw busy(path)
    }
    return lock
  }

  private static func lockPath(_ path: String) -> String { "\(path)/_drafts/lock" }

  static func busy(_ path: String) -> EngagementError {
    EngagementError(.busy, "Another export writes to \(path) now; try again when it is done.")
  }

  /// Whether an export writes to the folder now.
  static func isLocked(_ path: String) -> Bool {
    let lock = open(lockPath(path), O_RDWR | O_NOFOLLOW | O_CLOEXEC)
    guard lock >= 0 else { return false }
    defer { close(lock) }
    return flock(lock, LOCK_EX | LOCK_NB) != 0
  }

  /// Whether runs have written to the folder. What is no folder has to be told otherwise.
  static func hasRuns(_ path: String) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0 else { return false }
    guard UInt32(status.st_mode) & UInt32(S_IFMT) == UInt32(S_IFDIR) else { return true }
    let names = try? names(in: "\(path)/_manifests")
    return names?.contains { $0.hasSuffix(".json") } ?? false
  }

  /// The path that the folder has from everywhere.
  var place: String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Makes a folder. Returns false if it is there already.
  private static func make(_ folder: String) throws(EngagementError) -> Bool {
    guard mkdir(folder, 0o700) == 0 else {
      if errno == EEXIST { return false }
      throw DraftFile.failure("\(folder) cannot be made.", errno)
    }
    do throws(EngagementError) {
      try DraftFile.makeDurable(CommandContext.folder(of: folder))
    } catch {
      rmdir(folder)
      throw error
    }
    return true
  }

  private static func removeEmpty(_ folders: [String]) {
    for folder in folders.reversed() { rmdir(folder) }
  }

  /// Removes the folders that this run has made, as far as they are empty, where no run has happened.
  func removeMade() {
    removeDrafts()
    guard manifests.isEmpty else { return }
    if made.contains("\(path)/_drafts") { unlink(Self.lockPath(path)) }
    Self.removeEmpty(made)
  }

  /// The names of the manifests of a folder, in their order.
  static func manifestNames(in path: String) throws(EngagementError) -> [String] {
    var status = stat()
    guard lstat("\(path)/_manifests", &status) == 0 else {
      // It says what is wrong with the folder itself.
      _ = try names(in: path)
      return []
    }
    return try names(in: "\(path)/_manifests").filter { $0.hasSuffix(".json") }.sorted()
      .map { "_manifests/\($0)" }
  }

  /// The files of a folder and its partitions that readers look for, from the folder.
  ///
  /// - Parameter includesHidden: Whether hidden files are among them.
  static func files(
    in folder: String, under prefix: String = "", includingHidden includesHidden: Bool = false
  ) throws(EngagementError) -> [String] {
    var files: [String] = []
    for name in try names(in: "\(folder)/\(prefix)")
    where includesHidden && !own.contains(prefix + name)
      || !name.hasPrefix("_") && !name.hasPrefix(".")
    {
      var status = stat()
      let path = prefix + name
      guard lstat("\(folder)/\(path)", &status) == 0 else { continue }
      if UInt32(status.st_mode) & UInt32(S_IFMT) == UInt32(S_IFDIR) {
        files += try Self.files(in: folder, under: "\(path)/", includingHidden: includesHidden)
      } else {
        files.append(path)
      }
    }
    return files
  }

  /// The folders of exports within a folder, by their paths from it.
  static func inner(of folder: String) throws(EngagementError) -> [String] {
    let files = try files(in: folder, includingHidden: true)
    return Set(
      files.compactMap { path in
        path.firstRange(of: "/_manifests/").map { String(path[..<$0.lowerBound]) }
      }
    )
    .sorted()
  }

  private static let own = ["_manifests", "_drafts"]

  /// The hidden files of a folder that are named like files of events: we pass them over, and other programs may
  /// read them.
  static func hiddenFiles(in folder: String) throws(EngagementError) -> [String] {
    let readable = Set(try files(in: folder))
    return try files(in: folder, includingHidden: true)
      .filter { !readable.contains($0) && FileEnding(of: $0).isOfFile }.sorted()
  }

  /// The names in a folder, without those of the folder itself and its parent.
  static func names(in folder: String) throws(EngagementError) -> [String] {
    guard let list = opendir(folder) else {
      throw EngagementError(
        errno == ENOENT ? .notFound : .unreadable,
        errno == ENOENT
          ? "There is no folder \(folder)." : "The folder \(folder) cannot be read.",
        underlying: String(cString: strerror(errno)))
    }
    defer { closedir(list) }
    var names: [String] = []
    while let entry = readdir(list) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  // MARK: One run

  /// A draft of the file of that number, of the run that begins after an event.
  func draft(
    _ number: Int, ofRunAfter sequence: Int64, becoming name: String
  ) throws(EngagementError) -> DraftFile {
    try DraftFile(draftPath(number, sequence), becoming: "\(path)/\(name)")
  }

  private func draftPath(_ number: Int, _ sequence: Int64) -> String {
    "\(path)/_drafts/\(sequence)-\(number)"
  }

  /// Makes the run happen, whose files are finished drafts, numbered in their order.
  func commit(_ manifest: ExportManifest) throws(EngagementError) {
    try DraftFile.makeDurable("\(path)/_drafts")
    let file = "\(path)/_manifests/\(manifest.name)"
    let draft = try DraftFile("\(path)/_drafts/manifest", becoming: file)
    try draft.write(manifest.encoded)
    try draft.finish()
    try DraftFile.place(draft.path, at: file)
    manifests.append(manifest)
    try place(manifest)
    completed = 0
  }

  private func isUnfinished(_ manifest: ExportManifest) -> Bool {
    var status = stat()
    return manifest.files.indices.contains { lstat(draftPath($0, manifest.after), &status) == 0 }
  }

  /// Whether each file of a run is there as the manifest says, under its name or as a draft.
  func isWhole(_ manifest: ExportManifest) -> Bool {
    var status = stat()
    return manifest.files.enumerated().allSatisfy { number, file in
      let draft = draftPath(number, manifest.after)
      let path = lstat(draft, &status) == 0 ? draft : "\(path)/\(file.path)"
      guard let found = try? EventFile(path) else { return false }
      do throws(EngagementError) {
        return try ExportCheck.difference(of: found, from: file) == nil
      } catch {
        // An interrupted reading has found nothing wrong.
        return error.code == .cancelled
      }
    }
  }

  /// Removes the last run. Its drafts are removed last: until the manifest is gone, they tell
  /// the next run that there is still something to do.
  func takeBack(_ manifest: ExportManifest) throws(EngagementError) {
    for file in manifest.files { unlink("\(path)/\(file.path)") }
    let name = "\(path)/_manifests/\(manifest.name)"
    guard unlink(name) == 0 else { throw DraftFile.failure("\(name) cannot be removed.", errno) }
    try DraftFile.makeDurable("\(path)/_manifests")
    manifests.removeLast()
  }

  /// Gives the files of a run their names, as far as they have none yet.
  private func place(_ manifest: ExportManifest) throws(EngagementError) {
    isPlacing = true
    for (number, file) in manifest.files.enumerated() {
      let draft = draftPath(number, manifest.after)
      let place = "\(path)/\(file.path)"
      var (there, status) = (stat(), stat())
      // Files of earlier runs may have been taken elsewhere.
      guard lstat(draft, &status) == 0 else { continue }
      if lstat(place, &there) == 0, there.st_ino == status.st_ino {
        unlink(draft)
        continue
      }
      var folder = path
      for name in file.path.split(separator: "/").dropLast() {
        folder += "/\(name)"
        if try Self.make(folder) { made.append(folder) }
      }
      try DraftFile.place(draft, at: place)
      completed += 1
    }
    isPlacing = false
  }

  /// Removes what a run that did not happen has left. The drafts of one that has happened stay until they
  /// have their names.
  func removeDrafts() {
    guard !isPlacing else { return }
    for name in (try? Self.names(in: "\(path)/_drafts")) ?? [] where name != "lock" {
      unlink("\(path)/_drafts/\(name)")
    }
  }
}

extension ExportManifest {
  /// The name of its file.
  var name: String { Self.padded(through) + ".json" }

  /// With leading zeros, so that names sort as their numbers.
  static func padded(_ sequence: Int64) -> String {
    let digits = String(sequence)
    return String(repeating: "0", count: max(20 - digits.count, 0)) + digits
  }
}
