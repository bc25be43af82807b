public import EngagementModel

/// CSV as RFC 4180 has it, with a line of names first. No program takes a text for a formula: one that
/// begins like a formula, or with the mark itself, has an apostrophe before it.
public struct CSVEncoder: EventEncoder {
  private var output = ExportBuffer()
  private var column = 0

  public init() {}

  public var bytes: [UInt8] { output.bytes }

  public mutating func takeBytes() { output.removeAll() }

  public mutating func begin() {
    for column in EventColumn.allCases {
      separate()
      output.append(column.name)
    }
    endEvent()
  }

  public mutating func finish() {}

  public mutating func missing() { separate() }

  public mutating func text(_ text: RawSpan) {
    separate()
    let facts = TextFacts(text)
    if facts.isSound, !facts.hasSeparators,
      !(facts.first.map { Self.formulaBeginnings.contains($0) || $0 == Self.wide } ?? false)
    {
      output.append(text)
    } else {
      appendGuarded(text, facts)
    }
  }

  public mutating func integer(_ value: Int64) {
    separate()
    output.append(value)
  }

  public mutating func time(_ milliseconds: Int64) {
    separate()
    output.append(time: milliseconds)
  }

  public mutating func json(_ json: RawSpan) {
    separate()
    appendQuoted(json)
  }

  public mutating func endEvent() {
    output.append(UInt8(ascii: "\r"))
    output.append(UInt8(ascii: "\n"))
    column = 0
  }

  private mutating func separate() {
    if column > 0 { output.append(UInt8(ascii: ",")) }
    column += 1
  }

  private mutating func appendGuarded(_ text: RawSpan, _ facts: TextFacts) {
    var bytes = facts.isSound ? text.copied : text.repaired
    if Self.beginsFormula(bytes) {
      bytes.insert(UInt8(ascii: "'"), at: 0)
    }
    if bytes.contains(where: Self.quoted.contains) {
      appendQuoted(bytes.span.bytes)
    } else {
      output.append(bytes)
    }
  }

  private mutating func appendQuoted(_ bytes: RawSpan) {
    output.append(UInt8(ascii: "\""))
    var start = 0
    while let quote = bytes.firstOffset(of: UInt8(ascii: "\""), from: start) {
      output.append(bytes.extracting(start..<quote + 1))
      output.append(UInt8(ascii: "\""))
      start = quote + 1
    }
    output.append(bytes.extracting(start..<bytes.byteCount))
    output.append(UInt8(ascii: "\""))
  }

  private static func beginsFormula(_ bytes: [UInt8]) -> Bool {
    guard let first = bytes.first else { return false }
    return formulaBeginnings.contains(first)
      || first == wide && wideBeginnings.contains { bytes.starts(with: $0) }
  }

  private static let quoted: [UInt8] = Array("\",\r\n".utf8)
  private static let formulaBeginnings: [UInt8] = Array("=+-@\t\r\n'".utf8)
  /// The same signs as East Asian keyboards have them, in full width. Spreadsheets there take them, too.
  private static let wideBeginnings = ["＝", "＋", "－", "＠"].map { Array($0.utf8) }
  /// The first byte of each of them.
  private static let wide: UInt8 = 0xef
}
