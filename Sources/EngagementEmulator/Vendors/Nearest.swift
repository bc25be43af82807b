/// The name that someone may have meant.
enum Nearest {
  /// `; did you mean "…"?`, or the names that there are where none is near.
  static func hint(_ name: String, _ candidates: [String]) -> String {
    let near = candidates.map { ($0, distance(name, $0)) }.min { $0.1 < $1.1 }
    guard let near, near.1 <= max(2, name.count / 3) else {
      return "; there are \(candidates.joined(separator: ", "))"
    }
    return "; did you mean \"\(near.0)\"?"
  }

  /// How many bytes must be changed, added or taken away, letters of either case being one.
  static func distance(_ left: String, _ right: String) -> Int {
    let left = Array(left.lowercased().utf8)
    let right = Array(right.lowercased().utf8)
    var row = Array(0...right.count)
    for (i, byte) in left.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, other) in right.enumerated() {
        let changed = diagonal + (byte == other ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(changed, row[j] + 1, diagonal + 1)
      }
    }
    return row[right.count]
  }
}
