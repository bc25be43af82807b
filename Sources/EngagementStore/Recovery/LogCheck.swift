import EngagementModel
import EngagementPlatform

/// Finds a log whose middle is damaged.
///
/// SQLite takes such a log for one that ends there. What was committed behind the damage would be gone
/// without a word, and what was delivered would be pending again.
struct LogCheck {
  private let bytes: [UInt8]
  private static let header = 32
  private static let frame = 24 + PageImages.pageSize
  /// A longer log is not looked at: it would take longer than opening the cache may.
  private static let longest = 64 << 20

  /// Whether the log at the path has frames that were durable behind one that is damaged.
  static func findsLostFrames(at path: String) -> Bool {
    guard let check = LogCheck(path), check.hasLostFrames else { return false }
    // Another process may have begun the log anew in the meantime.
    return LogCheck(path)?.bytes.prefix(header) == check.bytes.prefix(header)
  }

  private init?(_ path: String) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      (1...Self.longest).contains(Int(status.st_size))
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe pread(descriptor, $0.baseAddress, $0.count, 0)
    }
    guard count == bytes.count else { return nil }
    self.bytes = bytes
  }

  private var frameCount: Int { (bytes.count - Self.header) / Self.frame }

  private var hasLostFrames: Bool {
    // The header is durable before the first frame, and is written in one piece.
    guard bytes.count >= Self.header else { return true }
    let isBigEndian = bytes[3] & 1 == 1
    guard
      bytes.prefix(3).elementsEqual([0x37, 0x7f, 0x06]), bytes[3] & ~1 == 0x82,
      sum(0..<24, isBigEndian) == stored(at: 24)
    else { return true }
    let salts = bytes[16..<24]
    // Whether a frame was not sound, and whether a commit behind it is complete.
    var (isDamaged, isCommitted) = (false, false)
    for index in 0..<frameCount {
      let start = Self.header + index * Self.frame
      let former = index == 0 ? stored(at: 24) : stored(at: start - Self.frame + 16)
      let isSound =
        bytes[start + 8..<start + 16] == salts
        && sum(start..<start + 8, start + 24..<start + Self.frame, from: former, isBigEndian)
          == stored(at: start + 16)
      guard isSound else {
        isDamaged = true
        continue
      }
      guard isDamaged else { continue }
      // The next transaction is written when the one before is durable.
      if isCommitted { return true }
      isCommitted = bytes[start + 4..<start + 8].contains { $0 != 0 }
    }
    return false
  }

  // MARK: Checksums

  private struct Sum: Equatable {
    var first: UInt32
    var second: UInt32
  }

  private func stored(at place: Int) -> Sum {
    Sum(first: word(at: place, true), second: word(at: place + 4, true))
  }

  private func sum(_ range: Range<Int>, _ isBigEndian: Bool) -> Sum {
    sum(range, 0..<0, from: Sum(first: 0, second: 0), isBigEndian)
  }

  private func sum(
    _ head: Range<Int>, _ body: Range<Int>, from start: Sum, _ isBigEndian: Bool
  ) -> Sum {
    var sum = start
    for range in [head, body] {
      for place in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
        sum.first &+= word(at: place, isBigEndian) &+ sum.second
        sum.second &+= word(at: place + 4, isBigEndian) &+ sum.first
      }
    }
    return sum
  }

  private func word(at place: Int, _ isBigEndian: Bool) -> UInt32 {
    let parts = (
      UInt32(bytes[place]), UInt32(bytes[place + 1]), UInt32(bytes[place + 2]),
      UInt32(bytes[place + 3])
    )
    return isBigEndian
      ? parts.0 << 24 | parts.1 << 16 | parts.2 << 8 | parts.3
      : parts.3 << 24 | parts.2 << 16 | parts.1 << 8 | parts.0
  }
}
