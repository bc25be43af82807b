/// What may go wrong between a vendor and its client.
enum FaultKind: String, CaseIterable, Sendable {
  // The vendor does nothing.
  case status, throttleSeconds, throttleDate, throttleGarbage, unauthorized
  case resetBefore, closeBefore, hang
  case html, empty, notHTTP
  case redirectLoop, redirectElsewhere, redirectOnce

  // The vendor does what it is asked for, and the answer suffers.
  case delay, resetAfter, closeAfter, resetMiddle
  case truncate, truncateHead, truncateJSON
  case wrongType, missingField, invalidUTF8, duplicateKey, byteOrderMark
  case duplicateAnswer, duplicateRequest
  case oversize, gzipBomb, gzipBroken
  case slowDrip, slowHead, headerFlood, headerLong
  case lengthShort, lengthConflict, chunkBroken, earlyHints, wrongContentType

  // A web socket suffers.
  case socketRefused, socketDropped, socketSilent, socketDelayed, socketDoubled
  case socketReordered, socketFragmented, socketInvalidUTF8, socketOversize

  var name: String { rawValue }

  /// Whether it strikes only requests that open a web socket.
  var isOfSocket: Bool { Self.ofSockets.contains(self) }

  static let ofSockets: [FaultKind] = [
    .socketRefused, .socketDropped, .socketSilent, .socketDelayed, .socketDoubled,
    .socketReordered, .socketFragmented, .socketInvalidUTF8, .socketOversize,
  ]

  static var names: [String] { allCases.map(\.name) }
}
