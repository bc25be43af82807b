import CCurl
import EngagementModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Waits for sockets and for a bell that any thread may ring.
///
/// One thread at a time uses it, but for `ring`.
@safe final class Poller {
  private let epoll: Int32
  private let bell: Int32
  /// What is wanted of each socket. One that nothing is wanted of stays registered until it has
  /// news: a kept connection is mostly used again before that.
  private var wanted: [Int32: UInt32] = [:]
  private var events: UnsafeMutableBufferPointer<epoll_event>

  init() throws(EngagementError) {
    unsafe events = .allocate(capacity: 64)
    unsafe events.initialize(repeating: epoll_event())
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
    unsafe events.deallocate()
  }

  /// Keeps the next wait from lasting, or ends the present one.
  func ring() {
    var one: UInt64 = 1
    _ = unsafe write(bell, &one, 8)
  }

  /// Says what is wanted of a socket; nothing by zero.
  func want(_ events: UInt32, of socket: Int32) {
    guard events != 0 else {
      wanted[socket] = 0
      return
    }
    // A socket that was closed is no longer registered, though its number is known here.
    if wanted.updateValue(events, forKey: socket) == nil
      || !register(socket, events, EPOLL_CTL_MOD)
    {
      _ = register(socket, events, EPOLL_CTL_ADD)
    }
  }

  /// Hands over each socket that has news; gives up after so many milliseconds, or never below
  /// zero.
  func wait(_ milliseconds: Int32, _ body: (Int32, UInt32) -> Void) {
    let count = unsafe epoll_wait(
      epoll, events.baseAddress, Int32(events.count), milliseconds)
    for place in 0..<max(0, Int(count)) {
      let event = unsafe events[place]
      let socket = unsafe event.data.fd
      if socket == bell { continue }
      if wanted[socket, default: 0] == 0 {
        wanted[socket] = nil
        _ = register(socket, 0, EPOLL_CTL_DEL)
      } else {
        unsafe body(socket, event.events)
      }
    }
  }

  private func register(_ socket: Int32, _ events: UInt32, _ operation: Int32) -> Bool {
    var event = unsafe epoll_event(events: events, data: epoll_data_t(fd: socket))
    return unsafe epoll_ctl(epoll, operation, socket, &event) == 0
  }
}
