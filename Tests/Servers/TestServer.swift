import EngagementModel
import Glibc

/// A server on a free loopback port. It runs a test's script on each connection, so it can violate
/// any protocol.
package final class TestServer: Sendable {
  package typealias Script = @Sendable (ServerConnection) throws -> Void

  package let port: Int
  /// The recorded heads of requests, in the order in which they were read.
  package var heads: [String] { seen.withLock { $0.heads } }
  package var connections: Int { seen.withLock { $0.connections } }

  private struct Seen {
    var heads: [String] = []
    var connections = 0
    var open: [Int32: ServerConnection] = [:]
    var isOver = false
  }

  private let listener: Listener
  private let seen = Locked(Seen())

  /// Uses TLS if it has an identity. Listens at once.
  package init(
    _ identity: TLSIdentity? = nil, protocols: [String] = [], backlog: Int32 = 128,
    accepts: Bool = true, script: @escaping Script
  ) throws {
    let (socket, port) = try boundSocket()
    (listener, self.port) = (Listener(socket), port)
    guard listen(socket, backlog) == 0 else { throw TestFailure("no listener: errno \(errno)") }
    guard accepts else { return }
    let context = try identity.map { try TLSContext($0, protocols: protocols) }
    let listener = self.listener
    try detachThread(for: "a test's server") { [weak self] in
      while true {
        let socket = accept(listener.socket, nil, nil)
        guard socket >= 0 else { return }
        guard let self else {
          close(socket)
          return
        }
        self.serve(socket, context, script)
      }
    }
  }

  package func url(_ path: String = "/", scheme: String = "http", host: String = "127.0.0.1")
    -> String
  {
    "\(scheme)://\(host):\(port)\(path)"
  }

  /// Closes all connections, so that no thread waits for a client that has disconnected.
  package func stop() {
    listener.end()
    // A connection takes this lock before it closes its socket. After that, another socket may get
    // the same number.
    seen.withLock { seen in
      seen.isOver = true
      for socket in seen.open.keys { shutdown(socket, Int32(SHUT_RDWR)) }
    }
  }

  deinit { listener.end() }

  private func serve(_ socket: Int32, _ context: TLSContext?, _ script: @escaping Script) {
    let connection = ServerConnection(socket) { [weak self] head in
      self?.seen.withLock { $0.heads.append(head) }
    }
    let isOver = seen.withLock { seen in
      seen.connections += 1
      seen.open[socket] = connection
      return seen.isOver
    }
    if isOver { shutdown(socket, Int32(SHUT_RDWR)) }
    do {
      try detachThread(for: "a connection") { [weak self] in
        blockBrokenPipes()
        do {
          if let context { try connection.greet(context) }
          try script(connection)
        } catch {}
        self?.forget(socket)
        connection.close()
      }
    } catch {
      // Closing tells the client, so its test fails instead of waiting forever.
      forget(socket)
      connection.close()
    }
  }

  private func forget(_ socket: Int32) { seen.withLock { $0.open[socket] = nil } }
}

/// A server's listening socket, open as long as a thread may call `accept` on it. After the close,
/// another server may get the same number.
private final class Listener: Sendable {
  let socket: Int32

  init(_ socket: Int32) { self.socket = socket }

  deinit { close(socket) }

  /// Ends the current and all later calls of `accept`.
  func end() { shutdown(socket, Int32(SHUT_RDWR)) }
}

/// A loopback port without a listener. It stays reserved as long as this object lives.
package final class DeadPort: Sendable {
  package let number: Int
  private let socket: Int32

  package init() throws { (socket, number) = try boundSocket() }

  deinit { close(socket) }
}

/// A socket bound to a free loopback port, and the port.
private func boundSocket() throws -> (socket: Int32, port: Int) {
  let bound = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = inet_addr("127.0.0.1")
  var size = socklen_t(MemoryLayout<sockaddr_in>.size)
  return try withUnsafeMutablePointer(to: &address) { pointer in
    try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
      guard bind(bound, address, size) == 0, getsockname(bound, address, &size) == 0 else {
        throw TestFailure("no port: errno \(errno)")
      }
    }
    return (bound, Int(UInt16(bigEndian: pointer.pointee.sin_port)))
  }
}

package struct TestFailure: Error, CustomStringConvertible {
  package let description: String
  package init(_ description: String) { self.description = description }
}

/// Runs the body with a server that is stopped afterwards.
package func withServer<Value>(
  _ identity: TLSIdentity? = nil, protocols: [String] = [], _ script: @escaping TestServer.Script,
  _ body: (TestServer) async throws -> Value
) async throws -> Value {
  let server = try TestServer(identity, protocols: protocols, script: script)
  defer { server.stop() }
  return try await body(server)
}
