import EngagementModel
import Glibc

/// A server on a free port of the loopback that does to each connection what a test says, however
/// wrong that is.
package final class TestServer: Sendable {
  package typealias Script = @Sendable (Connection) throws -> Void

  package let port: Int
  /// The heads of requests, in the order in which they were read.
  package var heads: [String] { seen.withLock { $0.heads } }
  package var connections: Int { seen.withLock { $0.connections } }

  private struct Seen {
    var heads: [String] = []
    var connections = 0
    var open: [Int32: Connection] = [:]
    var isOver = false
  }

  private let listener: Listener
  private let seen = Locked(Seen())

  /// Speaks TLS where it has an identity. Begins to listen at once.
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

  /// Ends everything, so that no thread waits for a client that is gone.
  package func stop() {
    listener.end()
    // Under the lock, which a connection takes before it closes: a number may belong to another
    // socket right after that.
    seen.withLock { seen in
      seen.isOver = true
      for socket in seen.open.keys { shutdown(socket, Int32(SHUT_RDWR)) }
    }
  }

  deinit { listener.end() }

  private func serve(_ socket: Int32, _ context: TLSContext?, _ script: @escaping Script) {
    let connection = Connection(socket) { [weak self] head in
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
      // The client is told, and its test fails where it would wait for ever.
      forget(socket)
      connection.close()
    }
  }

  private func forget(_ socket: Int32) { seen.withLock { $0.open[socket] = nil } }
}

/// The socket that a server listens on, for as long as a thread may ask it for connections: its
/// number is the next server's right after it is closed.
private final class Listener: Sendable {
  let socket: Int32

  init(_ socket: Int32) { self.socket = socket }

  deinit { close(socket) }

  /// Nobody is connected any more; whoever waits for a connection, or will, is told so.
  func end() { shutdown(socket, Int32(SHUT_RDWR)) }
}

/// A port of the loopback on which nobody listens, and which nobody else gets while this lives.
package final class DeadPort: Sendable {
  package let number: Int
  private let socket: Int32

  package init() throws { (socket, number) = try boundSocket() }

  deinit { close(socket) }
}

/// A socket on a free port of the loopback, and the port.
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
