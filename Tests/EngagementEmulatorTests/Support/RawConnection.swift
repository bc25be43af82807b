import Foundation
import Glibc
import Testing

/// A TCP connection to this machine that sends and receives raw bytes.
///
/// It blocks the calling thread; the servers have threads of their own.
final class RawConnection {
  /// The end of a connection.
  enum End: Equatable { case closed, reset, silent }

  private let socket: Int32
  /// The received bytes that no answer has consumed yet.
  private(set) var received: [UInt8] = []

  /// Connects to the port of an endpoint such as `http://127.0.0.1:8400`.
  init(_ endpoint: String) throws {
    let port = try #require(endpoint.split(separator: ":").last.flatMap { UInt16($0) })
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    // Ends a test that would hang.
    var patience = timeval(tv_sec: 120, tv_usec: 0)
    setsockopt(
      socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else {
      let reason = errno
      close(socket)
      throw POSIXError(POSIXErrorCode(rawValue: reason) ?? .EIO)
    }
  }

  deinit { close(socket) }

  /// Sends the bytes. On a broken connection the rest is lost.
  func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard sent > 0 else { return }
      rest = rest.dropFirst(sent)
    }
  }

  func send(_ text: String) { send(Array(text.utf8)) }

  /// Reads more bytes; nil while the connection is open.
  func receive() -> End? {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    let count = recv(socket, &buffer, buffer.count, 0)
    if count > 0 {
      received += buffer.prefix(count)
      return nil
    }
    if count == 0 { return .closed }
    return errno == ECONNRESET ? .reset : .silent
  }

  /// Consumes what was received so far.
  func take() -> [UInt8] {
    defer { received = [] }
    return received
  }

  /// Reads until the connection ends.
  func receiveAll() -> End {
    while true { if let end = receive() { return end } }
  }

  /// Reads and consumes one answer with a length; nil if the connection ends first.
  func answer() -> RawAnswer? {
    while true {
      if let answer = RawAnswer(parsing: received), let length = answer.length,
        answer.body.count >= length
      {
        received.removeFirst(received.count - answer.body.count + length)
        return answer.cut(to: length)
      }
      if receive() != nil { return nil }
    }
  }
}
