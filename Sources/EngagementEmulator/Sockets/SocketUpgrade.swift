import EngagementHTTP
import EngagementModel
import EngagementVendors

/// The answer that opens a web socket.
enum SocketUpgrade {
  /// The 101; nil for a request that is no handshake of RFC 6455.
  static func reply(to call: VendorRequest, subprotocols: [String]) -> VendorReply? {
    var request = HTTPRequest(.get, call.target)
    for (name, value) in call.headers where isOfHandshake(name) {
      guard (try? request.headers.append(name, value)) != nil else { return nil }
    }
    guard
      let response = try? WebSocketHandshake.response(to: request, subprotocols: subprotocols)
    else { return nil }
    let headers = response.headers.fields.compactMap { field in
      response.headers.first(field.name).map { (field.name, $0) }
    }
    return VendorReply(response.status, headers: headers)
  }

  private static func isOfHandshake(_ name: String) -> Bool {
    ["upgrade", "connection"].contains(name) || name.hasPrefix("sec-websocket-")
  }

  /// The answer to a request for a socket that is no handshake.
  static let refusal = VendorAnswer(
    reply: VendorReply(400, json: ["error": "The request is no handshake of RFC 6455"]),
    summary: "no handshake")

  /// The answer when the system has no more descriptors.
  static let exhaustion = VendorAnswer(
    reply: VendorReply(503, json: ["error": "The emulator has too many open sockets"]),
    summary: "too many sockets")
}

extension VendorReply {
  /// The head of a 101, which has no length.
  var upgradeHead: [UInt8] {
    let fields = headers.map { "\($0.name): \($0.value)\r\n" }.joined()
    return Array("HTTP/1.1 101 Switching Protocols\r\n\(fields)\r\n".utf8)
  }
}
