/// Finds what somebody may have meant.
package enum NearestName {
  /// The candidate that is the fewest edits away, if those are few for its length.
  package static func of(_ name: String, among candidates: [String]) -> String? {
    // A long text is meant as no name, and the time grows with the product of the lengths.
    guard name.utf8.count <= longest else { return nil }
    let count = name.unicodeScalars.count
    let limit = max(1, count / 2)
    // The edits are at least as many as the lengths differ by.
    return candidates.filter { abs($0.unicodeScalars.count - count) <= limit }
      .map { ($0, distance(from: name, to: $0)) }
      .filter { $0.1 <= limit }
      .min { ($0.1, $0.0) < ($1.1, $1.0) }?.0
  }

  private static let longest = 500

  /// `; did you mean "braze"?`, or the names that there are.
  package static func hint(for name: String, among candidates: [String]) -> String {
    if let nearest = of(name, among: candidates) { return "; did you mean \"\(nearest)\"?" }
    guard !candidates.isEmpty else { return "; there is none." }
    return "; there is " + candidates.map { "\"\($0)\"" }.joined(separator: ", ") + "."
  }

  /// How many insertions, deletions, replacements and swaps of neighbours lead from one to the
  /// other.
  package static func distance(from left: String, to right: String) -> Int {
    let (left, right) = (Array(left.unicodeScalars), Array(right.unicodeScalars))
    var rows = [Array(0...right.count)]
    for (line, scalar) in left.enumerated() {
      var row = [line + 1]
      for (column, other) in right.enumerated() {
        let keep = rows[line][column] + (scalar == other ? 0 : 1)
        var least = min(keep, rows[line][column + 1] + 1, row[column] + 1)
        if line > 0, column > 0, scalar == right[column - 1], left[line - 1] == other {
          least = min(least, rows[line - 1][column - 1] + 1)
        }
        row.append(least)
      }
      rows.append(row)
    }
    return rows[left.count][right.count]
  }
}
