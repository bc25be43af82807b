package import EngagementModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a notification extension, another process with little time, leaves for the application in
/// a small file beside the cache.
///
/// What `append` left survives a kill and, as far as the disk honours a sync, a power failure.
/// The application folds it in; whoever is about to change users folds first, since an entry need
/// not say whose it is.
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
  /// Throws `queueFull` where there is no room, `busy` where the application folds for longer than
  /// the wait, and `invalidArgument` for what could not be read again.
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

  /// What a fold found.
  package struct Fold: Hashable, Sendable {
    /// Entries that were handed over.
    package var entries: Int
    /// Stretches that nobody can read: torn by a kill, or damaged.
    package var damaged: Int

    package init(entries: Int = 0, damaged: Int = 0) {
      self.entries = entries
      self.damaged = damaged
    }
  }

  /// Hands over everything in order, with how many stretches are damaged; empties the file once
  /// that was committed; and does something more before anything can be added.
  ///
  /// What was committed may be handed over again after a kill: an entry's id tells. Nothing is
  /// lost when a body throws. Throws `busy` where another process folds for longer than the
  /// wait.
  package func fold(
    within wait: Duration = .seconds(1),
    then last: () async throws(EngagementError) -> Void = { () async throws(EngagementError) in },
    _ commit: ([Entry], _ damaged: Int) async throws(EngagementError) -> Void
  ) async throws(EngagementError) -> Fold {
    guard try isThere else {
      try await last()
      return Fold()
    }
    var lock = try lock()
    try await lock.acquireAsleep(within: wait)
    defer { lock.release() }
    let open = try open(O_RDWR)
    let bytes = try open.read(atMost: Self.limit)
    let found = JournalFrame.bodies(in: bytes)
    let entries = found.bodies.compactMap(Entry.init(bytes:))
    let damaged = found.damaged + found.bodies.count - entries.count
    if !entries.isEmpty { try await commit(entries, damaged) }
    if !bytes.isEmpty {
      try open.truncate(to: 0)
      try open.syncBytes()
    }
    try await last()
    return Fold(entries: entries.count, damaged: damaged)
  }

  /// Drops everything, of whomever it is.
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
      try StoreFile.status(of: file.path, called: file.subject) != nil
    }
  }

  /// The file itself is what is locked: it is emptied, and never replaced.
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

  /// The first entry in the file: it may have been made just now.
  private func prepare(_ open: borrowing OpenFile) throws(EngagementError) {
    try open.protect()
    try file.syncFolder()
  }

  private static func takeBack(_ open: borrowing OpenFile, to size: Int) {
    do throws(EngagementError) {
      try open.truncate(to: size)
    } catch {
      // Half an entry stays behind. It costs itself: the next one is found by its marker.
    }
  }
}

extension SideLock {
  /// Waits without keeping a thread of the shared pool; throws `busy` after the wait.
  fileprivate mutating func acquireAsleep(within wait: Duration) async throws(EngagementError) {
    let deadline = ContinuousClock.now.advanced(by: wait)
    while try !tryAcquire() {
      guard ContinuousClock.now < deadline else {
        throw EngagementError(.busy, "Another process uses the journal")
      }
      do {
        try await Task.sleep(for: .milliseconds(2))
      } catch {
        throw EngagementError(.cancelled, "The wait for the journal was cancelled")
      }
    }
  }
}
