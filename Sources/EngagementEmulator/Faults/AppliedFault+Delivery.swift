import EngagementVendors

/// What becomes of an answer on its way.
extension AppliedFault {
  func delivery(of reply: VendorReply) -> ResponseDelivery {
    switch fault.kind {
    case .status, .throttleSeconds, .throttleDate, .throttleGarbage, .unauthorized, .html, .empty,
      .redirectLoop, .redirectElsewhere, .redirectOnce, .duplicateRequest, .socketRefused,
      .socketDropped,
      .socketSilent, .socketDelayed, .socketDoubled, .socketReordered, .socketFragmented,
      .socketInvalidUTF8, .socketOversize:
      .answer(reply)
    case .resetBefore, .resetAfter: .wire([.reset])
    case .closeBefore, .closeAfter: .wire([.close])
    case .hang: .wire([.wait(fault.pause(60_000)), .close])
    case .notHTTP: .wire([.send(Array("SSH-2.0-OpenSSH_9.2\r\n".utf8)), .close])
    case .delay: .wire([.wait(fault.pause(100)), .answer(reply)])
    case .resetMiddle: .wire([.send(cut(reply)), .wait(.milliseconds(20)), .reset])
    case .truncate: .wire([.send(cut(reply)), .close])
    case .truncateHead: .wire([.send(half(reply.head(ending: true))), .close])
    case .duplicateAnswer: sending(reply.head(ending: false) + reply.body + reply.bytes)
    case .slowDrip: .wire([.send(reply.head(ending: true))] + drip(reply.body))
    case .slowHead: .wire(drip(reply.head(ending: true)) + [.send(reply.body)])
    case .headerFlood: sending(flooded(reply).bytes)
    case .headerLong:
      sending(
        reply.adding("X-Long", String(repeating: "a", count: fault.bytes ?? 1 << 20)).bytes)
    case .lengthConflict: sending(reply.adding("Content-Length", "\(reply.body.count / 2)").bytes)
    case .lengthShort: sending(reply.head(ending: true, length: reply.body.count / 2) + reply.body)
    case .chunkBroken: sending(Self.brokenChunks + reply.body)
    case .earlyHints: sending(Self.earlyHints + reply.bytes)
    case .truncateJSON, .wrongType, .missingField, .invalidUTF8, .duplicateKey, .byteOrderMark,
      .oversize, .gzipBomb, .gzipBroken, .wrongContentType:
      .answer(damaged(reply))
    }
  }

  private static let brokenChunks = Array(
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n".utf8)
  private static let earlyHints = Array(
    "HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n".utf8)

  /// Bytes that the HTTP library would not send.
  private func sending(_ bytes: [UInt8]) -> ResponseDelivery { .wire([.send(bytes), .close]) }

  private func half(_ bytes: [UInt8]) -> [UInt8] {
    Array(bytes.prefix(fault.bytes ?? bytes.count / 2))
  }

  /// The head promises the whole body, a part of it follows.
  private func cut(_ reply: VendorReply) -> [UInt8] { reply.head(ending: true) + half(reply.body) }

  /// In at most 200 pieces, so that a long body ends in a test's lifetime too.
  private func drip(_ bytes: [UInt8]) -> [ResponseStep] {
    let size = max(1, (bytes.count + 199) / 200)
    var steps: [ResponseStep] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      steps.append(.send(Array(bytes[start..<min(start + size, bytes.count)])))
      steps.append(.wait(fault.pause(5)))
    }
    return steps
  }

  private func flooded(_ reply: VendorReply) -> VendorReply {
    var reply = reply
    for number in 1...min(max(1, fault.bytes ?? 10_000), 100_000) {
      reply.headers.append(("X-Flood-\(number)", "more"))
    }
    return reply
  }
}

extension VendorReply {
  func adding(_ name: String, _ value: String) -> VendorReply {
    var reply = self
    reply.headers.append((name, value))
    return reply
  }
}
