/// What is wrong with lines of files. The lines of a file with the same fault are told together.
struct LineFaults {
  /// All of them.
  private(set) var count = 0
  private var groups: [Group] = []
  /// Where the group of a fault is.
  private var places: [Place: Int] = [:]

  fileprivate struct Place: Hashable {
    let file: String
    let sentence: String
  }

  fileprivate struct Group {
    let place: Place
    var lines: [ClosedRange<Int>] = []
    /// The lines beside those.
    var others = 0
  }

  /// More are counted and not kept.
  private static let mostGroups = 20
  fileprivate static let mostRanges = 10

  /// - Parameter line: Nil if the whole file has the fault.
  mutating func add(_ sentence: String, in file: String, line: Int? = nil) {
    count += 1
    let place = Place(file: file, sentence: sentence)
    guard let index = index(of: place), let line else { return }
    groups[index].add(line)
  }

  private mutating func index(of place: Place) -> Int? {
    if let index = places[place] { return index }
    guard groups.count < Self.mostGroups else { return nil }
    groups.append(Group(place: place))
    places[place] = groups.count - 1
    return groups.count - 1
  }

  /// Each fault with its file and its lines.
  var sentences: [String] { groups.map(\.text) }

  /// How many are in no sentence.
  var untold: Int {
    count - groups.reduce(0) { $0 + max($1.lines.reduce($1.others) { $0 + $1.count }, 1) }
  }
}

extension LineFaults.Group {
  fileprivate mutating func add(_ line: Int) {
    if let last = lines.last, last.upperBound + 1 == line {
      lines[lines.count - 1] = last.lowerBound...line
    } else if lines.count < LineFaults.mostRanges {
      lines.append(line...line)
    } else {
      others += 1
    }
  }

  fileprivate var text: String {
    guard !lines.isEmpty else { return "\(place.file): \(place.sentence)" }
    let numbers = lines.map { range in
      range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
    }
    let more = others > 0 ? " and \(others) more lines" : ""
    return "\(place.file):\(numbers.joined(separator: ","))\(more): \(place.sentence)"
  }
}
