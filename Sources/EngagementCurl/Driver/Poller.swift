import CCurl
import EngagementModel
import EngagementPlatform

/// Waits for events on sockets and for a wake-up from any thread.
final class Poller: Sendable {
  /// A socket with its events.
  struct News {
    let socket: Int32
    let events: UInt32
  }

  private let epoll: Int32
  private let wakeDescriptor: Int32

  init() throws(EngagementError) {
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    wakeDescriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
    // Edge-triggered, so the eventfd never has to be read.
    guard register(wakeDescriptor, EPOLLIN.rawValue | EPOLLET.rawValue, EPOLL_CTL_ADD) else {
      throw EngagementError(
        .internalFailure, "The network can't be watched: the process has too many open files.",
        underlying: "errno \(errno)")
    }
  }

  deinit {
    close(epoll)
    close(wakeDescriptor)
  }

  /// Ends the current wait or, if there is none, the next one at once.
  func ring() {
    var one: UInt64 = 1
    _ = unsafe write(wakeDescriptor, &one, 8)
  }

  /// Waits up to that many milliseconds and returns the sockets with events. A negative number
  /// waits without limit.
  func wait(_ milliseconds: Int32) -> [News] {
    unsafe withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 64) { events in
      let count = unsafe epoll_wait(
        epoll, events.baseAddress, Int32(events.count), milliseconds)
      return unsafe events.prefix(max(0, Int(count))).compactMap { event in
        let socket = unsafe event.data.fd
        return socket == wakeDescriptor ? nil : News(socket: socket, events: unsafe event.events)
      }
    }
  }

  /// Returns whether the call succeeded. It fails for a closed socket, which is no longer
  /// registered.
  func register(_ socket: Int32, _ events: UInt32, _ operation: Int32) -> Bool {
    var event = unsafe epoll_event(events: events, data: epoll_data_t(fd: socket))
    return unsafe epoll_ctl(epoll, operation, socket, &event) == 0
  }
}
