import EngagementFormats
public import EngagementModel

/// CloudEvents 1.0 as JSON, one event a line.
public struct NDJSONEncoder: EventEncoder {
  private var output = ExportBuffer()
  private var column = 0
  /// What stands before the value of each column.
  private let keys: [[UInt8]]

  public init() {
    keys = EventColumn.allCases.map { Array(",\"\($0.name)\":".utf8) }
  }

  public var bytes: [UInt8] { output.bytes }

  public mutating func takeBytes() { output.removeAll() }

  public mutating func begin() {}

  public mutating func finish() {}

  public mutating func missing() { column += 1 }

  public mutating func text(_ text: RawSpan) {
    key()
    output.append(UInt8(ascii: "\""))
    let facts = TextFacts(text)
    if facts.isSound, !facts.hasEscapes {
      output.append(text)
    } else if facts.isSound {
      appendEscaped(text)
    } else {
      let repaired = text.repaired
      appendEscaped(repaired.span.bytes)
    }
    output.append(UInt8(ascii: "\""))
  }

  public mutating func integer(_ value: Int64) {
    key()
    output.append(value)
  }

  public mutating func time(_ milliseconds: Int64) {
    guard Epoch.range.contains(milliseconds) else { return missing() }
    key()
    output.append(UInt8(ascii: "\""))
    output.append(time: milliseconds)
    output.append(UInt8(ascii: "\""))
  }

  public mutating func json(_ json: RawSpan) {
    key()
    output.append(json)
  }

  public mutating func endEvent() {
    output.append("}\n" as StaticString)
    column = 0
  }

  /// The first column is never missing.
  @inline(__always)
  private mutating func key() {
    if column == 0 { output.append(#"{"specversion":"1.0""# as StaticString) }
    output.append(keys[column])
    column += 1
  }

  private mutating func appendEscaped(_ text: RawSpan) {
    for offset in text.byteOffsets {
      let byte = unsafe text.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
      if byte < 0x20 {
        output.append("\\u00" as StaticString)
        output.append(Self.digit(byte >> 4))
        output.append(Self.digit(byte & 15))
      } else {
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
          output.append(UInt8(ascii: "\\"))
        }
        output.append(byte)
      }
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? value + UInt8(ascii: "0") : value - 10 + UInt8(ascii: "a")
  }
}
