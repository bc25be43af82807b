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

  /// A draft beside the file that it becomes. Removes those that killed programs have left of that file.
  convenience init(of path: String, random: UInt64) throws(EngagementError) {
    Self.removeAbandoned(of: path)
    let digits = String(random, radix: 16)
    let suffix = String(repeating: "0", count: Self.digits - digits.count) + digits
    try self.init("\(path)\(Self.mark)\(suffix)", becoming: path)
    // Whoever removes abandoned drafts has taken the lock if this one had none yet.
    var status = stat()
    guard flock(descriptor, LOCK_EX) == 0, fstat(descriptor, &status) == 0, status.st_nlink > 0
    else { throw EngagementError(.busy, "\(path) is being written by another program; try again.") }
  }

  private static let mark = ".part-"
  private static let digits = 16

  /// A draft that a program still writes is locked.
  private static func removeAbandoned(of path: String) {
    let folder = CommandContext.folder(of: path)
    let prefix = path.split(separator: "/").last.map { $0 + mark } ?? ""
    for name in (try? ExportFolder.names(in: folder)) ?? [] where name.hasPrefix(prefix) {
      let rest = name.dropFirst(prefix.count)
      guard rest.utf8.count == digits, rest.allSatisfy(\.isHexDigit) else { continue }
      let draft = open("\(folder)/\(name)", O_RDWR | O_NOFOLLOW | O_CLOEXEC)
      guard draft >= 0 else { continue }
      if flock(draft, LOCK_EX | LOCK_NB) == 0 { unlink("\(folder)/\(name)") }
      close(draft)
    }
  }

  deinit {
    close(descriptor)
    if !isFinished { unlink(path) }
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

  /// Makes the draft durable and leaves it where it is.
  func finish() throws(EngagementError) {
    guard fsync(descriptor) == 0 else { throw Self.failure("\(name) cannot be written.", errno) }
    isFinished = true
  }

  // MARK: Names

  /// Puts the finished draft in the place of a file, durably.
  func replace(_ path: String) throws(EngagementError) {
    guard rename(self.path, path) == 0 else {
      let number = errno
      unlink(self.path)
      throw Self.failure("\(path) cannot be named.", number)
    }
    try Self.makeDurable(CommandContext.folder(of: path))
  }

  /// Gives a finished draft its name, durably. What has the name already stays: unlike a rename, a link
  /// never takes the place of a file.
  static func place(
    _ draft: String, at path: String, for option: Option = ExportRequest.Options.out
  ) throws(EngagementError) {
    guard link(draft, path) == 0 else {
      throw errno == EEXIST ? taken(path, option) : failure("\(path) cannot be named.", errno)
    }
    unlink(draft)
    try makeDurable(CommandContext.folder(of: path))
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

  static func failure(_ message: String, _ number: Int32) -> EngagementError {
    EngagementError(.storage, message, underlying: String(cString: strerror(number)))
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
    _ path: String, for option: Option = ExportRequest.Options.out, random: UInt64
  ) throws(EngagementError) {
    (self.path, self.option) = (path, option)
    var status = stat()
    guard lstat(path, &status) != 0 else { throw DraftFile.taken(path, option) }
    draft = try DraftFile(of: path, random: random)
  }

  func write(_ bytes: [UInt8]) throws(EngagementError) { try draft.write(bytes) }

  /// Gives the file its name, durably.
  func finish() throws(EngagementError) {
    try draft.finish()
    try DraftFile.place(draft.path, at: path, for: option)
  }
}
