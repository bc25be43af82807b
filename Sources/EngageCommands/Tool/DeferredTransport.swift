import EngagementHTTP
import EngagementModel

/// A transport that is made when the first request is sent or the first socket is opened: a command
/// that only reads the cache starts no thread and loads no certificates.
final class DeferredTransport: HTTPTransport, SocketTransport {
  private let make: @Sendable () -> any HTTPTransport
  private let made = Locked<(any HTTPTransport)?>(nil)

  init(_ make: @escaping @Sendable () -> any HTTPTransport) { self.make = make }

  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    try await transport.send(request)
  }

  func receive(
    _ request: HTTPRequest, limit: Int, into receiver: any ResponseReceiver
  ) async throws(EngagementError) -> HTTPResponse {
    try await transport.receive(request, limit: limit, into: receiver)
  }

  func connect(_ request: HTTPRequest) async throws(EngagementError) -> any SocketConnection {
    guard let sockets = transport as? any SocketTransport else {
      throw EngagementError(.unsupported, "The transport opens no web sockets.")
    }
    return try await sockets.connect(request)
  }

  private var transport: any HTTPTransport {
    made.withLock { made in
      if let made { return made }
      let new = make()
      made = new
      return new
    }
  }
}
