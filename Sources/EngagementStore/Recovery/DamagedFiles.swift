import EngagementFormats
import EngagementModel
import EngagementPlatform

/// The files of a damaged cache while it is set aside.
///
/// First they are named `.damaged`: the next process that opens the cache saves their rows. Then
/// they are named `.corrupt-<time>`.
struct DamagedFiles {
  /// How many damaged caches are kept for examination.
  static let keptCount = 3

  private let cache: StoreFile

  init(of cache: StoreFile) { self.cache = cache }

  /// What the damaged file is called until its rows are saved.
  var path: String { "\(cache.path).damaged" }

  /// Whether there is one whose rows are still to be saved.
  var areWaiting: Bool {
    get throws(EngagementError) { try StoreFile.status(of: path, followsLinks: false) != nil }
  }

  /// Identifies a file independently of its name.
  struct Identity: Equatable {
    let device: dev_t
    let number: ino_t
  }

  /// The file at the cache's path; nil if there is none.
  var present: Identity? {
    get throws(EngagementError) {
      try StoreFile.status(of: cache.path, followsLinks: false)
        .map { Identity(device: $0.st_dev, number: $0.st_ino) }
    }
  }

  /// Moves a file away from the cache's path, unless another file is there now: another process was
  /// faster.
  func take(_ damaged: Identity?, within wait: Duration) throws(EngagementError) {
    try writersHeldOff(within: wait) { () throws(EngagementError) in
      guard try present == damaged else { return }
      try move(cache.path, to: path)
      try cache.syncFolder()
    }
  }

  /// Moves the log too, even after an interruption: a log beside a missing or empty file belongs to
  /// the damaged one. Without it the last accepted rows would be missing.
  func takeLog(within wait: Duration) throws(EngagementError) {
    try writersHeldOff(within: wait) { () throws(EngagementError) in
      guard try StoreFile.status(of: cache.path).map({ $0.st_size == 0 }) ?? true else { return }
      for suffix in ["-wal", "-shm"] where try StoreFile.status(of: path + suffix) == nil {
        try move(cache.path + suffix, to: path + suffix)
      }
      try cache.syncFolder()
    }
  }

  /// Gives the files their last name, and removes the oldest damaged caches.
  func keep(at now: Date) throws(EngagementError) -> String {
    let name = try keep(path, at: now)
    for old in kept().dropLast(Self.keptCount) { Self.remove(old) }
    return name
  }

  /// Sets the file at the cache's path aside without saving its rows.
  func giveUpPresent(at now: Date, within wait: Duration) throws(EngagementError) {
    try writersHeldOff(within: wait) { () throws(EngagementError) in
      _ = try keep(cache.path, at: now)
    }
  }

  /// Whether any damaged cache is set aside.
  var areThere: Bool {
    get throws(EngagementError) {
      if try areWaiting { return true }
      return try names().contains { $0.hasPrefix(prefix) }
    }
  }

  /// Removes every damaged cache. One user cannot be erased from them in any other way. Throws
  /// `storage`, with the name, if one is still there.
  func removeAll() throws(EngagementError) {
    let waiting = ["", "-wal", "-shm"].map { path + $0 }
    for old in try names().filter({ $0.hasPrefix(prefix) }) + waiting {
      // A folder is none of ours.
      guard unsafe unlink(old) != 0, errno != ENOENT, errno != EISDIR else { continue }
      throw EngagementError(
        .storage, "A damaged cache that was set aside cannot be removed; remove it: \(old)",
        underlying: "errno \(errno)")
    }
    try cache.syncFolder()
  }
}

extension DamagedFiles {
  private func writersHeldOff(
    within wait: Duration, _ body: () throws(EngagementError) -> Void
  ) throws(EngagementError) {
    var lock = try SideLock(at: cache.lockPath)
    try lock.acquire(within: wait)
    defer { lock.release() }
    try body()
  }

  private func keep(_ path: String, at now: Date) throws(EngagementError) -> String {
    let name = try freeName(at: now)
    // The file itself comes last: its name says that there is still something to do, and a log
    // without its file would be taken for another's.
    for suffix in ["-wal", "-shm", ""] {
      try move(path + suffix, to: name + suffix)
      // It may be older than the rule that only its owner reads a cache.
      _ = unsafe chmod(name + suffix, 0o600)
    }
    try cache.syncFolder()
    return name
  }

  /// Renames a file, if it exists.
  private func move(_ old: String, to new: String) throws(EngagementError) {
    guard unsafe rename(old, new) != 0, errno != ENOENT else { return }
    throw EngagementError(
      .storage, "The damaged cache cannot be set aside", underlying: "errno \(errno)")
  }

  private static func remove(_ path: String) {
    for suffix in ["", "-wal", "-shm"] { StoreFile.remove(path + suffix) }
  }

  private func freeName(at now: Date) throws(EngagementError) -> String {
    let time = ISO8601.text(of: now)?.prefix(19).filter { $0 != "-" && $0 != ":" }
    let name = prefix + (time ?? "00000000T000000") + "Z"
    var (candidate, number) = (name, 1)
    while try isTaken(candidate) {
      number += 1
      candidate = "\(name)-\(number)"
    }
    return candidate
  }

  private func isTaken(_ name: String) throws(EngagementError) -> Bool {
    for suffix in ["", "-wal", "-shm"] where try StoreFile.status(of: name + suffix) != nil {
      return true
    }
    return false
  }

  private var prefix: String { "\(cache.path).corrupt-" }

  /// The paths of everything in the cache's folder.
  private func names() throws(EngagementError) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: cache.folder)
        .map { cache.folder == "/" ? "/\($0)" : "\(cache.folder)/\($0)" }
    } catch {
      throw EngagementError(.unreadable, "The cache's folder cannot be listed: check its rights.")
    }
  }

  /// The damaged caches that were kept, the oldest first.
  private func kept() -> [String] {
    // Names that cannot be listed are only kept longer.
    let paths = ((try? names()) ?? [])
      .filter { $0.hasPrefix(prefix) && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
    return paths.sorted { left, right in
      let (first, second) = (left.prefix(timeEnd), right.prefix(timeEnd))
      // Within a second they are numbered, and 10 comes after 9.
      return first == second ? (left.count, left) < (right.count, right) : first < second
    }
  }

  /// Where a name's time ends, as `20261120T123456Z`.
  private var timeEnd: Int { prefix.count + 16 }
}
