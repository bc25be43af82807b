package import EngagementModel
import EngagementPlatform

/// A small file beside the cache in which a notification extension leaves entries for the
/// application.
///
/// The extension is another process with little time. An appended entry survives a kill and, as far
/// as the disk honours a sync, a power failure. The application imports the entries. It does so
/// before it changes the user, since an entry may not name its user.
package struct ExtensionJournal: Sendable {
  /// How many bytes the file may have.
  package static let limit = 1 << 20

  private let file: StoreFile

  /// Names the journal of the cache at a path; nothing is opened yet.
  package init(ofCacheAt path: String) throws(EngagementError) {
    file = try StoreFile("\(StoreFile(path).path).journal", called: "journal")
  }

  /// Adds an entry, durably.
  ///
  /// Throws `queueFull` if the journal is full, `busy` if the application imports for longer than
  /// the wait, and `invalidArgument` for an entry that could not be read again.
  package func append(
    _ entry: Entry, within wait: Duration = .seconds(1)
  ) throws(EngagementError) {
    let frame = try JournalFrame.bytes(around: try entry.bytes)
    try file.makeFolder()
    var lock = try lock()
    try lock.acquire(within: wait)
    defer { lock.release() }
    let open = try open(O_WRONLY | O_APPEND)
    let size = Int(try open.status().st_size)
    guard size + frame.count <= Self.limit else {
      throw EngagementError(.queueFull, "The journal of the extension is full")
    }
    if size == 0 { try prepare(open) }
    do throws(EngagementError) {
      try open.write(frame)
      try open.syncBytes()
    } catch {
      Self.takeBack(open, to: size)
      throw error
    }
  }

  /// What `importEntries` found.
  package struct ImportReport: Hashable, Sendable {
    /// The entries that were imported.
    package var entries: Int
    /// The parts of the file that cannot be read: cut by a kill, or damaged.
    package var damaged: Int

    package init(entries: Int = 0, damaged: Int = 0) {
      self.entries = entries
      self.damaged = damaged
    }
  }

  /// Gives all entries to `commit`, in order, with the number of damaged parts. Empties the file
  /// after `commit`, and then calls `last` before the next entry can be appended.
  ///
  /// After a kill, committed entries may come again; their ids tell. If a body throws, no entry is
  /// lost. Throws `busy` if another process imports for longer than the wait.
  package func importEntries(
    within wait: Duration = .seconds(1),
    then last: () async throws(EngagementError) -> Void = { () async throws(EngagementError) in },
    _ commit: ([Entry], _ damaged: Int) async throws(EngagementError) -> Void
  ) async throws(EngagementError) -> ImportReport {
    guard try isThere else {
      try await last()
      return ImportReport()
    }
    // The lock sets it aside, with whatever was accepted in the journal that it replaced.
    let lost = try SideLock.isStranger(file.path, file.subject) ? 1 : 0
    var lock = try lock()
    try await lock.acquireAsleep(within: wait)
    defer { lock.release() }
    let open = try open(O_RDWR)
    let bytes = try open.read(atMost: Self.limit)
    let found = JournalFrame.bodies(in: bytes)
    let entries = found.bodies.compactMap(Entry.init(bytes:))
    let damaged = lost + found.damaged + found.bodies.count - entries.count
    if !entries.isEmpty || damaged > 0 { try await commit(entries, damaged) }
    if !bytes.isEmpty {
      try open.truncate(to: 0)
      try open.syncBytes()
    }
    try await last()
    return ImportReport(entries: entries.count, damaged: damaged)
  }

  /// Deletes the entries of all users.
  package func erase(within wait: Duration = .seconds(1)) throws(EngagementError) {
    guard try isThere else { return }
    var lock = try lock()
    try lock.acquire(within: wait)
    defer { lock.release() }
    let open = try open(O_RDWR)
    try open.truncate(to: 0)
    try open.syncBytes()
  }
}

extension ExtensionJournal {
  private var isThere: Bool {
    get throws(EngagementError) {
      try StoreFile.status(of: file.path, called: file.subject, followsLinks: false) != nil
    }
  }

  /// A lock on the journal itself: the file is emptied, and never replaced.
  private func lock() throws(EngagementError) -> SideLock {
    try SideLock(at: file.path, for: file.subject)
  }

  private func open(_ flags: Int32) throws(EngagementError) -> OpenFile {
    let open = try OpenFile(file.path, flags | O_NOFOLLOW | O_NONBLOCK, called: file.subject)
    guard try open.status().st_mode & S_IFMT == S_IFREG else {
      throw EngagementError(.unreadable, "The journal is no plain file")
    }
    return open
  }

  /// Protects and syncs a file that may be new.
  private func prepare(_ open: borrowing OpenFile) throws(EngagementError) {
    try open.protect()
    try file.syncFolder()
  }

  private static func takeBack(_ open: borrowing OpenFile, to size: Int) {
    do throws(EngagementError) {
      try open.truncate(to: size)
    } catch {
      // Half an entry stays behind. Only that entry is lost: the next one is found by its marker.
    }
  }
}
