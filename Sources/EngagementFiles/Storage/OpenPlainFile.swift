import EngagementFormats
import EngagementModel
import EngagementPlatform

/// A plain file that is open until this ends.
struct OpenPlainFile: ~Copyable {
  let descriptor: Int32

  /// Nil if the descriptor is not of a plain file, and closes it then.
  init?(taking descriptor: Int32) {
    guard descriptor >= 0 else { return nil }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  func status() -> stat? {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 ? status : nil
  }

  /// Writes all bytes. Throws `storage`, for example when the disk is full.
  func write(_ bytes: RawSpan) throws(EngagementError) {
    let isWritten = unsafe bytes.withUnsafeBytes { buffer in
      var done = 0
      while done < buffer.count {
        let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[done...])
        let step = unsafe writeBytes(descriptor, rest.baseAddress, rest.count)
        if step < 0 && errno == EINTR { continue }
        guard step > 0 else { return false }
        done += step
      }
      return true
    }
    guard isWritten else { throw FileFolder.unwritten }
  }

  /// Makes the bytes durable.
  func sync() throws(EngagementError) {
    guard fsync(descriptor) == 0 else { throw FileFolder.unwritten }
  }

  /// Sets the time of the last use. Returns whether the file still has a name afterwards.
  func use(at now: Date) -> Bool {
    let time = timespec(date: now)
    guard unsafe futimens(descriptor, [time, time]) == 0, let status = status() else {
      return false
    }
    return status.st_nlink > 0
  }

  /// All bytes, if there are no more than the limit.
  func bytes(atMost limit: Int) -> [UInt8]? {
    var all: [UInt8] = []
    let isWhole = unsafe read { piece in
      unsafe all.append(contentsOf: piece)
      return all.count <= limit
    }
    return isWhole ? all : nil
  }

  /// The digest of all bytes; nil if they can't be read.
  func digest() -> String? {
    var hash = SHA256()
    let isWhole = unsafe read { piece in
      unsafe hash.update(piece.bytes)
      return true
    }
    return isWhole ? hash.digest().description : nil
  }

  /// Passes on the bytes in pieces. Returns whether it came to the end of the file.
  private func read(_ take: (UnsafeRawBufferPointer) -> Bool) -> Bool {
    unsafe withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 16) { buffer in
      while true {
        let count = unsafe readBytes(descriptor, buffer.baseAddress, buffer.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return count == 0 }
        guard unsafe take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else { return false }
      }
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

extension timespec {
  init(date: Date) {
    // A time that no clock shows must not trap.
    let seconds = min(max(date.timeIntervalSince1970, 0), 1e11)
    let whole = seconds.rounded(.down)
    self.init(tv_sec: Int(whole), tv_nsec: Int((seconds - whole) * 1e9))
  }
}

extension stat {
  /// The time of the last modification.
  var modified: Date {
    #if canImport(Darwin)
      let time = st_mtimespec
    #else
      let time = st_mtim
    #endif
    return Date(timeIntervalSince1970: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
  }

  var isPlainFile: Bool { st_mode & S_IFMT == S_IFREG }
}
