import EngagementModel

/// Splits bytes that are cut anywhere into lines, and counts them. Empty lines are passed over.
struct EventLines: Sendable {
  private var line: [UInt8] = []
  private var number = 1
  private var isTooLong = false

  /// - Parameter body: Called with each line and its number; without one where it is too long.
  mutating func split(
    _ bytes: [UInt8], _ body: (Int, [UInt8]?) throws -> Void
  ) rethrows {
    var start = 0
    let span = bytes.span.bytes
    while let newline = span.firstOffset(of: UInt8(ascii: "\n"), from: start) {
      // Nothing is done for a line without a byte: a small file may have millions when it is compressed.
      if newline == start, line.isEmpty, !isTooLong {
        number += 1
      } else {
        append(bytes[start..<newline])
        try end(body)
      }
      start = newline + 1
    }
    append(bytes[start...])
  }

  /// Takes what is left as the last line.
  mutating func end(_ body: (Int, [UInt8]?) throws -> Void) rethrows {
    defer {
      number += 1
      line.removeAll(keepingCapacity: true)
      isTooLong = false
    }
    if isTooLong { return try body(number, nil) }
    guard line.contains(where: { $0 > 0x20 }) else { return }
    try body(number, line)
  }

  private mutating func append(_ bytes: ArraySlice<UInt8>) {
    if line.count + bytes.count > longestEvent { isTooLong = true }
    if !isTooLong { line += bytes }
  }
}
