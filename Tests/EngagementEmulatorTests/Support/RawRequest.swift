import EngagementJSON
import EngagementModel
import Testing

/// A request that adds only the `Host` and the length to its own headers.
struct RawRequest {
  var method: String
  var target: String
  var headers: [(String, String)] = []
  var body: [UInt8]?

  init(_ method: String, _ target: String, _ json: JSON? = nil) {
    self.method = method
    self.target = target
    body = json?.encoded()
  }

  func bytes(to endpoint: String) -> [UInt8] {
    var text = "\(method) \(target) HTTP/1.1\r\n"
    if !headers.contains(where: { $0.0 == "Host" }) {
      text += "Host: \(endpoint.dropFirst("http://".count))\r\n"
    }
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    if let body { text += "Content-Length: \(body.count)\r\n" }
    return Array((text + "\r\n").utf8) + (body ?? [])
  }

  /// The answer on a connection of its own.
  func send(to endpoint: String) throws -> RawAnswer {
    let connection = try RawConnection(endpoint)
    connection.send(bytes(to: endpoint))
    return try #require(connection.answer(), "no answer to \(method) \(target)")
  }

  /// All bytes on a connection of its own, and the end of that connection.
  func receiveAll(from endpoint: String) throws -> (bytes: [UInt8], end: RawConnection.End) {
    let connection = try RawConnection(endpoint)
    connection.send(bytes(to: endpoint))
    let end = connection.receiveAll()
    return (connection.received, end)
  }
}
