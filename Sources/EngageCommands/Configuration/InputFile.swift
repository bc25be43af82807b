import EngagementModel
import EngagementPlatform

/// A file that is open for reading until this ends. What is asked about it is asked of the open
/// file, so no other process can replace it meanwhile.
struct InputFile: ~Copyable {
  private let descriptor: Int32
  /// The permissions.
  let mode: UInt32
  let isRegular: Bool

  /// Throws `unreadable`, with the system's word for why as `underlying`.
  init(_ path: String) throws(EngagementError) {
    // Without waiting for a writer, where the path leads to a pipe.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { throw Self.failure(path, errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let code = errno
      close(descriptor)
      throw Self.failure(path, code)
    }
    self.descriptor = descriptor
    mode = UInt32(status.st_mode) & 0o7777
    isRegular = UInt32(status.st_mode) & UInt32(S_IFMT) == UInt32(S_IFREG)
  }

  deinit { close(descriptor) }

  /// Everything in it; throws `unreadable` if that is more.
  func bytes(atMost limit: Int) throws(EngagementError) -> [UInt8] {
    try Self.bytes(of: descriptor, atMost: limit)
  }

  /// Everything that comes from a descriptor; throws `unreadable` where that is more.
  static func bytes(of descriptor: Int32, atMost limit: Int) throws(EngagementError) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN {
        var status = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&status, 1, -1)
        continue
      }
      guard count >= 0 else { throw failure("The input", errno) }
      guard count > 0 else { return bytes }
      guard bytes.count + count <= limit else {
        throw EngagementError(
          .unreadable, "The input has more than \(limit) bytes.", underlying: "too long")
      }
      bytes += buffer[..<count]
    }
  }

  private static func failure(_ path: String, _ code: Int32) -> EngagementError {
    let reason = strerror(code).map { String(cString: $0) } ?? "error \(code)"
    return EngagementError(.unreadable, "\(path) cannot be read.", underlying: reason)
  }
}
