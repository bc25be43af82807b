import EngagementHTTP

/// A frame by hand, right or wrong, so that the encoder is not its own judge.
struct RawFrame {
  var opcode: UInt8
  var payload: [UInt8] = []
  var isFinal = true
  var reserved: UInt8 = 0
  /// The masking key, nil for none.
  var mask: [UInt8]? = [0x37, 0xfa, 0x21, 0x3d]
  /// The length as it is announced, with as many bytes as the form has; nil for the right one.
  var length: (short: UInt8, rest: [UInt8])?

  /// What stands before the masking key.
  var header: [UInt8] {
    let length = length ?? Self.length(payload.count)
    let first = (isFinal ? 0x80 : 0) | reserved << 4 | opcode
    return [first, (mask == nil ? 0 : 0x80) | length.short] + length.rest
  }

  var bytes: [UInt8] {
    guard let mask else { return header + payload }
    return header + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] }
  }

  private static func length(_ count: Int) -> (short: UInt8, rest: [UInt8]) {
    if count < 126 { return (UInt8(count), []) }
    if count < 65536 { return (126, [UInt8(count >> 8), UInt8(count & 255)]) }
    return (127, (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) })
  }
}

extension RawFrame {
  static func text(_ text: String, isFinal: Bool = true) -> [UInt8] {
    RawFrame(opcode: 1, payload: Array(text.utf8), isFinal: isFinal).bytes
  }

  static func close(_ code: UInt16, _ reason: [UInt8] = []) -> [UInt8] {
    RawFrame(opcode: 8, payload: [UInt8(code >> 8), UInt8(code & 255)] + reason).bytes
  }
}

/// All that a decoder says of some bytes.
struct Decoded: Equatable {
  var events: [WebSocketEvent] = []
  var fault: WebSocketFault?

  /// Feeds the pieces one after another and takes what comes after each.
  init(_ pieces: [[UInt8]], as role: WebSocketRole = .server, limits: WebSocketLimits = .init()) {
    var decoder = WebSocketDecoder(role: role, limits: limits)
    for piece in pieces {
      decoder.feed(piece)
      do {
        while let event = try decoder.next() { events.append(event) }
      } catch {
        fault = error
      }
    }
  }
}
