/// Numbers that keep a list in order, with gaps between them. When a list comes again with other
/// items, most old items keep their numbers, and nothing is written for them.
enum ListPositions {
  static let gap: Int64 = 1 << 20
  /// Far from the ends of 64 bits, so that no sum and no difference here overflows.
  static let sound: ClosedRange<Int64> = -(1 << 61)...(1 << 61)

  /// The place behind the last one.
  static func behind(_ last: Int64?) -> Int64 { last.map { $0 + gap } ?? 0 }

  /// A place for each element of a list, given the old places. As few as possible are new.
  static func assigned(_ old: [Int64?]) -> [Int64] {
    let kept = longestRise(in: old)
    var places: [Int64] = []
    places.reserveCapacity(old.count)
    for (index, place) in kept {
      guard fill(&places, upTo: index, before: place) else { return fresh(old.count) }
      places.append(place)
    }
    return fill(&places, upTo: old.count, before: nil) ? places : fresh(old.count)
  }

  private static func fresh(_ count: Int) -> [Int64] { (0..<Int64(count)).map { $0 * gap } }

  /// Adds new places up to the index; false if there are not enough between the neighbours.
  private static func fill(_ places: inout [Int64], upTo index: Int, before right: Int64?) -> Bool {
    let count = Int64(index - places.count)
    guard count > 0 else { return true }
    let left = places.last
    var step = gap
    if let left, let right {
      step = min(gap, (right - left) / (count + 1))
      guard step > 0 else { return false }
    }
    let start = left ?? (right.map { $0 - step * (count + 1) } ?? -step)
    places += (1...count).map { start + step * $0 }
    return true
  }

  private typealias Element = (index: Int, place: Int64)

  /// The most elements, not always side by side, of which each is higher than the one before.
  private static func longestRise(in old: [Int64?]) -> [Element] {
    // For each length the lowest element that ends a rise of that length.
    var ends: [Element] = []
    var previous = [Element?](repeating: nil, count: old.count)
    for case (let index, let place?) in old.enumerated() {
      let length = count(of: ends, below: place)
      if length > 0 { previous[index] = ends[length - 1] }
      if length == ends.count { ends.append((index, place)) } else { ends[length] = (index, place) }
    }
    var rise: [Element] = []
    var next = ends.last
    while let element = next {
      rise.append(element)
      next = previous[element.index]
    }
    return rise.reversed()
  }

  private static func count(of ends: [Element], below place: Int64) -> Int {
    // Mostly a list is in order already, and each element is a new end.
    if let last = ends.last, last.place < place { return ends.count }
    var (low, high) = (0, ends.count)
    while low < high {
      let middle = (low + high) / 2
      if ends[middle].place < place { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
