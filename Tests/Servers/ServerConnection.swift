import COpenSSL
import EngagementModel
import Foundation
import Glibc

/// One connection of a test server, on its own thread.
// Only the connection's own thread changes it. The server shuts its socket down by number, under a
// lock.
package final class ServerConnection: @unchecked Sendable {
  private let socket: Int32
  private let note: (String) -> Void
  private var tls: OpaquePointer?
  private var isReset = false

  init(_ socket: Int32, note: @escaping (String) -> Void) {
    self.socket = socket
    self.note = note
  }

  func greet(_ context: TLSContext) throws {
    tls = SSL_new(context.raw)
    SSL_set_fd(tls, socket)
    guard SSL_accept(tls) == 1 else { throw TestFailure("no handshake") }
  }

  /// The application protocol (ALPN) that the handshake negotiated.
  package var agreed: String {
    var name: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    SSL_get0_alpn_selected(tls, &name, &count)
    return String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
  }

  /// Reads one byte or more. Throws at the end of the stream.
  package func read(_ most: Int = 16_384) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: most)
    let count: Int
    if tls != nil {
      count = Int(SSL_read(tls, &bytes, Int32(most)))
    } else {
      count = recv(socket, &bytes, most, 0)
    }
    guard count > 0 else { throw TestFailure("the client is gone") }
    return Array(bytes[..<count])
  }

  package func read(exactly count: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count { bytes += try read(count - bytes.count) }
    return bytes
  }

  /// Reads and records the next head, including its empty line.
  @discardableResult package func readHead() throws -> String {
    var bytes: [UInt8] = []
    while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) { bytes += try read(1) }
    let head = String(decoding: bytes, as: UTF8.self)
    note(head)
    return head
  }

  /// Reads the next request with its body. Records only the head.
  @discardableResult package func readRequest() throws -> String {
    let head = try readHead()
    let length = head.lowercased().firstMatch(of: /content-length: *([0-9]+)/)
    _ = try read(exactly: length.flatMap { Int($0.1) } ?? 0)
    return head
  }

  package func write(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        let rest = UnsafeRawBufferPointer(rebasing: buffer[sent...])
        return tls != nil
          ? Int(SSL_write(tls, rest.baseAddress, Int32(rest.count)))
          : send(socket, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw TestFailure("the client is gone") }
      sent += count
    }
  }

  package func write(_ text: String) throws { try write(Array(text.utf8)) }

  /// Sends a complete answer with a content length.
  package func answer(_ status: String = "200 OK", headers: [String] = [], _ body: String = "")
    throws
  {
    let lines = headers.map { "\($0)\r\n" }.joined()
    try write("HTTP/1.1 \(status)\r\n\(lines)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
  }

  /// Makes the connection end with a reset instead of an orderly close.
  package func reset() {
    var now = linger(l_onoff: 1, l_linger: 0)
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
  }

  func close() {
    if tls != nil { SSL_free(tls) }
    Glibc.close(socket)
  }
}

extension ServerConnection {
  /// Forwards bytes between the client and a server on this machine until one of them closes.
  package func join(_ port: Int) throws {
    let other = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(other, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else { throw TestFailure("no server behind the proxy") }
    let server = ServerConnection(other) { _ in }
    let back = DispatchSemaphore(value: 0)
    try detachThread(for: "the way back") {
      blockBrokenPipes()
      try? server.pass(to: self)
      self.end()
      back.signal()
    }
    try? pass(to: server)
    server.end()
    back.wait()
    server.close()
  }

  private func pass(to other: ServerConnection) throws {
    while true { try other.write(try read()) }
  }

  private func end() { shutdown(socket, Int32(SHUT_RDWR)) }
}

/// For a server's thread: OpenSSL writes with a call that raises SIGPIPE if the client has
/// disconnected. That signal must not end the test process.
func blockBrokenPipes() {
  var signals = sigset_t()
  sigemptyset(&signals)
  sigaddset(&signals, SIGPIPE)
  pthread_sigmask(SIG_BLOCK, &signals, nil)
}
