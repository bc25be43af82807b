/// Figures with their intervals, as dots on lines, in groups with a scale each.
struct IntervalChart {
  struct Row {
    let label: String
    let figure: String
    /// Nil if the figure is withheld.
    let value: Double?
    let interval: ClosedRange<Double>?
    let style: String
  }

  struct Group {
    let title: String
    let scale: ClosedRange<Double>
    /// Where a line crosses all rows.
    var reference: Double?
    let rows: [Row]
    let text: (Double) -> String

    private var width: Double { scale.upperBound - scale.lowerBound }

    func place(of value: Double) -> Double {
      width > 0 ? min(max((value - scale.lowerBound) / width, 0), 1) : 0.5
    }
  }

  let groups: [Group]

  var svg: SVG {
    var svg = SVG()
    for group in groups {
      svg.text(group.title, at: 0, svg.height + 16, .start, "heading")
      svg.height += 26
      let top = svg.height
      for row in group.rows {
        Self.draw(row, of: group, in: &svg)
        svg.height += 42
      }
      Self.drawScale(of: group, from: top, in: &svg)
      svg.height += 30
    }
    return svg
  }

  private static func draw(_ row: Row, of group: Group, in svg: inout SVG) {
    let y = svg.height
    svg.text(row.label, at: 0, y + 12, .start, "label")
    svg.text(row.figure, at: 1, y + 12, .end, "figure")
    svg.line(0, y + 26, to: 1, y + 26, "grid")
    guard let value = row.value else { return }
    if let interval = row.interval {
      let (low, high) = (group.place(of: interval.lowerBound), group.place(of: interval.upperBound))
      svg.line(low, y + 26, to: high, y + 26, "interval \(row.style)")
      // An end that lies outside the scale has no mark.
      for (bound, place) in [(interval.lowerBound, low), (interval.upperBound, high)]
      where group.scale.contains(bound) {
        svg.line(place, y + 21, to: place, y + 31, "interval \(row.style)")
      }
    }
    svg.circle(at: group.place(of: value), y + 26, "dot \(row.style)")
  }

  private static func drawScale(of group: Group, from top: Int, in svg: inout SVG) {
    let y = svg.height + 6
    svg.text(group.text(group.scale.lowerBound), at: 0, y, .start, "scale")
    svg.text(group.text(group.scale.upperBound), at: 1, y, .end, "scale")
    guard let reference = group.reference, group.scale.contains(reference) else { return }
    let place = group.place(of: reference)
    svg.line(place, top + 16, to: place, svg.height - 6, "reference")
    svg.text(group.text(reference), at: place, y, .middle, "scale")
  }
}
