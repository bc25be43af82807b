import EngagementModel

extension DecodedEvent {
  /// The event of a row of a Parquet file.
  public init(_ cells: [ParquetDecoder.Cell]) {
    var record = EventRecord()
    for (column, cell) in zip(EventColumn.allCases, cells) {
      if let fault = Self.append(cell, as: column, to: &record) {
        self = .fault(fault)
        return
      }
    }
    self = .event(record)
  }

  /// Returns what is wrong with the cell.
  private static func append(
    _ cell: ParquetDecoder.Cell, as column: EventColumn, to record: inout EventRecord
  ) -> String? {
    switch cell {
    case .missing:
      if column.isRequired { return "It has no \(column.name)." }
      record.missing()
    case .text(let text):
      let utf8 = text.utf8
      return record.append(utf8.span.bytes, as: column)
    case .integer(let value): record.integer(value)
    case .time(let milliseconds): record.time(milliseconds)
    case .json(let text): return record.append(json: Array(text.utf8), as: column)
    }
    return nil
  }
}
