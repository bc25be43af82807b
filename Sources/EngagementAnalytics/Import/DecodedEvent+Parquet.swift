import EngagementJSON
import EngagementModel

extension DecodedEvent {
  /// The event of a row of a Parquet file.
  public init(_ cells: [ParquetDecoder.Cell]) {
    var record = EventRecord()
    for (column, cell) in zip(EventColumn.allCases, cells) {
      switch cell {
      case .missing:
        if column.isRequired {
          self = .fault("It has no \(column.name).")
          return
        }
        record.missing()
      case .text(let text): record.text(text)
      case .integer(let value): record.integer(value)
      case .time(let milliseconds): record.time(milliseconds)
      case .json(let text):
        let utf8 = text.utf8
        guard (try? JSON(parsing: Array(utf8))) != nil else {
          self = .fault("Its \(column.name) is no JSON.")
          return
        }
        record.json(utf8.span.bytes)
      }
    }
    self = .event(record)
  }
}
