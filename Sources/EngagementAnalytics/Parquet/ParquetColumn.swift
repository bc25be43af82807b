import EngagementFormats
import EngagementModel

/// How a file has one of our columns.
struct ParquetColumn {
  let column: EventColumn
  /// Whether an event may lack a value.
  let isOptional: Bool
  /// How many units of a time make a millisecond.
  let unitsPerMillisecond: Int64

  /// The columns of the schema that we know, by their names, and the names of the others.
  static func columns(
    in reader: inout ThriftReader, _ field: ThriftReader.Field
  ) throws(EngagementError) -> (known: [ParquetColumn], foreign: ForeignNames) {
    var elements: [SchemaElement] = []
    try reader.structures(field) { (reader) throws(EngagementError) in
      elements.append(try SchemaElement(&reader))
    }
    let leaves = elements.dropFirst()
    guard leaves.allSatisfy({ $0.children == 0 }) else {
      throw EngagementError(
        .unreadable, "The Parquet file has columns within columns. Export the events as a table.")
    }
    var columns: [ParquetColumn] = []
    for column in EventColumn.allCases {
      let name = Array(column.name.utf8)
      let found = leaves.filter { $0.name == name }
      guard let element = found.first else { continue }
      guard found.count == 1 else {
        throw EngagementError(
          .unreadable,
          "The Parquet file has the column \(column.name) twice; leave out one of the two. No row is read."
        )
      }
      columns.append(try ParquetColumn(column, element))
    }
    guard columns.contains(where: { $0.column == .id }) else {
      throw EngagementError(
        .unreadable, "The Parquet file has no column id. It is no export of events.")
    }
    return (columns, try foreignNames(leaves.map { String(decoding: $0.name, as: UTF8.self) }))
  }

  /// Throws for a name that is meant for a column of ours.
  private static func foreignNames(_ names: [String]) throws(EngagementError) -> ForeignNames {
    let ours = EventColumn.allCases.map(\.name)
    let lacking = ours.filter { !names.contains($0) }
    var foreign = ForeignNames()
    for name in names where !ours.contains(name) {
      if let meant = ForeignNames.column(meantBy: name, among: lacking) {
        throw EngagementError(
          .unreadable,
          "The Parquet file has a column \"\(name)\"; did you mean \"\(meant)\"? No row is read.")
      }
      foreign.add(name)
    }
    return foreign
  }

  private init(_ column: EventColumn, _ element: SchemaElement) throws(EngagementError) {
    guard element.type == column.cellKind.physicalType.rawValue,
      element.repetition == 0 || element.repetition == 1,
      let units = column.cellKind == .time ? element.unitsPerMillisecond : 1
    else {
      throw EngagementError(
        .unreadable, "The column \(column.name) of the Parquet file has another type than ours.")
    }
    self.column = column
    isOptional = element.repetition == 1
    unitsPerMillisecond = units
  }

  /// The cell of a number.
  func cell(_ value: Int64) -> ParquetDecoder.Cell {
    guard column.cellKind == .time else { return .integer(value) }
    let (quotient, rest) = value.quotientAndRemainder(dividingBy: unitsPerMillisecond)
    let milliseconds = rest < 0 ? quotient - 1 : quotient
    return Epoch.range.contains(milliseconds) ? .time(milliseconds) : .missing
  }

  /// The cell of a text; nil for bytes that are no UTF-8.
  func cell(_ bytes: ArraySlice<UInt8>) -> ParquetDecoder.Cell? {
    String(validating: bytes, as: UTF8.self).map {
      column.cellKind == .json ? .json($0) : .text($0)
    }
  }
}

/// An element of the schema, as the footer has it.
private struct SchemaElement {
  var type: Int?
  var repetition: Int?
  var name: [UInt8] = []
  var children = 0
  var unitsPerMillisecond: Int64?

  init(_ reader: inout ThriftReader) throws(EngagementError) {
    var element = self
    try reader.structure { (reader, field) throws(EngagementError) in
      try element.read(field, by: &reader)
    }
    self = element
  }

  private enum Part: Int {
    case type = 1
    case repetition = 3
    case name = 4
    case children = 5
    case convertedType = 6
    case logicalType = 10
  }

  private mutating func read(
    _ field: ThriftReader.Field, by reader: inout ThriftReader
  ) throws(EngagementError) -> Bool {
    switch Part(rawValue: field.number) {
    case .type: type = try reader.integer(field)
    case .repetition: repetition = try reader.integer(field)
    case .name: name = try reader.binary(field)
    case .children: children = try reader.integer(field)
    case .convertedType:
      // Milliseconds and microseconds.
      let units: [Int: Int64] = [9: 1, 10: 1_000]
      let converted = try reader.integer(field)
      unitsPerMillisecond = unitsPerMillisecond ?? units[converted]
    case .logicalType:
      unitsPerMillisecond = try Self.units(in: &reader, field) ?? unitsPerMillisecond
    case nil: return false
    }
    return true
  }

  /// The unit of a timestamp; nil for another logical type.
  private static func units(
    in reader: inout ThriftReader, _ field: ThriftReader.Field
  ) throws(EngagementError) -> Int64? {
    var units: Int64?
    try reader.structure(field) { (reader, field) throws(EngagementError) in
      guard field.number == 8 else { return false }
      try reader.structure(field) { (reader, field) throws(EngagementError) in
        guard field.number == 2 else { return false }
        try reader.structure(field) { (_, field) throws(EngagementError) in
          units = [1: 1, 2: 1_000, 3: 1_000_000][field.number]
          return false
        }
        return true
      }
      return true
    }
    return units
  }
}
