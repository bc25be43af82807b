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
    output.append(quoted: text)
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
}
