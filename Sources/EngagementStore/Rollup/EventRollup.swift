/// How many events of each series a ledger has, and of how many people, so that only new events have to be
/// read.
///
/// The events are counted in segments by their sequence. Events that the ledger has evicted go with
/// their segments, and only the segment that lost some of its events is counted again.
struct EventRollup: Sendable {
  /// The ledger that was counted, and up to where.
  var state = LedgerState()
  private(set) var series = EventSeriesIndex()
  private(set) var segments: [Segment] = []
  /// How many sequences a segment has.
  let segmentSize: Int64

  /// A range of sequences.
  struct Segment: Sendable, Equatable {
    /// The first sequence that belongs to it, whether or not an event has it.
    let start: Int64
    /// By the numbers of the series.
    var counts: [Count] = []
  }

  struct Count: Sendable, Equatable {
    var events: Int64 = 0
    var people = IDSet()
  }

  init(segmentSize: Int64) { self.segmentSize = segmentSize }

  init(
    _ state: LedgerState, _ series: [EventSeries], _ segments: [Segment], segmentSize: Int64
  ) {
    self.state = state
    self.series = EventSeriesIndex(series)
    self.segments = segments
    self.segmentSize = segmentSize
  }

  /// Counts an event that comes after those that are counted.
  mutating func count(
    sequence: Int64, person: Partition.ID, environment: [UInt8], provider: RawSpan, kind: RawSpan
  ) {
    let number = series.number(environment: environment, provider: provider, kind: kind)
    if segments.last.map({ sequence - $0.start >= segmentSize }) ?? true {
      segments.append(Segment(start: sequence - sequence % segmentSize))
    }
    segments[segments.count - 1].count(person, of: number)
  }

  /// Removes the segments of which events may be missing before the sequence, and returns the sequences
  /// of the last of them, which are to be counted again.
  mutating func removeSegments(before first: Int64) -> Range<Int64>? {
    let cut = segments.prefix { $0.start < first }
    segments.removeFirst(cut.count)
    guard let last = cut.last, last.start + segmentSize > first else { return nil }
    return first..<last.start + segmentSize
  }

  /// Puts the segments of another rollup, whose events come first, before its own.
  mutating func prepend(_ other: Self) {
    let numbers = other.series.all.map { series.number(of: $0) }
    segments.insert(
      contentsOf: other.segments.map { segment in
        var renumbered = Segment(start: segment.start)
        for (number, count) in segment.counts.enumerated() {
          renumbered.set(count, of: numbers[number])
        }
        return renumbered
      }, at: 0)
  }

  /// What all segments give together.
  func totals() -> [EventTotal] {
    let counts = series.all.indices.map { number in
      var total = Count()
      for segment in segments where number < segment.counts.count {
        total.events += segment.counts[number].events
        total.people.formUnion(segment.counts[number].people)
      }
      return total
    }
    return EventTotal.all(of: series.all, counts)
  }
}

extension EventRollup.Segment {
  fileprivate mutating func count(_ person: Partition.ID, of number: Int) {
    makeRoom(for: number)
    counts[number].events += 1
    counts[number].people.insert(person)
  }

  fileprivate mutating func set(_ count: EventRollup.Count, of number: Int) {
    makeRoom(for: number)
    counts[number] = count
  }

  private mutating func makeRoom(for number: Int) {
    while counts.count <= number { counts.append(EventRollup.Count()) }
  }
}
