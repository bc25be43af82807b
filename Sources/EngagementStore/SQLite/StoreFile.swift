import EngagementModel
import EngagementPlatform

/// A file of the library, such as the cache, as the file system sees it.
struct StoreFile: Sendable {
  let path: String
  /// What errors call it.
  let subject: String

  /// The path as SQLite takes it literally, without its `:memory:`, `file:` or temporary files.
  init(_ path: String, called subject: String = "cache") throws(EngagementError) {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw EngagementError(.invalidArgument, "The path of the \(subject) is empty or has a NUL")
    }
    self.path = path.utf8.first == UInt8(ascii: "/") ? path : "./\(path)"
    self.subject = subject
  }

  /// The file that a link at the path leads to; the path itself where no link leads to a file. SQLite
  /// keeps the log beside the file and not beside the link.
  static func resolved(_ path: String) -> String {
    guard let own = try? status(of: path, followsLinks: false)?.st_mode, own & S_IFMT == S_IFLNK,
      let mode = try? status(of: path)?.st_mode, mode & S_IFMT == S_IFREG,
      let text = unsafe realpath(path, nil)
    else { return path }
    defer { unsafe free(text) }
    return unsafe String(cString: text)
  }

  /// Throws `storage` if the disk has no room for that many bytes beside the file.
  func requireRoom(for count: Int) throws(EngagementError) {
    let probe = "\(path).room"
    Self.remove(probe)
    defer { Self.remove(probe) }
    let file = try OpenFile(probe, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW, called: subject)
    try file.write([UInt8](repeating: 0, count: count))
    try file.syncBytes()
  }

  var lockPath: String { "\(path).lock" }
  var logPath: String { "\(path)-wal" }

  var folder: String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Makes the folder (0700) and an empty file (0600), unless they are there.
  ///
  /// SQLite gives its own files the mode of this one.
  func make() throws(EngagementError) {
    try makeFolder()
    // Only a file that is new: closing any other would release the process's locks.
    let flags = O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW
    let descriptor = unsafe open(path, flags, 0o600)
    guard descriptor < 0 else {
      fchmod(descriptor, 0o600)
      close(descriptor)
      return
    }
    guard errno == EEXIST else { throw Self.failure(errno, of: subject) }
  }

  /// Creates the folder and the folders above it that are missing, with mode 0700 under any umask.
  /// If that is not possible, opening the file fails and says why.
  func makeFolder() throws(EngagementError) {
    if unsafe mkdir(folder, 0o700) != 0 {
      guard errno == ENOENT else { return }
      try StoreFile(folder, called: subject).makeFolder()
      guard unsafe mkdir(folder, 0o700) == 0 else { return }
    }
    unsafe chmod(folder, 0o700)
    try syncFolder(of: folder)
  }

  /// Makes changes of the names in the folder durable.
  func syncFolder() throws(EngagementError) { try syncFolder(of: path) }

  /// Refuses what is no plain file: opening a pipe, for one, would wait for ever.
  func requirePlainFile() throws(EngagementError) {
    guard let mode = try Self.status(of: path)?.st_mode else {
      throw EngagementError(.notFound, "There is no cache in this place")
    }
    guard mode & S_IFMT == S_IFREG else {
      throw EngagementError(.unreadable, "The cache is no plain file")
    }
  }

  /// Whether something has the cache's name that can be no cache: a pipe, a socket, or a link that
  /// leads to no file. A folder or a device is none of ours to move.
  func isUnusable() throws(EngagementError) -> Bool {
    guard let own = try Self.status(of: path, followsLinks: false)?.st_mode else { return false }
    let kind = own & S_IFMT
    guard kind == S_IFLNK else { return kind == S_IFIFO || kind == S_IFSOCK }
    // A link to itself has no status either.
    guard let mode = try? Self.status(of: path)?.st_mode else { return true }
    return mode & S_IFMT != S_IFREG
  }

  /// Whether nothing is there that a cache could be read from.
  func isMissing() throws(EngagementError) -> Bool {
    if try hasStrayLog() { return false }
    guard try Self.status(of: path).map({ $0.st_size == 0 }) ?? true else { return false }
    return try !hasLog()
  }

  /// Whether something other than a file has the name of the log or of its index.
  func hasStrayLog() throws(EngagementError) -> Bool {
    for path in [logPath, "\(path)-shm"] {
      guard let status = try Self.status(of: path, followsLinks: false) else { continue }
      if status.st_mode & S_IFMT != S_IFREG { return true }
    }
    return false
  }

  /// Whether a log is there that has something in it.
  func hasLog() throws(EngagementError) -> Bool { try logSize() > 0 }

  /// How long the log is, in bytes.
  func logSize() throws(EngagementError) -> Int64 {
    try Self.status(of: logPath).map { Int64($0.st_size) } ?? 0
  }

  /// What has the name; nil if nothing has.
  ///
  /// - Parameter followsLinks: Whether a link stands for what it leads to.
  static func status(
    of path: String, called subject: String = "cache", followsLinks: Bool = true
  ) throws(EngagementError) -> stat? {
    var status = stat()
    let result = unsafe followsLinks ? stat(path, &status) : lstat(path, &status)
    guard result == 0 else {
      guard errno == ENOENT else { throw failure(errno, of: subject) }
      return nil
    }
    return status
  }

  /// Removes what has the name, if anything has.
  static func remove(_ path: String) { unsafe unlink(path) }

  static func failure(_ number: Int32, of subject: String) -> EngagementError {
    EngagementError(.unreadable, "The \(subject) cannot be opened", underlying: "errno \(number)")
  }

  private func syncFolder(of path: String) throws(EngagementError) {
    let parent = try StoreFile(path, called: subject).folder
    let folder = try OpenFile(parent, O_RDONLY | O_DIRECTORY, called: subject)
    try folder.sync()
  }
}
