/// Encodes frames as bytes, in the shortest form.
public enum WebSocketEncoder {
  /// Appends one frame. A client must pass a mask, a server nil; otherwise the peer refuses the
  /// frame.
  public static func append(
    _ frame: WebSocketFrame, mask: WebSocketMask?, to output: inout [UInt8]
  ) {
    output.append(0x80 | frame.opcode.rawValue)
    appendLength(frame.payload.count, isMasked: mask != nil, to: &output)
    if let mask { output += mask.bytes }
    let start = output.count
    output += frame.payload
    mask?.apply(to: &output, in: start..<output.count, offset: 0)
  }

  private static func appendLength(_ count: Int, isMasked: Bool, to output: inout [UInt8]) {
    let bit: UInt8 = isMasked ? 0x80 : 0
    switch count {
    case ..<126: output.append(bit | UInt8(count))
    case ..<65536:
      output.append(bit | 126)
      output += bigEndian(count, bytes: 2)
    default:
      output.append(bit | 127)
      output += bigEndian(count, bytes: 8)
    }
  }

  private static func bigEndian(_ number: Int, bytes count: Int) -> [UInt8] {
    (1...count).map { UInt8(truncatingIfNeeded: number >> ((count - $0) * 8)) }
  }
}
