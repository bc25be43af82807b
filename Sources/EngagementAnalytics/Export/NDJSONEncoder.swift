import EngagementFormats
import EngagementModel

/// CloudEvents 1.0 as JSON, one event a line.
package struct NDJSONEncoder: EventEncoder {
  private var output = ExportBuffer()
  private var column = 0
  /// What stands before the value of each column.
  private let keys: [[UInt8]]

  package init() {
    keys = EventColumn.allCases.map { Array(",\"\($0.name)\":".utf8) }
  }

  package var bytes: [UInt8] { output.bytes }

  package mutating func takeBytes() { output.removeAll() }

  package mutating func begin() {}

  package mutating func missing() { column += 1 }

  package mutating func text(_ text: RawSpan) {
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

  package mutating func integer(_ value: Int64) {
    key()
    output.append(value)
  }

  package mutating func time(_ milliseconds: Int64) {
    guard Epoch.range.contains(milliseconds) else { return missing() }
    key()
    output.append(UInt8(ascii: "\""))
    output.append(time: milliseconds)
    output.append(UInt8(ascii: "\""))
  }

  package mutating func json(_ json: RawSpan) {
    key()
    output.append(json)
  }

  package mutating func endEvent() {
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
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        output.append(UInt8(ascii: "\\"))
        output.append(byte)
      case 0..<0x20:
        output.append("\\u00" as StaticString)
        output.append(Self.digit(byte >> 4))
        output.append(Self.digit(byte & 15))
      default: output.append(byte)
      }
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? value + UInt8(ascii: "0") : value - 10 + UInt8(ascii: "a")
  }
}
