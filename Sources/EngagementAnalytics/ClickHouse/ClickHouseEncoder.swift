import EngagementModel

/// Events as ClickHouse's `JSONEachRow` takes them: times are whole milliseconds, and the data is a text.
///
/// A row that a broken connection has cut is no JSON, so that no part of an event is taken for one.
package struct ClickHouseEncoder: EventEncoder {
  private var output = ExportBuffer()
  private var column = 0
  private var isFirst = true
  /// What stands before the value of each column.
  private let keys: [[UInt8]]
  /// The rows that were written and not taken yet.
  package private(set) var rows = 0

  package init() {
    keys = EventColumn.allCases.map { Array("\"\($0.name)\":".utf8) }
  }

  package var bytes: [UInt8] { output.bytes }

  package mutating func takeBytes() {
    output.removeAll()
    rows = 0
  }

  package mutating func begin() {}

  package mutating func finish() {}

  package mutating func missing() { column += 1 }

  package mutating func text(_ text: RawSpan) {
    key()
    output.append(quoted: text)
  }

  package mutating func integer(_ value: Int64) {
    key()
    output.append(value)
  }

  package mutating func time(_ milliseconds: Int64) { integer(milliseconds) }

  package mutating func json(_ json: RawSpan) { text(json) }

  package mutating func endEvent() {
    output.append("}\n" as StaticString)
    (column, isFirst) = (0, true)
    rows += 1
  }

  private mutating func key() {
    output.append(isFirst ? UInt8(ascii: "{") : UInt8(ascii: ","))
    output.append(keys[column])
    column += 1
    isFirst = false
  }
}
