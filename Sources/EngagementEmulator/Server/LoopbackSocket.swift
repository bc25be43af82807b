import CMicrohttpd
import EngagementModel
import EngagementPlatform

/// What is done to sockets outside the HTTP library.
enum LoopbackSocket {
  /// A socket that listens on 127.0.0.1, and its port. `name` is whose it will be.
  ///
  /// Made here and not by the library, which does not say why it could not have a port.
  static func listening(
    on port: Int, for name: String
  ) throws(EngagementError) -> (socket: Int32, port: Int) {
    guard let number = UInt16(exactly: port) else {
      throw EngagementError(
        .invalidConfiguration, "The port \(port) of \(name) is not between 0 and 65535")
    }
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard listener >= 0 else { throw failure(errno, port, name) }
    var yes: Int32 = 1
    // A server that has just ended leaves connections behind that would keep its port for a minute.
    unsafe setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = number.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    guard attach(listener, to: &address), listen(listener, 511) == 0,
      let port = self.port(of: listener)
    else {
      let code = errno
      close(listener)
      throw failure(code, port, name)
    }
    return (listener, port)
  }

  /// Breaks a connection so that its peer sees a reset and not an end. The descriptor stays open.
  static func reset(_ socket: Int32) {
    var linger = linger(l_onoff: 1, l_linger: 0)
    unsafe setsockopt(
      socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    // Connecting to nowhere is how Linux lets go of a connection while the descriptor lives.
    var nowhere = sockaddr()
    nowhere.sa_family = sa_family_t(AF_UNSPEC)
    _ = unsafe connect(socket, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
  }

  /// Sends what goes out without waiting; nil when the connection is gone.
  static func transmit(_ bytes: ArraySlice<UInt8>, to socket: Int32) -> Int? {
    let sent = unsafe bytes.withUnsafeBytes {
      unsafe send(
        socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }
    if sent >= 0 { return sent }
    return errno == EAGAIN || errno == EINTR ? 0 : nil
  }

  /// What a read brought.
  enum Reading {
    case bytes(ArraySlice<UInt8>)
    case nothing
    /// The peer sends no more, or the connection is gone.
    case end
  }

  /// Reads what is there without waiting.
  static func receive(from socket: Int32) -> Reading {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    let count = unsafe buffer.withUnsafeMutableBytes {
      unsafe recv(socket, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
    }
    if count > 0 { return .bytes(buffer[..<count]) }
    return count < 0 && (errno == EAGAIN || errno == EINTR) ? .nothing : .end
  }

  /// Lets a short message leave without waiting for the next.
  static func sendAtOnce(_ socket: Int32) {
    var yes: Int32 = 1
    unsafe setsockopt(
      socket, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Ends what is sent; the peer reads to the end.
  static func finish(_ socket: Int32) { shutdown(socket, Int32(SHUT_WR)) }

  private static func attach(_ socket: Int32, to address: inout sockaddr_in) -> Bool {
    unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  private static func port(of socket: Int32) -> Int? {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = unsafe withUnsafeMutablePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe getsockname(socket, $0, &length)
      }
    }
    return code == 0 ? Int(UInt16(bigEndian: address.sin_port)) : nil
  }

  private static func failure(_ code: Int32, _ port: Int, _ name: String) -> EngagementError {
    let reason =
      switch code {
      case EADDRINUSE:
        "is in use: `ss -ltnp 'sport = :\(port)'` shows by whom; stop that, or choose another port"
      case EACCES: "may only be used by the administrator: choose one from 1024"
      default: "cannot be had"
      }
    return EngagementError(
      .unavailable, "The port \(port) for \(name) \(reason)", underlying: "errno \(code)")
  }
}
