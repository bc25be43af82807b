import CCurl
import EngagementModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Waits for sockets and for a bell that any thread may ring.
final class Poller: Sendable {
  /// A socket, and what can be done with it.
  struct News {
    let socket: Int32
    let events: UInt32
  }

  private let epoll: Int32
  private let bell: Int32

  init() throws(EngagementError) {
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    bell = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
    // By its edge alone: the bell never has to be read.
    guard register(bell, EPOLLIN.rawValue | EPOLLET.rawValue, EPOLL_CTL_ADD) else {
      throw EngagementError(
        .internalFailure, "The network can't be watched: the process has too many open files.",
        underlying: "errno \(errno)")
    }
  }

  deinit {
    close(epoll)
    close(bell)
  }

  /// Keeps the next wait from lasting, or ends the present one.
  func ring() {
    var one: UInt64 = 1
    _ = unsafe write(bell, &one, 8)
  }

  /// Each socket that has news; none after so many milliseconds. Below zero, it waits for ever.
  func wait(_ milliseconds: Int32) -> [News] {
    unsafe withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 64) { events in
      let count = unsafe epoll_wait(
        epoll, events.baseAddress, Int32(events.count), milliseconds)
      return unsafe events.prefix(max(0, Int(count))).compactMap { event in
        let socket = unsafe event.data.fd
        return socket == bell ? nil : News(socket: socket, events: unsafe event.events)
      }
    }
  }

  /// Whether it could be done: a socket that was closed is no longer registered.
  func register(_ socket: Int32, _ events: UInt32, _ operation: Int32) -> Bool {
    var event = unsafe epoll_event(events: events, data: epoll_data_t(fd: socket))
    return unsafe epoll_ctl(epoll, operation, socket, &event) == 0
  }
}
