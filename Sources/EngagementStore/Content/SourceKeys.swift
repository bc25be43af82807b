import EngagementModel

/// Which contents the items of one source are copies of, and what of that has changed.
struct SourceKeys: Sendable {
  private var keys: [Int64: ContentKey] = [:]
  private var counts: [ContentKey: Int] = [:]
  private var news = News()

  /// What has changed since it was last taken.
  struct News: Sendable {
    /// The rows that may have another key than before.
    fileprivate(set) var rows: [Int64: (old: ContentKey?, new: ContentKey?)] = [:]
    /// How many copies the contents had before, of those whose copies changed.
    fileprivate(set) var formerCounts: [ContentKey: Int] = [:]
    /// The items that are new.
    fileprivate(set) var added: [(row: Int64, name: ItemKey, key: ContentKey)] = []
    /// What the vendor says of items.
    fileprivate(set) var said: [(name: ItemKey, key: ContentKey, overlay: Overlay)] = []
    /// How many items have a wrong key.
    fileprivate(set) var faults: [ContentKey.Absence: Int] = [:]

    var isEmpty: Bool { rows.isEmpty && said.isEmpty && faults.isEmpty }
  }

  init(_ keys: [Int64: ContentKey] = [:]) {
    self.keys = keys
    for key in keys.values { counts[key, default: 0] += 1 }
  }

  /// How many copies of the content the source lists.
  func count(of key: ContentKey) -> Int { counts[key] ?? 0 }

  /// Notes what a row has now.
  mutating func note(_ content: ItemContent, at row: Int64, isNew: Bool) {
    set(content.contentKey, of: row)
    guard let key = content.contentKey else { return }
    if isNew { news.added.append((row, content.name, key)) }
    let said = Overlay(vendorOf: content)
    if !said.isEmpty { news.said.append((content.name, key, said)) }
  }

  /// Notes that an item's key is wrong.
  mutating func note(_ fault: ContentKey.Absence) { news.faults[fault, default: 0] += 1 }

  mutating func forget(_ row: Int64) { set(nil, of: row) }

  mutating func takeNews() -> News {
    defer { news = News() }
    return news
  }

  private mutating func set(_ key: ContentKey?, of row: Int64) {
    let old = keys[row]
    guard old != key else { return }
    keys[row] = key
    news.rows[row] = (old: news.rows[row].map(\.old) ?? old, new: key)
    if let old { count(old, -1) }
    if let key { count(key, 1) }
  }

  private mutating func count(_ key: ContentKey, _ change: Int) {
    let former = counts[key] ?? 0
    if news.formerCounts[key] == nil { news.formerCounts[key] = former }
    counts[key] = former + change > 0 ? former + change : nil
  }
}

/// What the lists of one source changed of contents.
struct ContentNews {
  typealias Said = (copy: ContentMarks.Copy, key: ContentKey, overlay: Overlay)

  /// What counts for contents from now on, beside what counted before.
  private(set) var said: [Said] = []
  /// The copies whose marks count for another content too.
  private(set) var renamed: [(copy: ContentMarks.Copy, old: ContentKey, new: ContentKey)] = []
  /// The contents of which the source lists no copy any more.
  private(set) var gone: [ContentKey] = []
  /// The contents of which the source lists a copy since now.
  private(set) var appeared: [ContentKey] = []
  /// The contents of which the source lists several copies since now.
  private(set) var duplicated: [CommitReport.Duplicated] = []
  /// What is wrong with keys.
  private(set) var faults: [EngagementError] = []

  init(
    _ news: SourceKeys.News, of source: ItemSourceKey, row: Int64, _ overlays: SourceOverlays,
    count: (ContentKey) -> Int
  ) {
    func copy(_ name: ItemKey) -> ContentMarks.Copy {
      ContentMarks.Copy(source: row, surface: source.surface, name: name)
    }
    said = news.said.map { (copy($0.name), $0.key, $0.overlay) }
    for (item, name, key) in news.added {
      if !overlays.isEmpty, let own = overlays.own(of: name) {
        said.append((copy(name), key, own))
      }
      if let old = news.rows[item]?.old { renamed.append((copy(name), old, key)) }
    }
    for (key, former) in news.formerCounts {
      let count = count(key)
      if count == 0 { gone.append(key) }
      if former == 0, count > 0 { appeared.append(key) }
      guard former <= 1, count > 1 else { continue }
      duplicated.append(.init(key, of: source.provider, on: source.surface, count: count))
    }
    duplicated.sort { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }
    faults = news.faults.sorted { $0.key.rawValue < $1.key.rawValue }.map { absence, count in
      EngagementError(
        .malformedResponse,
        "The content key of \(count) of the \(source.surface) \(absence.fault); "
          + "each is shown without one.", provider: source.provider)
    }
  }
}

extension ContentKey.Absence {
  fileprivate var fault: String {
    switch self {
    case .missing: "is missing"
    case .noText: "is not a text"
    case .empty: "is empty"
    case .tooLong: "is longer than \(ContentKey.maximumLength) bytes"
    }
  }
}
