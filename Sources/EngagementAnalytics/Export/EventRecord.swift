public import EngagementModel

/// One event, kept until all of its cells are there.
public struct EventRecord: Sendable {
  public enum Cell: Hashable, Sendable {
    case missing
    case text([UInt8])
    case integer(Int64)
    case time(Int64)
    case json([UInt8])

    public static func text(_ text: String) -> Cell { .text(Array(text.utf8)) }
    public static func json(_ json: String) -> Cell { .json(Array(json.utf8)) }
  }

  private enum Kept {
    case missing
    case text(Range<Int>)
    case integer(Int64)
    case time(Int64)
    case json(Range<Int>)
  }

  private var bytes: [UInt8] = []
  private var cells: [Kept] = []

  public init() {}

  /// An event with these cells and no others.
  public init(_ cells: [EventColumn: Cell]) {
    for column in EventColumn.allCases {
      switch cells[column] ?? .missing {
      case .missing: missing()
      case .text(let bytes): text(bytes.span.bytes)
      case .integer(let value): integer(value)
      case .time(let milliseconds): time(milliseconds)
      case .json(let bytes): json(bytes.span.bytes)
      }
    }
  }

  public subscript(column: EventColumn) -> Cell {
    guard column.rawValue < cells.count else { return .missing }
    return switch cells[column.rawValue] {
    case .missing: .missing
    case .text(let range): .text(Array(bytes[range]))
    case .integer(let value): .integer(value)
    case .time(let milliseconds): .time(milliseconds)
    case .json(let range): .json(Array(bytes[range]))
    }
  }

  /// The text of a column; nil for any other cell.
  func text(_ column: EventColumn) -> String? {
    guard case .text(let bytes) = self[column] else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Sends the event on.
  public func send(to sink: inout some EventSink) {
    for column in EventColumn.allCases { send(column, to: &sink) }
    sink.endEvent()
  }

  func send(_ column: EventColumn, to sink: inout some EventSink) {
    guard column.rawValue < cells.count else { return sink.missing() }
    switch cells[column.rawValue] {
    case .missing: sink.missing()
    case .text(let range): sink.text(bytes.span.extracting(range).bytes)
    case .integer(let value): sink.integer(value)
    case .time(let milliseconds): sink.time(milliseconds)
    case .json(let range): sink.json(bytes.span.extracting(range).bytes)
    }
  }

  /// The event with another text in a column; nil for none.
  func replacing(_ replaced: EventColumn, with text: String?) -> EventRecord {
    var record = EventRecord()
    for column in EventColumn.allCases {
      if column != replaced {
        send(column, to: &record)
      } else if let text {
        record.text(text)
      } else {
        record.missing()
      }
    }
    return record
  }

  public mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    cells.removeAll(keepingCapacity: true)
  }

  private mutating func keep(_ span: RawSpan) -> Range<Int> {
    let start = bytes.count
    unsafe span.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    return start..<bytes.count
  }
}

extension EventRecord: EventSink {
  public mutating func missing() { cells.append(.missing) }
  public mutating func text(_ text: RawSpan) { cells.append(.text(keep(text))) }
  public mutating func integer(_ value: Int64) { cells.append(.integer(value)) }
  public mutating func time(_ milliseconds: Int64) { cells.append(.time(milliseconds)) }
  public mutating func json(_ json: RawSpan) { cells.append(.json(keep(json))) }

  /// The record stays as it is.
  public mutating func endEvent() {}
}
