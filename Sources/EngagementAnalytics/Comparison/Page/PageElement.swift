/// A page that needs nothing from elsewhere and runs nothing.
package enum PageDocument {
  /// - Parameter body: What is in `main`, as HTML.
  package static func html(title: String, body: String) -> String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" \
    content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="referrer" content="no-referrer">
    <title>\(title.html)</title>
    <style>
    \(PageStyle.css)
    </style>
    </head>
    <body>
    <main>
    \(body)
    </main>
    </body>
    </html>

    """
  }
}

/// Builds the parts of a page. All texts are escaped here.
package enum PageElement {
  /// A table that can be scrolled on a narrow screen.
  ///
  /// - Parameter names: How many columns at the left name the row.
  /// - Parameter isLong: Whether it is scrolled down, too.
  package static func table(_ whole: ComparisonTable, names: Int, isLong: Bool = false) -> String {
    let (table, reasons) = whole.withReasonsBelow
    let head = table.columns.map { column in
      "<th scope=\"col\"\(style(column))>\(column.title.html)</th>"
    }.joined()
    let rows = table.rows.map { row in
      let cells = zip(row, table.columns).enumerated().map { index, cell in
        index < names
          ? "<th scope=\"row\"><bdi>\(cell.0.html)</bdi></th>"
          : "<td\(style(cell.1, of: cell.0))>\(cell.0.html)</td>"
      }
      return "<tr>\(cells.joined())</tr>"
    }
    return """
      <div class="scroll\(isLong ? " days" : "")" role="region" tabindex="0" aria-label="\(table.title.html)">
      <table><caption>\(table.title.html)</caption>
      <thead><tr>\(head)</tr></thead>
      <tbody>
      \(rows.joined(separator: "\n"))
      </tbody></table></div>\(below(reasons))
      """
  }

  /// The sentences that stand in the place of figures. In the table they would be cut on a phone.
  private static func below(_ reasons: [String]) -> String {
    guard !reasons.isEmpty else { return "" }
    let items = reasons.enumerated().map { "<li>(\($0 + 1)) \($1.html)</li>" }
    return "\n<ul class=\"reasons\">\n\(items.joined(separator: "\n"))\n</ul>"
  }

  private static func style(_ column: ComparisonTable.Column, of cell: String = "") -> String {
    // A long text would have a line for each word on a phone.
    guard column.isNumeric else { return cell.utf8.count > 40 ? " class=\"reason\"" : "" }
    return " class=\"number\""
  }

  /// A chart with what it says in words, over its table.
  ///
  /// - Parameter id: Differs from those of the other charts.
  package static func chart(
    _ svg: SVG, id: String, title: String, description: String, table: String
  ) -> String {
    """
    <figure>
    <figcaption><h2>\(title.html)</h2><p>\(description.html)</p></figcaption>
    <svg role="img" aria-labelledby="\(id)-title \(id)-description" width="100%" \
    height="\(svg.height)">
    <title id="\(id)-title">\(title.html)</title>
    <desc id="\(id)-description">\(description.html) The table below has the figures.</desc>
    \(svg.elements.joined(separator: "\n"))
    </svg>
    \(table)
    </figure>
    """
  }
}

/// A drawing that is as wide as its place: across it counts in shares of the width, down in points.
package struct SVG {
  package var height = 0
  private(set) var elements: [String] = []

  package init() {}

  package enum Anchor: String {
    case start, middle, end
  }

  private static func percent(_ share: Double) -> String {
    let share = share.isFinite ? min(max(share, 0), 1) : 0
    // A hyphen and no groups of digits: this is for programs.
    return "\((share * 100_000).rounded() / 1_000)%"
  }

  package mutating func text(
    _ text: String, at x: Double, _ y: Int, _ anchor: Anchor = .start, _ style: String = ""
  ) {
    elements.append(
      "<text x=\"\(Self.percent(x))\" y=\"\(y)\" text-anchor=\"\(anchor.rawValue)\" "
        + "class=\"\(style)\">\(text.html)</text>")
  }

  package mutating func rectangle(
    from x: Double = 0, to end: Double, _ y: Int, height: Int, _ style: String
  ) {
    elements.append(
      "<rect x=\"\(Self.percent(x))\" width=\"\(Self.percent(end - x))\" y=\"\(y)\" "
        + "height=\"\(height)\" rx=\"2\" class=\"\(style)\"/>")
  }

  package mutating func line(_ x: Double, _ y: Int, to end: Double, _ bottom: Int, _ style: String)
  {
    elements.append(
      "<line x1=\"\(Self.percent(x))\" y1=\"\(y)\" x2=\"\(Self.percent(end))\" y2=\"\(bottom)\" "
        + "class=\"\(style)\"/>")
  }

  package mutating func circle(at x: Double, _ y: Int, radius: Int = 5, _ style: String) {
    elements.append(
      "<circle cx=\"\(Self.percent(x))\" cy=\"\(y)\" r=\"\(radius)\" class=\"\(style)\"/>")
  }

  /// A line through points, whose places are shares of the rectangle from `top` on.
  package mutating func curve(
    _ points: [(x: Double, y: Double)], _ top: Int, height: Int, _ style: String
  ) {
    let places = points.map { point in
      "\((point.x * 10_000).rounded() / 10) \(((1 - point.y) * 10_000).rounded() / 10)"
    }
    elements.append(
      "<svg y=\"\(top)\" width=\"100%\" height=\"\(height)\" viewBox=\"0 0 1000 1000\" "
        + "preserveAspectRatio=\"none\" class=\"curve\"><polyline points=\""
        + places.joined(separator: " ") + "\" class=\"\(style)\"/></svg>")
  }
}
