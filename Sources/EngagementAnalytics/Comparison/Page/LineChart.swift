/// One line for each arm over days.
struct LineChart {
  struct Line {
    let label: String
    let style: String
    /// The last figure.
    let figure: String
    let values: [Double?]
  }

  let days: [Int]
  let lines: [Line]
  let text: (Double) -> String

  private static let plotHeight = 150

  var svg: SVG {
    var svg = SVG()
    for line in lines {
      svg.line(0, svg.height + 10, to: 0.05, svg.height + 10, "curve-key \(line.style)")
      svg.text(line.label, at: 0.065, svg.height + 14, .start, "label")
      svg.text(line.figure, at: 1, svg.height + 14, .end, "figure")
      svg.height += 20
    }
    let top = svg.height + 22
    let most = lines.flatMap { $0.values.compactMap(\.self) }.max() ?? 0
    let scale = Figure.scaleEnd(for: most)
    for share in [0, 0.5, 1] {
      let y = top + Int((1 - share) * Double(Self.plotHeight))
      svg.line(0, y, to: 1, y, "grid")
      svg.text(text(scale * share), at: 0, y - 4, .start, "scale")
    }
    for line in lines { draw(line, scale, top, in: &svg) }
    svg.height = top + Self.plotHeight + 20
    svg.text(days.first.map { Figure.day($0) } ?? "", at: 0, svg.height - 2, .start, "scale")
    if days.count > 1 {
      svg.text(days.last.map { Figure.day($0) } ?? "", at: 1, svg.height - 2, .end, "scale")
    }
    svg.height += 8
    return svg
  }

  private func draw(_ line: Line, _ scale: Double, _ top: Int, in svg: inout SVG) {
    let first = Double(days.first ?? 0)
    let span = max(Double(days.last ?? 0) - first, 1)
    let points = zip(days, line.values).compactMap { day, value in
      value.map { (x: (Double(day) - first) / span, y: $0 / scale) }
    }
    if points.count > 1 { svg.curve(points, top, height: Self.plotHeight, "line \(line.style)") }
    guard let last = points.last else { return }
    let y = top + Int(((1 - last.y) * Double(Self.plotHeight)).rounded())
    svg.circle(at: last.x, y, radius: 4, "dot \(line.style)")
  }
}
