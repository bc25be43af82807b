import EngagementModel
import EngagementPlatform

/// A file that is open until this ends. Never one of SQLite's: closing any descriptor of such a
/// file takes the locks of the whole process with it.
struct OpenFile: ~Copyable {
  let descriptor: Int32
  /// What errors call it.
  private let subject: String

  /// Opens a path; what is made is for its owner alone. No child of the process inherits it.
  init(_ path: String, _ flags: Int32, called subject: String) throws(EngagementError) {
    let descriptor = unsafe open(path, flags | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StoreFile.failure(errno, of: subject) }
    self.descriptor = descriptor
    self.subject = subject
  }

  deinit { close(descriptor) }

  func status() throws(EngagementError) -> stat {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      throw StoreFile.failure(errno, of: subject)
    }
    return status
  }

  /// The bytes from the current position, up to a limit.
  func read(atMost limit: Int) throws(EngagementError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: limit)
    var count = 0
    while count < limit {
      let step = unsafe bytes.withUnsafeMutableBytes { buffer in
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
        return Self.uninterrupted { unsafe readBytes(descriptor, rest.baseAddress, rest.count) }
      }
      guard step >= 0 else {
        throw EngagementError(
          .unreadable, "The \(subject) cannot be read", underlying: "errno \(errno)")
      }
      guard step > 0 else { break }
      count += step
    }
    return Array(bytes.prefix(count))
  }

  /// Writes all bytes at the current position, in one call if the system takes them so.
  func write(_ bytes: [UInt8]) throws(EngagementError) {
    var done = 0
    while done < bytes.count {
      let step = unsafe bytes.withUnsafeBytes { buffer in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[done...])
        return Self.uninterrupted { unsafe writeBytes(descriptor, rest.baseAddress, rest.count) }
      }
      guard step > 0 else { throw unwritten }
      done += step
    }
  }

  /// Makes the file durable.
  func sync() throws(EngagementError) {
    guard fsync(descriptor) == 0 else { throw unwritten }
  }

  /// Makes the bytes durable, and the metadata that is needed to read them.
  func syncBytes() throws(EngagementError) {
    #if canImport(Darwin)
      try sync()
    #else
      guard fdatasync(descriptor) == 0 else { throw unwritten }
    #endif
  }

  func truncate(to count: Int) throws(EngagementError) {
    guard ftruncate(descriptor, off_t(count)) == 0 else { throw unwritten }
  }

  /// Gives access to the owner only. The process's umask does not change that.
  func protect() throws(EngagementError) {
    guard fchmod(descriptor, 0o600) == 0 else { throw unwritten }
  }

  private var unwritten: EngagementError {
    EngagementError(.storage, "The \(subject) cannot be written", underlying: "errno \(errno)")
  }

  /// The call's result, once no signal comes between.
  private static func uninterrupted(_ call: () -> Int) -> Int {
    while true {
      let result = call()
      guard result < 0, errno == EINTR else { return result }
    }
  }
}

// The system's functions under names that the methods above do not hide.
private func readBytes(_ descriptor: Int32, _ start: UnsafeMutableRawPointer?, _ count: Int)
  -> Int
{ unsafe read(descriptor, start, count) }

private func writeBytes(_ descriptor: Int32, _ start: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(descriptor, start, count)
}
