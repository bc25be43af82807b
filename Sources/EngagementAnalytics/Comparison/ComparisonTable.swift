import EngagementModel

/// Some figures of a comparison as text, for every kind of output.
public struct ComparisonTable: Hashable, Sendable {
  public struct Column: Hashable, Sendable {
    public let title: String
    /// Whether its cells are numbers, which stand to the right.
    public let isNumeric: Bool
    /// Whether the title is a name from outside, which keeps its letters.
    package let isName: Bool

    /// The title as a terminal shows it.
    package var heading: String { isName ? title : title.uppercased() }
  }

  public let title: String
  public let columns: [Column]
  /// A cell for each column.
  public private(set) var rows: [[String]] = []

  /// The first columns hold names, the others numbers.
  ///
  /// - Parameter named: Numbers whose titles are names from outside.
  package init(
    _ title: String, names: [String], numbers: [String] = [], named: [String] = []
  ) {
    self.title = title
    columns =
      names.map { Column(title: $0, isNumeric: false, isName: false) }
      + numbers.map { Column(title: $0, isNumeric: true, isName: false) }
      + named.map { Column(title: $0, isNumeric: true, isName: true) }
  }

  package mutating func add(_ cells: [String]) { rows.append(cells) }

  /// The table with a number in place of each sentence among its figures, and the sentences.
  package var withReasonsBelow: (table: ComparisonTable, reasons: [String]) {
    var reasons: [String] = []
    var table = self
    table.rows = rows.map { row in
      zip(columns, row).map { column, cell in
        // No figure ends with a full stop.
        guard column.isNumeric, cell.hasSuffix(".") else { return cell }
        // Names that differ in their bytes are of different providers.
        let place = reasons.firstIndex { $0.hasSameBytes(as: cell) } ?? reasons.count
        if place == reasons.count { reasons.append(cell) }
        return "(\(place + 1))"
      }
    }
    return (table, reasons)
  }

  /// The lines of a text: the title, the names of the columns and the rows.
  var lines: [String] {
    let all = [columns.map(\.heading)] + rows
    let widths = columns.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
    return [title]
      + all.map { row -> String in
        var line = ""
        for (index, cell) in row.enumerated() {
          let space = String(repeating: " ", count: widths[index] - cell.count)
          line += (index > 0 ? "  " : "") + (columns[index].isNumeric ? space + cell : cell + space)
        }
        while line.hasSuffix(" ") { line.removeLast() }
        return line
      }
  }
}
