import EngagementJSON
import EngagementModel
import EngagementPlatform

/// The file beside a cache in which readers keep their rollup. It has numbers of people and no names.
///
/// It can be removed at any time. A file that is damaged, or that another release wrote, is made again.
/// It is replaced as a whole, so that of several readers each finds a whole one.
struct RollupFile: Sendable {
  private let path: String

  init(besideCacheAt path: String) { self.path = "\(path)-rollup" }

  /// The totals alone, which are at the beginning.
  func totals() -> (state: LedgerState, totals: [EventTotal])? {
    guard let file = open(), let beginning = beginning(of: file) else { return nil }
    return Self.totals(beginning.head)
  }

  func rollup() -> EventRollup? {
    guard let file = open(), let beginning = beginning(of: file),
      let body = try? file.read(atMost: beginning.rest),
      ContentHash.of(body[...]) == beginning.hash,
      let (state, _) = Self.totals(beginning.head)
    else { return nil }
    return Self.rollup(body, state)
  }

  /// Replaces the file. Nothing depends on it, so that it need not be durable, and a failure, such as
  /// of a folder that cannot be written, only costs the next reader time.
  func replace(_ rollup: EventRollup, _ totals: [EventTotal], random: UInt64) {
    let draft = "\(path)-\(String(random, radix: 16))"
    defer { StoreFile.remove(draft) }
    guard
      let file = try? OpenFile(
        draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, called: "rollup")
    else { return }
    do throws(EngagementError) {
      try file.protect()
      try file.write(Self.bytes(of: rollup, totals))
      unsafe rename(draft, path)
    } catch {
      // The old file, if there is one, is as good as it was.
    }
  }
}

extension RollupFile {
  private static let mark = Array("engage rollup 1\n".utf8)
  /// Where the head begins: behind the mark, the head's count and hash, and the body's hash.
  private static let headStart = 40
  private static let longestFile: Int64 = 1 << 30
  private static let longestSegment: Int64 = 1 << 40

  private struct Beginning {
    let head: [UInt8]
    /// How many bytes come behind the head, and their hash.
    let rest: Int
    let hash: UInt64
  }

  private func open() -> OpenFile? {
    try? OpenFile(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, called: "rollup")
  }

  private func beginning(of file: borrowing OpenFile) -> Beginning? {
    guard let status = try? file.status(), status.st_mode & S_IFMT == S_IFREG,
      status.st_uid == geteuid(), status.st_size <= Self.longestFile,
      let start = try? file.read(atMost: Self.headStart), start.starts(with: Self.mark)
    else { return nil }
    var fields = BinaryReader(Array(start.dropFirst(Self.mark.count)))
    let (count, headHash, hash) = (fields.integer(), fields.unsigned(), fields.unsigned())
    guard fields.isSound, count >= 0, count <= Int64(status.st_size),
      let head = try? file.read(atMost: Int(count)), ContentHash.of(head[...]) == headHash
    else { return nil }
    return Beginning(
      head: head, rest: Int(status.st_size) - Self.headStart - head.count, hash: hash)
  }

  private static func bytes(of rollup: EventRollup, _ totals: [EventTotal]) -> [UInt8] {
    var head = BinaryWriter()
    head.append(rollup.state)
    head.append(totals.count)
    for total in totals { head.append(total) }
    var body = BinaryWriter()
    body.append(rollup)
    var file = BinaryWriter()
    file.append(head.bytes.count)
    file.append(ContentHash.of(head.bytes[...]))
    file.append(ContentHash.of(body.bytes[...]))
    return mark + file.bytes + head.bytes + body.bytes
  }

  private static func totals(
    _ head: [UInt8]
  ) -> (state: LedgerState, totals: [EventTotal])? {
    var fields = BinaryReader(head)
    let state = fields.state()
    let totals = (0..<fields.count(ofAtLeast: 48)).map { _ in fields.total() }
    return fields.isSound && fields.isAtEnd ? (state, totals) : nil
  }

  private static func rollup(_ body: [UInt8], _ state: LedgerState) -> EventRollup? {
    var fields = BinaryReader(body)
    let segmentSize = fields.integer()
    let series = (0..<fields.count(ofAtLeast: 24)).map { _ in fields.series() }
    let segments = (0..<fields.count(ofAtLeast: 16)).map { _ in fields.segment() }
    guard fields.isSound, fields.isAtEnd, (1...Self.longestSegment).contains(segmentSize),
      segments.allSatisfy({ $0.canBe(of: state, amongSeries: series.count) })
    else { return nil }
    return EventRollup(state, series, segments, segmentSize: segmentSize)
  }
}

extension EventRollup.Segment {
  /// Whether no number in it is beyond the ledger.
  fileprivate func canBe(of state: LedgerState, amongSeries most: Int) -> Bool {
    let range = 0...max(state.last, 0)
    return range.contains(start) && counts.count <= most
      && counts.allSatisfy { range.contains($0.events) }
  }
}

// MARK: Fields

extension BinaryWriter {
  fileprivate mutating func append(_ state: LedgerState) {
    append(state.first)
    append(state.last)
    append(state.lastID)
    append(Array(state.rewriting.utf8))
  }

  fileprivate mutating func append(_ total: EventTotal) {
    append(total.environment)
    append(total.provider)
    for count in [total.delivered, total.seen, total.clicked] { append(count) }
    append(total.kinds.count)
    for kind in total.kinds {
      append(kind.name)
      append(kind.events)
      append(kind.people)
    }
  }

  fileprivate mutating func append(_ rollup: EventRollup) {
    append(rollup.segmentSize)
    append(rollup.series.all.count)
    for series in rollup.series.all {
      for name in [series.environment, series.provider, series.kind] { append(name) }
    }
    append(rollup.segments.count)
    for segment in rollup.segments {
      append(segment.start)
      append(segment.counts.count)
      for count in segment.counts {
        append(count.events)
        append(count.people.numbers.count)
        for number in count.people.numbers { append(number) }
        for word in count.people.words { append(word) }
      }
    }
  }
}

extension BinaryReader {
  fileprivate mutating func state() -> LedgerState {
    LedgerState(
      first: integer(), last: integer(), lastID: text(),
      rewriting: String(decoding: text(), as: UTF8.self))
  }

  fileprivate mutating func total() -> EventTotal {
    var total = EventTotal(environment: text(), provider: text())
    (total.delivered, total.seen, total.clicked) = (Int(integer()), Int(integer()), Int(integer()))
    total.kinds = (0..<count(ofAtLeast: 24)).map { _ in
      EventTotal.Kind(name: text(), events: Int(integer()), people: Int(integer()))
    }
    return total
  }

  fileprivate mutating func series() -> EventSeries {
    EventSeries(environment: text(), provider: text(), kind: text())
  }

  fileprivate mutating func segment() -> EventRollup.Segment {
    EventRollup.Segment(
      start: integer(), counts: (0..<count(ofAtLeast: 16)).map { _ in countOfSeries() })
  }

  private mutating func countOfSeries() -> EventRollup.Count {
    let events = integer()
    let chunks = count(ofAtLeast: 8 * (1 + IDSet.wordsPerChunk))
    let numbers = (0..<chunks).map { _ in integer() }
    let words = (0..<chunks * IDSet.wordsPerChunk).map { _ in unsigned() }
    guard let people = IDSet(numbers: numbers, words: words) else {
      refuse()
      return EventRollup.Count()
    }
    return EventRollup.Count(events: events, people: people)
  }
}
