import EngagementModel

/// Turns the rows of one person after the other into counts. Its arrays are used again for each.
struct PersonTally {
  private let design: ComparisonDesign
  private let kinds: ComparedKinds
  private let strata: [[StratumValue]]
  private let measures: [IndexedMeasure]
  private let lookBack: Int64
  private let (delivered, impression, click): (Int, Int, Int)
  private var past: KindCounts
  private var sinceAssignment: KindCounts
  private var sinceExposure: KindCounts

  init(_ design: ComparisonDesign, _ kinds: ComparedKinds, _ strata: [[StratumValue]]) {
    self.design = design
    self.kinds = kinds
    self.strata = strata
    measures = design.metrics.map { IndexedMeasure($0, kinds) }
    lookBack = Int64(design.lookBackDays) * Self.millisecondsPerDay
    delivered = kinds.index(of: .delivered)
    impression = kinds.index(of: .impression)
    click = kinds.index(of: .click)
    past = KindCounts(kinds.kinds.count)
    sinceAssignment = past
    sinceExposure = past
  }

  /// Adds the person whose rows these are, by time.
  mutating func add(_ rows: ArraySlice<ComparisonRow>, to counts: inout ComparisonCounts) {
    if design.isExperiment {
      addAssigned(rows, to: &counts)
    } else {
      addReceiver(rows, to: &counts)
    }
  }

  private mutating func addAssigned(
    _ rows: ArraySlice<ComparisonRow>, to counts: inout ComparisonCounts
  ) {
    if rows.contains(where: { $0.action == .otherVersion }) { counts.peopleInOtherVersions += 1 }
    let assignments = rows.filter(\.isMembership)
    guard let first = assignments.first else { return }
    guard !assignments.contains(where: { $0.arm == ComparisonRow.noArm }) else {
      counts.peopleInUnknownArms += 1
      return
    }
    guard assignments.allSatisfy({ $0.arm == first.arm }) else {
      counts.peopleInSeveralArms += 1
      return
    }
    let exposure = assignments.first { $0.action == .exposed }?.time
    let arm = Int(first.arm)
    tally(rows, from: first.time, exposure, to: &counts.arms[arm])
    addValues(from: first.time, isExposed: exposure != nil, to: &counts.arms[arm])
    // Several assignments of one moment may differ in their strata: the least one counts.
    let values = assignments.filter { $0.time == first.time }.map { strata[Int($0.value)] }
      .min { $0.lexicographicallyPrecedes($1) }
    addStrata(values ?? [], to: &counts.arms[arm])
    addEventDays(rows, from: first.time, to: &counts.arms[arm])
  }

  private mutating func addReceiver(
    _ rows: ArraySlice<ComparisonRow>, to counts: inout ComparisonCounts
  ) {
    var received: Set<UInt16> = []
    for row in rows {
      guard row.arm < ComparisonRow.allArms else { continue }
      switch row.action {
      case .did: received.insert(row.arm)
      case .request, .failure: Self.add(row, to: &counts.arms[Int(row.arm)].requests)
      case .rejected: counts.arms[Int(row.arm)].rejected += Int(row.value)
      case .assigned, .exposed, .otherVersion, .written, .lost: break
      }
    }
    if received.count > 1 { counts.peopleInSeveralArms += 1 }
    for arm in received {
      let start = rows.first { $0.arm == arm && $0.isDeed }?.time ?? 0
      let own = rows.filter { row in
        switch row.action {
        case .did: row.arm == arm || row.arm == ComparisonRow.allArms && row.time >= start
        case .written, .lost: true
        case .assigned, .exposed, .otherVersion, .request, .failure, .rejected: false
        }
      }
      tally(own[...], from: start, nil, to: &counts.arms[Int(arm)])
      guard received.count == 1 else { continue }
      addValues(from: start, isExposed: false, to: &counts.arms[Int(arm)])
      addEventDays(own[...], from: start, to: &counts.arms[Int(arm)])
    }
  }

  /// Adds people who did the same.
  mutating func add(_ group: PeopleGroup, to counts: inout ComparisonCounts) {
    past.set(group.past, group.firstDays.map { _ in 0 })
    sinceAssignment.set(group.sinceStart, group.firstDays.map { $0 * Self.millisecondsPerDay })
    sinceExposure.set(group.sinceExposure, group.firstDays.map { _ in 0 })
    addFunnel(to: &counts.arms[group.arm], people: group.people)
    if group.isExposed { counts.arms[group.arm].exposed += group.people }
    counts.arms[group.arm].log.add(0, of: 0, people: group.people)
    guard !group.isInSeveralArms else { return }
    addValues(
      from: group.startDay * Self.millisecondsPerDay, isExposed: group.isExposed,
      to: &counts.arms[group.arm], people: group.people)
    // Several assignments of one moment may differ in their strata: the least one counts.
    let values = group.strata.min { $0.lexicographicallyPrecedes($1) }
    addStrata(values ?? [], to: &counts.arms[group.arm], people: group.people)
  }

  /// Adds the days on which events of a kind happened.
  func add(_ events: Int, of kind: Int, on day: Int64, to arm: inout ArmCounts) {
    let empty = ArmCounts.Day(metrics: measures.count)
    for (index, measure) in measures.enumerated() where measure.countsEvents {
      if kind == measure.kind {
        arm.days[Int(day), default: empty].numerators[index] += events
      } else if kind == measure.base {
        arm.days[Int(day), default: empty].denominators[index] += events
      }
    }
  }

  /// Counts what the person did, and adds what needs no values of metrics.
  private mutating func tally(
    _ rows: ArraySlice<ComparisonRow>, from start: Int64, _ exposure: Int64?,
    to arm: inout ArmCounts
  ) {
    past.reset()
    sinceAssignment.reset()
    sinceExposure.reset()
    var (written, lost) = (0, 0)
    for row in rows {
      switch row.action {
      case .did(let kind):
        if row.time >= start {
          sinceAssignment.note(Int(kind), at: row.time)
        } else if row.time >= start - lookBack {
          past.note(Int(kind), at: row.time)
        }
        if let exposure, row.time >= exposure { sinceExposure.note(Int(kind), at: row.time) }
      case .request, .failure: if row.time >= start { Self.add(row, to: &arm.requests) }
      case .rejected: if row.time >= start { arm.rejected += Int(row.value) }
      case .written: written += Int(row.value)
      case .lost: lost += Int(row.value)
      case .assigned, .exposed, .otherVersion: break
      }
    }
    addFunnel(to: &arm)
    if exposure != nil { arm.exposed += 1 }
    arm.log.add(Self.within(lost), of: Self.within(written))
  }

  private func addFunnel(to arm: inout ArmCounts, people: Int = 1) {
    let counts = sinceAssignment.counts
    arm.assigned += people
    for (kind, count) in zip(kinds.kinds, counts) where count > 0 {
      arm.events[kind, default: 0] += count * people
    }
    if counts[delivered] > 0 { arm.delivered += people }
    if counts[impression] > 0 { arm.seen += people }
    if counts[click] > 0 { arm.clicked += people }
  }

  private func addValues(
    from start: Int64, isExposed: Bool, to arm: inout ArmCounts, people: Int = 1
  ) {
    let empty = ArmCounts.Day(metrics: measures.count)
    arm.days[Self.day(start), default: empty].people += people
    for (index, measure) in measures.enumerated() {
      let (x, y) = measure.values(of: sinceAssignment)
      let p = measure.values(of: past).x
      arm.metrics[index].add(x, of: y, past: p, people: people)
      if isExposed {
        let (x, y) = measure.values(of: sinceExposure)
        arm.exposedMetrics[index].add(x, of: y, past: p, people: people)
      }
      if measure.base == nil {
        arm.days[Self.day(start), default: empty].denominators[index] += people
      }
      guard !measure.countsEvents, y > 0 else { continue }
      let based = measure.base.map { sinceAssignment.firsts[$0] } ?? start
      if measure.base != nil {
        arm.days[Self.day(based), default: empty].denominators[index] += people
      }
      guard x > 0 else { continue }
      let first = max(based, sinceAssignment.firsts[measure.kind])
      arm.days[Self.day(first), default: empty].numerators[index] += people
    }
  }

  private func addStrata(_ values: [StratumValue], to arm: inout ArmCounts, people: Int = 1) {
    for (name, value) in zip(design.strata, values) {
      let stratum = ArmCounts.Stratum(name, value.rawValue)
      let empty = Array(repeating: MetricSums(), count: measures.count)
      for (index, measure) in measures.enumerated() {
        let (x, y) = measure.values(of: sinceAssignment)
        arm.strata[stratum, default: empty][index].add(
          x, of: y, past: measure.values(of: past).x, people: people)
      }
    }
  }

  /// Adds the days on which the events of a metric happened.
  private func addEventDays(
    _ rows: ArraySlice<ComparisonRow>, from start: Int64, to arm: inout ArmCounts
  ) {
    let empty = ArmCounts.Day(metrics: measures.count)
    for (index, measure) in measures.enumerated() where measure.countsEvents {
      for row in rows where row.time >= start {
        guard case .did(let kind) = row.action else { continue }
        if Int(kind) == measure.kind {
          arm.days[Self.day(row.time), default: empty].numerators[index] += 1
        } else if Int(kind) == measure.base {
          arm.days[Self.day(row.time), default: empty].denominators[index] += 1
        }
      }
    }
  }

  private static func add(_ row: ComparisonRow, to requests: inout RequestCounts) {
    requests.requests += 1
    if row.action == .failure { requests.failures += 1 }
    if row.value != ComparisonRow.noDuration { requests.add(milliseconds: Int(row.value)) }
  }

  private static let millisecondsPerDay: Int64 = 86_400_000

  private static func day(_ time: Int64) -> Int {
    let (day, rest) = time.quotientAndRemainder(dividingBy: millisecondsPerDay)
    return Int(rest < 0 ? day - 1 : day)
  }

  fileprivate static func within(_ count: Int) -> Int { min(count, ComparisonMetric.largestCount) }
}

/// How often a person did each kind of thing in a period, and when first.
private struct KindCounts {
  private(set) var counts: [Int]
  private(set) var firsts: [Int64]

  init(_ kinds: Int) {
    counts = Array(repeating: 0, count: kinds)
    firsts = Array(repeating: 0, count: kinds)
  }

  mutating func reset() {
    for index in counts.indices { counts[index] = 0 }
  }

  mutating func set(_ counts: [Int], _ firsts: [Int64]) {
    (self.counts, self.firsts) = (counts, firsts)
  }

  /// Times never decrease.
  mutating func note(_ kind: Int, at time: Int64) {
    if counts[kind] == 0 { firsts[kind] = time }
    counts[kind] += 1
  }
}

/// A measure by the indices of its kinds.
private struct IndexedMeasure {
  let countsEvents: Bool
  let kind: Int
  let base: Int?

  init(_ metric: ComparisonMetric, _ kinds: ComparedKinds) {
    countsEvents = !metric.isShare
    kind = kinds.index(of: metric.kind)
    base = metric.base.map { kinds.index(of: $0) }
  }

  /// The person's two numbers.
  func values(of period: KindCounts) -> (x: Int, y: Int) {
    let count = period.counts[kind]
    let others = base.map { period.counts[$0] } ?? 1
    guard !countsEvents else { return (PersonTally.within(count), PersonTally.within(others)) }
    return (count > 0 && others > 0 ? 1 : 0, others > 0 ? 1 : 0)
  }
}
