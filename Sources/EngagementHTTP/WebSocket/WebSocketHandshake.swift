import EngagementFormats
public import EngagementModel

/// The client's part of the opening handshake, RFC 6455 §4.1.
///
/// It offers no extension and therefore accepts none.
public struct WebSocketHandshake: Hashable, Sendable {
  /// The value of `Sec-WebSocket-Key`.
  public let key: String
  /// The requested subprotocols, the preferred one first.
  public let subprotocols: [String]

  /// Takes 16 random bytes, new for each connection. Throws `invalidArgument` for any other number
  /// of bytes, and for a subprotocol that is not a token or is named twice.
  public init(nonce: [UInt8], subprotocols: [String] = []) throws(EngagementError) {
    guard nonce.count == 16 else {
      throw EngagementError(.invalidArgument, "A web socket's key is made of 16 bytes.")
    }
    guard subprotocols.allSatisfy(\.utf8.isToken), Set(subprotocols).count == subprotocols.count
    else {
      throw EngagementError(.invalidArgument, "Subprotocols are tokens, each named once.")
    }
    key = Base64.text(of: nonce)
    self.subprotocols = subprotocols
  }

  /// The request's headers plus those of the handshake, which replace fields of the same name.
  /// Throws `invalidArgument` if the request is not a `GET` or has a body.
  public func headers(for request: HTTPRequest) throws(EngagementError) -> HTTPHeaders {
    guard request.method == .get, request.body == nil else {
      throw EngagementError(.invalidArgument, "A web socket is opened by GET, without a body.")
    }
    var headers = request.headers
    headers.remove("Sec-WebSocket-Extensions")
    headers.remove("Sec-WebSocket-Protocol")
    try headers.set("Connection", "Upgrade")
    try headers.set("Upgrade", "websocket")
    try headers.set("Sec-WebSocket-Version", "13")
    try headers.set("Sec-WebSocket-Key", key)
    if !subprotocols.isEmpty {
      try headers.set("Sec-WebSocket-Protocol", subprotocols.joined(separator: ", "))
    }
    return headers
  }

  /// The subprotocol that the server chose, or nil for none.
  ///
  /// Throws if the answer does not open a socket: the code that matches a status other than 101, or
  /// `malformedResponse` for a 101 that violates a rule.
  public func subprotocol(acceptedBy response: HTTPResponse) throws(EngagementError) -> String? {
    guard response.status == 101 else { throw Self.refusal(response.status) }
    let headers = response.headers
    guard headers.listMembers("Upgrade").count == 1,
      headers.listMembers("Upgrade")[0].equalsIgnoringCase("websocket"),
      headers.listMembers("Connection").contains(where: { $0.equalsIgnoringCase("upgrade") })
    else { throw Self.malformed("it does not upgrade to a web socket") }
    guard headers.all("Sec-WebSocket-Accept") == [Self.accept(for: key)] else {
      throw Self.malformed("it does not answer the key")
    }
    guard headers.listMembers("Sec-WebSocket-Extensions").isEmpty else {
      throw Self.malformed("it has an extension that was not asked for")
    }
    let chosen = headers.all("Sec-WebSocket-Protocol")
    guard chosen.count <= 1, chosen.allSatisfy(subprotocols.contains) else {
      throw Self.malformed("it has a subprotocol that was not asked for")
    }
    return chosen.first
  }

  /// The value of `Sec-WebSocket-Accept` for a key.
  public static func accept(for key: String) -> String {
    Base64.text(of: SHA1.digest(of: key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
  }

  private static func malformed(_ rule: StaticString) -> EngagementError {
    EngagementError(.malformedResponse, "The server's answer opens no web socket: \(rule).")
  }

  private static func refusal(_ status: Int) -> EngagementError {
    let code: EngagementError.Code =
      switch status {
      case 401: .unauthenticated
      case 403: .permissionDenied
      case 404, 410: .notFound
      case 429: .rateLimited
      case 300...399, 408, 425, 500...599: .unavailable
      default: .malformedResponse
      }
    return EngagementError(
      code, "The server refused to open a web socket.", underlying: "status \(status)")
  }
}
