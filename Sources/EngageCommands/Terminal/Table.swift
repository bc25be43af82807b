/// Rows under titles, as wide as what is in them and no wider than the terminal.
struct Table {
  /// One column.
  struct Column {
    var title: String
    var alignment: Alignment = .leading
    /// Whether it gives way first where there is no room for all.
    var isFlexible = false

    init(_ title: String, _ alignment: Alignment = .leading, isFlexible: Bool = false) {
      self.title = title
      self.alignment = alignment
      self.isFlexible = isFlexible
    }
  }

  enum Alignment {
    case leading, trailing
  }

  let columns: [Column]
  private(set) var rows: [[Phrase]] = []

  init(_ columns: [Column]) { self.columns = columns }

  /// Adds a row with a cell for each column.
  /// A cell that is longer than a page is cut: all cells of its column are padded to it.
  mutating func add(_ cells: [Phrase]) { rows.append(cells.map { $0.cut(to: Self.widest) }) }

  private static let widest = 1_000

  /// The lines, the titles first.
  ///
  /// - Parameter width: The columns of the terminal; nil where nothing is cut.
  func lines(width: Int?) -> [Phrase] {
    let titles = columns.map { Phrase($0.title, .faint) }
    let widths = fitted(to: width)
    return ([titles] + rows).map { row in
      let cells = zip(zip(row, widths), columns).map { cell, column in
        Self.padded(cell.0.cut(to: cell.1), to: cell.1, column.alignment)
      }
      return Self.joined(cells)
    }
  }

  private static let gap = 2

  /// No line ends in spaces.
  private static func joined(_ cells: [Cell]) -> Phrase {
    var (line, owed) = (Phrase(""), 0)
    for (index, cell) in cells.enumerated() {
      owed += cell.left + (index == 0 ? 0 : gap)
      if cell.width > 0 {
        line = line + Phrase(String(repeating: " ", count: owed)) + cell.text
        owed = 0
      }
      owed += cell.right
    }
    return line
  }

  /// What stands in a column, with the spaces around it.
  private struct Cell {
    var text: Phrase
    var width: Int
    var left = 0
    var right = 0
  }

  private static func padded(_ text: Phrase, to width: Int, _ alignment: Alignment) -> Cell {
    let own = text.width
    let space = max(0, width - own)
    return alignment == .leading
      ? Cell(text: text, width: own, right: space) : Cell(text: text, width: own, left: space)
  }

  /// The width of each column, so that all fit where that is possible.
  private func fitted(to width: Int?) -> [Int] {
    var widths = columns.indices.map { index in
      rows.reduce(DisplayWidth.of(columns[index].title)) { max($0, $1[index].width) }
    }
    guard let width else { return widths }
    var excess = widths.reduce(0, +) + Self.gap * max(0, widths.count - 1) - width
    let flexible = columns.indices.filter { columns[$0].isFlexible }
    for group in [flexible, Array(columns.indices)] {
      while excess > 0, let widest = group.max(by: { widths[$0] < widths[$1] }),
        widths[widest] > Self.narrowest
      {
        widths[widest] -= 1
        excess -= 1
      }
    }
    return widths
  }

  /// A narrower column says nothing any more.
  private static let narrowest = 6
}
