/// The part of a frame before its payload.
struct WebSocketFrameHeader: Equatable, Sendable {
  var opcode: WebSocketFrame.Opcode
  var isFinal: Bool
  var length: Int
  var mask: WebSocketMask?
}

/// Reads a frame's header byte by byte and refuses it at the first invalid byte.
struct WebSocketHeaderReader: Sendable {
  /// The state of the connection, which decides which headers are valid.
  struct Context {
    var role: WebSocketRole
    var isInsideMessage: Bool
    /// The greatest payload of a data frame, in bytes.
    var room: Int
  }

  private var bytes: [UInt8] = []

  /// Takes the next byte. Returns the header when it is complete; the next byte then begins
  /// another.
  mutating func take(
    _ byte: UInt8, in context: Context
  ) throws(WebSocketFault) -> WebSocketFrameHeader? {
    bytes.append(byte)
    switch bytes.count {
    case 1: try checkOpcode(in: context)
    case 2: try checkMaskAndShortLength(in: context)
    default: break
    }
    guard bytes.count >= 2 else { return nil }
    if bytes.count == lengthEnd { try checkLength(in: context) }
    guard bytes.count == lengthEnd + (isMasked ? 4 : 0) else { return nil }
    defer { bytes.removeAll(keepingCapacity: true) }
    return header
  }

  private var opcode: WebSocketFrame.Opcode? { WebSocketFrame.Opcode(rawValue: bytes[0] & 0x0f) }
  private var isFinal: Bool { bytes[0] & 0x80 != 0 }
  private var isMasked: Bool { bytes[1] & 0x80 != 0 }
  private var shortLength: UInt8 { bytes[1] & 0x7f }

  /// The offset after the length.
  private var lengthEnd: Int {
    switch shortLength {
    case 126: 4
    case 127: 10
    default: 2
    }
  }

  private var length: UInt64 {
    lengthEnd == 2
      ? UInt64(shortLength) : bytes[2..<lengthEnd].reduce(0) { $0 << 8 | UInt64($1) }
  }

  private var header: WebSocketFrameHeader? {
    guard let opcode, let length = Int(exactly: length) else { return nil }
    let key = bytes[lengthEnd...]
    let mask =
      isMasked
      ? WebSocketMask(key[lengthEnd], key[lengthEnd + 1], key[lengthEnd + 2], key[lengthEnd + 3])
      : nil
    return WebSocketFrameHeader(opcode: opcode, isFinal: isFinal, length: length, mask: mask)
  }

  private func checkOpcode(in context: Context) throws(WebSocketFault) {
    guard bytes[0] & 0x70 == 0 else {
      throw WebSocketFault(.protocolError, "a reserved bit is set and no extension was agreed on")
    }
    guard let opcode else { throw WebSocketFault(.protocolError, "the opcode is reserved") }
    if opcode.isControl {
      if !isFinal { throw WebSocketFault(.protocolError, "a control frame is fragmented") }
    } else if opcode == .continuation {
      if !context.isInsideMessage {
        throw WebSocketFault(.protocolError, "a continuation has nothing to continue")
      }
    } else if context.isInsideMessage {
      throw WebSocketFault(.protocolError, "a message begins inside another")
    }
  }

  private func checkMaskAndShortLength(in context: Context) throws(WebSocketFault) {
    guard isMasked == (context.role == .server) else {
      throw WebSocketFault(
        .protocolError,
        isMasked ? "a server's frame is masked" : "a client's frame is not masked")
    }
    if opcode?.isControl == true, shortLength > 125 {
      throw WebSocketFault(.protocolError, "a control frame has more than 125 bytes")
    }
  }

  private func checkLength(in context: Context) throws(WebSocketFault) {
    let length = length
    guard length <= UInt64(Int64.max) else {
      throw WebSocketFault(.protocolError, "the highest bit of a length is set")
    }
    let least: UInt64 = lengthEnd == 2 ? 0 : lengthEnd == 4 ? 126 : 65536
    guard length >= least else {
      throw WebSocketFault(.protocolError, "a length is not in its shortest form")
    }
    if opcode?.isControl == false, length > UInt64(context.room) {
      throw WebSocketFault(.messageTooBig, "a frame or a message is over the limit")
    }
  }
}
