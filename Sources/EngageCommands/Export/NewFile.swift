import EngagementModel
import EngagementPlatform

/// A file that has its name only when it is whole. What has the name already stays.
final class NewFile {
  let path: String
  private let draft: String
  private let descriptor: Int32
  private var isOpen = true

  /// Throws if there is something of that name, also a link.
  init(_ path: String, random: UInt64) throws(EngagementError) {
    self.path = path
    var status = stat()
    guard lstat(path, &status) != 0 else { throw Self.taken(path) }
    draft = "\(path).part-\(String(random, radix: 16))"
    descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure("\(path) cannot be written.", errno) }
  }

  deinit { abandon() }

  func write(_ bytes: [UInt8]) throws(EngagementError) {
    var start = 0
    while start < bytes.count {
      let count = bytes.withUnsafeBytes {
        EngagementPlatform.write(descriptor, $0.baseAddress.map { $0 + start }, $0.count - start)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.failure("\(path) cannot be written.", errno) }
      start += count
    }
  }

  /// Gives the file its name, durably.
  func finish() throws(EngagementError) {
    guard fsync(descriptor) == 0 else { throw Self.failure("\(path) cannot be written.", errno) }
    // Unlike a rename, a link never takes the place of a file.
    guard link(draft, path) == 0 else {
      throw errno == EEXIST ? Self.taken(path) : Self.failure("\(path) cannot be named.", errno)
    }
    abandon()
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let place = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { if place >= 0 { close(place) } }
    guard place >= 0, fsync(place) == 0 else {
      throw Self.failure("\(path) is written, and may be gone after a power failure.", errno)
    }
  }

  /// Removes the draft.
  private func abandon() {
    guard isOpen else { return }
    isOpen = false
    close(descriptor)
    unlink(draft)
  }

  private static func taken(_ path: String) -> EngagementError {
    EngagementError(
      .invalidArgument, "\(path) is there already; remove it, or choose another --out.")
  }

  private static func failure(_ message: String, _ number: Int32) -> EngagementError {
    EngagementError(.storage, message, underlying: String(cString: strerror(number)))
  }
}
