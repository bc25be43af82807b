import EngagementFormats
public import EngagementModel

extension WebSocketHandshake {
  /// The server's part of the handshake, RFC 6455 §4.2: the 101 response.
  ///
  /// Chooses the first of the client's subprotocols that is in `subprotocols`. Throws
  /// `invalidArgument` if the request is not a web socket handshake; the server should answer it
  /// with 400.
  public static func response(
    to request: HTTPRequest, subprotocols: [String] = []
  ) throws(EngagementError) -> HTTPResponse {
    let headers = request.headers
    let keys = headers.all("Sec-WebSocket-Key")
    guard request.method == .get,
      headers.listMembers("Upgrade").contains(where: { $0.equalsIgnoringCase("websocket") }),
      headers.listMembers("Connection").contains(where: { $0.equalsIgnoringCase("upgrade") }),
      headers.all("Sec-WebSocket-Version") == ["13"],
      keys.count == 1, Base64.bytes(from: keys[0])?.count == 16
    else { throw EngagementError(.invalidArgument, "The request is no web socket handshake.") }
    var answer = HTTPHeaders()
    try answer.set("Upgrade", "websocket")
    try answer.set("Connection", "Upgrade")
    try answer.set("Sec-WebSocket-Accept", accept(for: keys[0]))
    let asked = headers.listMembers("Sec-WebSocket-Protocol")
    if let chosen = asked.first(where: subprotocols.contains) {
      try answer.set("Sec-WebSocket-Protocol", chosen)
    }
    return HTTPResponse(101, headers: answer)
  }
}
