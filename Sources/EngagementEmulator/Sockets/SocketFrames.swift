import EngagementHTTP
import EngagementJSON
import EngagementModel

/// The frames in which a text is sent.
enum SocketFrames {
  /// The bytes of a text as a fault wants them; without one, a single frame.
  static func bytes(of text: String, fault: EmulatorFaults.Fault?) -> [UInt8] {
    let whole = frame(of: Array(text.utf8))
    guard let fault else { return whole }
    switch fault.kind {
    case .socketDoubled: return whole + whole
    case .socketFragmented: return fragments(of: Array(text.utf8), length: fault.bytes ?? 16)
    case .socketInvalidUTF8: return frame(of: AppliedFault.withInvalidUTF8(Array(text.utf8)))
    case .socketOversize: return frame(of: padded(text, by: fault.bytes ?? 10 << 20))
    case .socketRefused, .socketDropped, .socketSilent, .socketDelayed, .socketReordered,
      .status, .throttleSeconds, .throttleDate, .throttleGarbage, .unauthorized, .resetBefore,
      .closeBefore, .hang, .html, .empty, .notHTTP, .redirectLoop, .redirectElsewhere,
      .redirectOnce, .delay, .resetAfter, .closeAfter, .resetMiddle, .truncate, .truncateHead,
      .truncateJSON, .wrongType, .missingField, .invalidUTF8, .duplicateKey, .byteOrderMark,
      .duplicateAnswer, .duplicateRequest, .oversize, .gzipBomb, .gzipBroken, .slowDrip,
      .slowHead, .headerFlood, .headerLong, .lengthShort, .lengthConflict, .chunkBroken,
      .earlyHints, .wrongContentType:
      return whole
    }
  }

  private static func fragments(of payload: [UInt8], length: Int) -> [UInt8] {
    let starts = Array(stride(from: 0, to: max(1, payload.count), by: max(1, length)))
    return starts.flatMap { start -> [UInt8] in
      let end = min(start + max(1, length), payload.count)
      return frame(
        of: Array(payload[start..<end]), begins: start == 0, isFinal: start == starts.last)
    }
  }

  /// The text with very much more in it, after which JSON is still JSON.
  private static func padded(_ text: String, by count: Int) -> [UInt8] {
    (try? JSON(parsing: Array(text.utf8))).map { AppliedFault.padded($0, by: count).encoded() }
      ?? Array(text.utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: count)
  }

  /// A frame of a text, or of a part of one. The bytes may be no UTF-8.
  private static func frame(
    of payload: [UInt8], begins: Bool = true, isFinal: Bool = true
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    WebSocketEncoder.append(.message(.binary(payload)), mask: nil, to: &bytes)
    let opcode: WebSocketFrame.Opcode = begins ? .text : .continuation
    bytes[0] = (isFinal ? 0x80 : 0) | opcode.rawValue
    return bytes
  }
}
