import EngagementHTTP

/// The complete result of decoding a stream.
struct Reading: Equatable {
  private var events: [WebSocketEvent] = []
  private var fault: WebSocketFault?

  /// Limits that short inputs can reach.
  static let limits = WebSocketLimits(maximumFrame: 300, maximumMessage: 500)

  init(_ pieces: [ArraySlice<UInt8>], as role: WebSocketRole) {
    var decoder = WebSocketDecoder(role: role, limits: Self.limits)
    for piece in pieces {
      decoder.feed(piece)
      do {
        while let event = try decoder.next() { events.append(event) }
      } catch {
        fault = error
      }
    }
  }

  /// Traps unless every decoded message is the same after either side encodes it again.
  func checkEncoding(from role: WebSocketRole) {
    for case .message(let message) in events {
      let mask = role == .server ? WebSocketMask(random: 0x1234_5678) : nil
      var bytes: [UInt8] = []
      WebSocketEncoder.append(.message(message), mask: mask, to: &bytes)
      var again = WebSocketDecoder(role: role)
      again.feed(bytes)
      let event = try? again.next()
      precondition(event == .message(message), "a message was encoded wrongly")
    }
  }
}

/// Traps unless a session that reads the stream ends, sends nothing after its close, and sends
/// only what the other side accepts.
func checkSession(_ stream: ArraySlice<UInt8>, as role: WebSocketRole) {
  var session = WebSocketSession(role: role, limits: Reading.limits)
  var peer = WebSocketDecoder(role: role == .server ? .client : .server)
  var hasClosed = false
  session.feed(stream)
  session.endInput()
  while let step = session.next() {
    guard case .send(let frame) = step else { continue }
    precondition(!hasClosed, "a frame after the close")
    hasClosed = frame.opcode == .close
    var bytes: [UInt8] = []
    let mask = role == .client ? WebSocketMask(random: 0x1234_5678) : nil
    WebSocketEncoder.append(frame, mask: mask, to: &bytes)
    peer.feed(bytes)
    let event = try? peer.next()
    precondition(event != nil, "a frame that the peer refuses")
  }
  precondition(session.ending != nil, "no end")
}
