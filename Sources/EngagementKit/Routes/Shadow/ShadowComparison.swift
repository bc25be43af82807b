import EngagementModel

/// Compares two lists by their content keys.
struct ShadowComparison: Sendable {
  private(set) var figures = Figures()
  private(set) var examples: [Mismatch] = []
  private(set) var longestDelay: Duration?

  typealias Figures = Engagement.ParityReport.Figures
  typealias Mismatch = Engagement.ParityReport.Mismatch

  /// What one comparison tells the next. No more contents are kept than the limit.
  struct Memory: Hashable, Sendable {
    /// Since which uptime the candidate lacks a shown content.
    var missing: [ContentKey: Duration] = [:]
    /// The contents that the user has ended and the candidate still lists.
    var ended: Set<ContentKey> = []

    static let limit = 200
  }

  /// - Parameters:
  ///   - hidden: The contents that are not shown because of what the user did to them.
  ///   - uptime: When it is compared.
  init(
    _ shown: [ShadowItem], with candidate: [ShadowItem], hidden: Set<ContentKey>,
    unreadable: Int, _ memory: inout Memory, at uptime: Duration
  ) {
    let mine = Listed(shown)
    var theirs = Listed(candidate)
    let ended = theirs.keys.intersection(hidden.union(memory.ended)).subtracting(mine.keys)
    theirs.remove(ended)
    figures.shownWithoutKey = mine.withoutKey
    figures.candidateWithoutKey = theirs.withoutKey
    figures.repeated = mine.repeated + theirs.repeated
    figures.ended = ended.count
    figures.unreadable = unreadable
    compare(mine, theirs)
    noteDelays(mine, theirs, &memory, at: uptime)
    memory.ended = Set(ended.prefix(Memory.limit))
  }

  private mutating func compare(_ mine: Listed, _ theirs: Listed) {
    for item in mine.items {
      guard let copy = theirs[item.key] else {
        figures.onlyShown += 1
        note(Mismatch(.onlyShown, shown: item.id))
        continue
      }
      figures.both += 1
      let fields = item.differences(from: copy)
      guard !fields.isEmpty else { continue }
      figures.different += 1
      for field in fields { figures.fields[field, default: 0] += 1 }
      note(Mismatch(.different, shown: item.id, candidate: copy.id, fields: fields))
    }
    for item in theirs.items where mine[item.key] == nil {
      figures.onlyCandidate += 1
      note(Mismatch(.onlyCandidate, candidate: item.id))
    }
    let common = theirs.items.filter { mine[$0.key] != nil }
    let places = common.compactMap { mine.place(of: $0.key) }
    let still = Self.longestRun(in: places)
    for (item, place) in zip(common, places) where !still.contains(place) {
      figures.moved += 1
      note(Mismatch(.moved, shown: mine.items[place].id, candidate: item.id))
    }
  }

  private mutating func noteDelays(
    _ mine: Listed, _ theirs: Listed, _ memory: inout Memory, at uptime: Duration
  ) {
    for (item, copy) in mine.items.map({ ($0, theirs[$0.key]) }) {
      guard let copy, let key = item.key, let since = memory.missing[key] else { continue }
      figures.later += 1
      note(Mismatch(.later, shown: item.id, candidate: copy.id))
      // A later uptime than now is of before the machine was started again.
      guard since <= uptime else { continue }
      longestDelay = max(longestDelay ?? .zero, uptime - since)
    }
    var missing: [ContentKey: Duration] = [:]
    for item in mine.items where theirs[item.key] == nil && missing.count < Memory.limit {
      guard let key = item.key else { continue }
      missing[key] = memory.missing[key] ?? uptime
    }
    memory.missing = missing
  }

  private static let mostExamples = 3

  private mutating func note(_ mismatch: Mismatch) {
    guard examples.count(where: { $0.kind == mismatch.kind }) < Self.mostExamples else { return }
    examples.append(mismatch)
  }

  /// The members of a longest rising run of different numbers.
  static func longestRun(in numbers: [Int]) -> Set<Int> {
    // The indices of the numbers that end the best runs of each length.
    var ends: [Int] = []
    var former: [Int?] = []
    former.reserveCapacity(numbers.count)
    for (index, number) in numbers.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
      }
      former.append(low > 0 ? ends[low - 1] : nil)
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var run: Set<Int> = []
    var next = ends.last
    while let index = next {
      run.insert(numbers[index])
      next = former[index]
    }
    return run
  }
}

/// A list by content keys.
private struct Listed {
  /// The first item of each content, in the order of the list.
  private(set) var items: [ShadowItem] = []
  private(set) var withoutKey = 0
  private(set) var repeated = 0
  private var places: [ContentKey: Int] = [:]

  init(_ list: [ShadowItem]) {
    for item in list {
      guard let key = item.key else {
        withoutKey += 1
        continue
      }
      guard places[key] == nil else {
        repeated += 1
        continue
      }
      places[key] = items.count
      items.append(item)
    }
  }

  var keys: Set<ContentKey> { Set(places.keys) }

  func place(of key: ContentKey?) -> Int? { key.flatMap { places[$0] } }

  subscript(key: ContentKey?) -> ShadowItem? { place(of: key).map { items[$0] } }

  mutating func remove(_ contents: Set<ContentKey>) {
    guard !contents.isEmpty else { return }
    let left = items.filter { item in item.key.map { !contents.contains($0) } ?? true }
    (items, places) = ([], [:])
    for item in left {
      if let key = item.key { places[key] = items.count }
      items.append(item)
    }
  }
}
