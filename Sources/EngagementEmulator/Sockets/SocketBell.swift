import EngagementModel
import EngagementPlatform

/// Wakes the thread of a socket from another thread.
final class SocketBell: Sendable {
  private let readingEnd: Int32
  private let writingEnd: Int32

  /// Throws `unavailable` if the system has no descriptor left.
  init() throws(EngagementError) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else {
      throw EngagementError(
        .unavailable, "The process has too many open files for another web socket.",
        underlying: "errno \(errno)")
    }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (readingEnd, writingEnd) = (ends[0], ends[1])
  }

  deinit {
    close(readingEnd)
    close(writingEnd)
  }

  /// Ends the current wait or, if there is none, the next one at once. A full pipe rings already.
  func ring() {
    var byte: UInt8 = 1
    _ = unsafe write(writingEnd, &byte, 1)
  }

  /// Waits for a ring, for bytes on a socket, for room to write if wanted, or until a time. Returns
  /// whether the socket has bytes or an end. Without a socket, nothing of it is seen.
  func wait(
    with socket: Int32?, reading: Bool, writing: Bool, until due: ContinuousClock.Instant?
  ) -> Bool {
    let events = (reading ? Int16(POLLIN) : 0) | (writing ? Int16(POLLOUT) : 0)
    // A negative descriptor is left out.
    var watched = [
      pollfd(fd: readingEnd, events: Int16(POLLIN), revents: 0),
      pollfd(fd: socket ?? -1, events: events, revents: 0),
    ]
    guard unsafe poll(&watched, 2, Self.milliseconds(until: due)) > 0 else { return false }
    if watched[0].revents != 0 { empty() }
    return watched[1].revents & ~Int16(POLLOUT) != 0
  }

  private func empty() {
    var bytes = [UInt8](repeating: 0, count: 256)
    while unsafe read(readingEnd, &bytes, 256) == 256 {}
  }

  /// Rounded up: a thread that wakes early would have to wait again.
  private static func milliseconds(until due: ContinuousClock.Instant?) -> Int32 {
    guard let due else { return -1 }
    let (seconds, attoseconds) = max(.zero, due - .now).components
    return Int32(clamping: seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + 1)
  }
}
