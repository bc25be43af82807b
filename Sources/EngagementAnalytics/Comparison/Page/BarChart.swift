/// Bars under their labels, in groups.
package struct BarChart {
  package struct Bar {
    let label: String
    let figure: String
    /// How long it is.
    let share: Double
    /// Where the plan has its end.
    var planned: Double?
    let style: String

    package init(
      label: String, figure: String, share: Double, planned: Double? = nil, style: String
    ) {
      self.label = label
      self.figure = figure
      self.share = share
      self.planned = planned
      self.style = style
    }
  }

  package struct Group {
    var title = ""
    let bars: [Bar]

    package init(title: String = "", bars: [Bar]) {
      self.title = title
      self.bars = bars
    }
  }

  let groups: [Group]

  package init(groups: [Group]) { self.groups = groups }

  package var svg: SVG {
    var svg = SVG()
    var y = 0
    for group in groups {
      if !group.title.isEmpty {
        svg.text(group.title, at: 0, y + 16, .start, "heading")
        y += 24
      }
      for bar in group.bars {
        svg.text(bar.label, at: 0, y + 13, .start, "label")
        svg.text(bar.figure, at: 1, y + 13, .end, "figure")
        svg.rectangle(to: 1, y + 20, height: 10, "track")
        if bar.share > 0 { svg.rectangle(to: bar.share, y + 20, height: 10, "bar \(bar.style)") }
        if let planned = bar.planned { svg.line(planned, y + 17, to: planned, y + 33, "plan") }
        y += 40
      }
      y += 10
    }
    svg.height = y
    return svg
  }
}
