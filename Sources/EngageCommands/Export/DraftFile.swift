import EngagementFormats
import EngagementModel
import EngagementPlatform

/// A file that is being written, under a name that no reader looks for. It is removed with its last
/// reference, unless it was finished.
final class DraftFile {
  let path: String
  /// What it will be called, for errors.
  private let name: String
  private let descriptor: Int32
  private var isFinished = false

  init(_ path: String, becoming name: String) throws(EngagementError) {
    (self.path, self.name) = (path, name)
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure("\(name) cannot be written.", errno) }
  }

  /// The draft of a file, beside it. A file has one draft: two programs cannot write it at once, and the
  /// draft that a killed program left is used again. Throws `busy` while another program writes it.
  init(of path: String) throws(EngagementError) {
    (self.path, name) = (Self.path(of: path), path)
    while true {
      let found = open(self.path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
      guard found >= 0 else { throw Self.failure("\(name) cannot be written.", errno) }
      guard flock(found, LOCK_EX | LOCK_NB) == 0 else {
        close(found)
        throw EngagementError(
          .busy, "Another program writes \(name) now; try again when it is done.")
      }
      // The program that held the lock before may have renamed the file.
      var (ours, there) = (stat(), stat())
      if fstat(found, &ours) == 0, lstat(self.path, &there) == 0, ours.st_ino == there.st_ino {
        if ours.st_nlink == 1 {
          descriptor = found
          break
        }
        // A program was killed after it had given the file its name. What is written to the draft now
        // would be written to that file.
        unlink(self.path)
      }
      close(found)
    }
    guard ftruncate(descriptor, 0) == 0 else {
      throw Self.failure("\(name) cannot be written.", errno)
    }
  }

  private static let longestName = 200

  private static func path(of path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let short =
      name.utf8.count <= longestName ? name : SHA256.digest(of: Array(name.utf8)).description
    return "\(CommandContext.folder(of: path))/.\(short).engage-draft"
  }

  deinit {
    // While it is locked, the name is ours.
    if !isFinished { unlink(path) }
    close(descriptor)
  }

  func write(_ bytes: [UInt8]) throws(EngagementError) {
    var start = 0
    while start < bytes.count {
      let count = bytes.withUnsafeBytes {
        EngagementPlatform.write(descriptor, $0.baseAddress.map { $0 + start }, $0.count - start)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.failure("\(name) cannot be written.", errno) }
      start += count
    }
  }

  /// Makes what was written durable.
  func flush() throws(EngagementError) {
    guard fsync(descriptor) == 0 else { throw Self.failure("\(name) cannot be written.", errno) }
  }

  /// Makes the draft durable and leaves it where it is.
  func finish() throws(EngagementError) {
    try flush()
    isFinished = true
  }

  // MARK: Names

  /// Puts the finished draft in the place of a file, durably. Who could read the file still can.
  func replace(_ path: String) throws(EngagementError) {
    var status = stat()
    if lstat(path, &status) == 0 { fchmod(descriptor, status.st_mode & 0o777) }
    guard rename(self.path, path) == 0 else {
      throw Self.failure("\(path) cannot be named.", errno)
    }
    try Self.makeDurable(CommandContext.folder(of: path))
  }

  /// Gives a finished draft its name, durably, or not at all. What has the name already stays: unlike a
  /// rename, a link never takes the place of a file.
  static func place(
    _ draft: String, at path: String, for option: Option = ExportRequest.Options.out
  ) throws(EngagementError) {
    guard link(draft, path) == 0 else {
      throw errno == EEXIST ? taken(path, option) : failure("\(path) cannot be named.", errno)
    }
    do throws(EngagementError) {
      try makeDurable(CommandContext.folder(of: path))
    } catch {
      // The draft is still there.
      unlink(path)
      throw error
    }
    unlink(draft)
  }

  /// Makes the names in a folder durable.
  static func makeDurable(_ folder: String) throws(EngagementError) {
    let place = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { if place >= 0 { close(place) } }
    guard place >= 0, fsync(place) == 0 else {
      throw failure("What is new in \(folder) may be gone after a power failure.", errno)
    }
  }

  static func taken(_ path: String, _ option: Option) -> EngagementError {
    EngagementError(
      .invalidArgument, "\(path) is there already; remove it, or choose another \(option.title).")
  }

  /// Something else has the name of a folder. A link is not followed: it may lead to another folder the next
  /// time.
  static func noFolder(_ path: String, _ status: stat) -> EngagementError {
    let isLink = UInt32(status.st_mode) & UInt32(S_IFMT) == UInt32(S_IFLNK)
    return EngagementError(
      .invalidArgument,
      isLink
        ? "\(path) is a symbolic link; give --out the folder that it leads to."
        : "\(path) is no folder; choose another --out.")
  }

  static func failure(_ message: String, _ number: Int32) -> EngagementError {
    // Nothing takes the place of a file or moves a cursor before it is whole.
    let isFull = number == ENOSPC || number == EDQUOT
    return EngagementError(
      .storage, message + (isFull ? " Make room and run it again; nothing is lost." : ""),
      underlying: String(cString: strerror(number)))
  }
}

/// A file that has its name only when it is whole. What has the name already stays.
struct NewFile {
  private let path: String
  /// What names it, for errors.
  private let option: Option
  private let draft: DraftFile

  /// Throws if there is something of that name, also a link.
  init(
    _ path: String, for option: Option = ExportRequest.Options.out
  ) throws(EngagementError) {
    (self.path, self.option) = (path, option)
    draft = try DraftFile(of: path)
    var status = stat()
    guard lstat(path, &status) != 0 else { throw DraftFile.taken(path, option) }
  }

  func write(_ bytes: [UInt8]) throws(EngagementError) { try draft.write(bytes) }

  /// Gives the file its name, durably.
  func finish() throws(EngagementError) {
    try draft.finish()
    do throws(EngagementError) {
      try DraftFile.place(draft.path, at: path, for: option)
    } catch {
      unlink(draft.path)
      throw error
    }
  }

  /// Gives the file its name, durably, unless it may have what it may not have any more.
  ///
  /// - Parameter isStillTrue: Asked right before the file gets its name, and right after: a program that is
  ///   killed in between may keep only what changed in that moment. If it throws, there is no file.
  func finish(while isStillTrue: () async throws -> Void) async throws {
    try draft.flush()
    try await isStillTrue()
    try finish()
    do {
      try await isStillTrue()
    } catch {
      takeBack()
      throw error
    }
  }

  /// Takes the finished file away.
  func takeBack() { unlink(path) }
}
