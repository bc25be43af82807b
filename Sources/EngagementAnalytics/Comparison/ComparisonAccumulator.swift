import EngagementModel

/// Takes events, in any order, and counts what the people of each arm did.
///
/// An event that counts takes 24 bytes until the counts are asked for. A caller that has all events of
/// a person together can count some people at a time, and add the counts.
///
/// ```swift
/// var accumulator = ComparisonAccumulator(design)
/// for event in events { accumulator.add(event) }
/// let report = ComparisonReport(accumulator.counts(), at: .now)
/// ```
public struct ComparisonAccumulator: Sendable {
  public let design: ComparisonDesign
  private let end: Int64
  private let kinds: ComparedKinds
  private let arms: [ArmName: UInt8]
  private var rows: [ComparisonRow] = []
  /// The values of strata that people have, which rows name by index.
  private var strata: [[StratumValue]] = []
  private var strataIndices: [[StratumValue]: UInt32] = [:]

  public init(_ design: ComparisonDesign) {
    self.design = design
    end = design.endMilliseconds ?? Int64.max
    kinds = ComparedKinds(design)
    arms = Dictionary(
      uniqueKeysWithValues: design.arms.enumerated().map {
        (ArmName(rawValue: $1.name), UInt8($0))
      })
  }

  /// Adds an event. One that no figure needs is ignored.
  public mutating func add(_ event: ObservedEvent) {
    guard event.time < end else { return }
    let arm = event.provider.flatMap { arms[ArmName(rawValue: $0.rawValue)] } ?? ComparisonRow.noArm
    switch event.kind {
    case .experimentExposed: addArm(of: event, .exposed)
    case .experimentAssigned: addArm(of: event, .assigned)
    case .providerRequest: append(event, .request, arm: arm, Self.duration(of: event))
    case .providerFailed: append(event, .failure, arm: arm, Self.duration(of: event))
    case .optOut where event.provider == nil:
      // It ends what all providers send, and says of none of them.
      append(event, .did(UInt8(kinds.index(of: .optOut))), arm: ComparisonRow.allArms)
    case let kind:
      if let index = kinds.indices[kind] { append(event, .did(index), arm: arm) }
    }
  }

  /// Says how many events of a person were written to the log of a device and how many of them were
  /// lost: dropped, or missing in its sequence. Several calls add up.
  public mutating func addLog(of person: UInt64, written: Int, lost: Int) {
    for (action, count) in [(ComparisonRow.Action.written, written), (.lost, lost)] {
      rows.append(
        ComparisonRow(
          person: person, time: 0, value: UInt32(clamping: count), action: action,
          arm: ComparisonRow.noArm))
    }
  }

  /// Adds what another accumulator of the same design was given.
  public mutating func merge(_ other: ComparisonAccumulator) {
    let indices = other.strata.map { index(ofStrata: $0) }
    rows.reserveCapacity(rows.count + other.rows.count)
    for var row in other.rows {
      if row.isMembership { row.value = indices[Int(row.value)] }
      rows.append(row)
    }
  }

  /// The counts of all people so far. Sorts the events, so it is `mutating`; more can be added then.
  public mutating func counts() -> ComparisonCounts {
    rows.sort()
    var counts = ComparisonCounts(design)
    var tally = PersonTally(design, kinds, strata)
    var start = 0
    while start < rows.count {
      var end = start + 1
      while end < rows.count, rows[end].person == rows[start].person { end += 1 }
      tally.add(rows[start..<end], to: &counts)
      start = end
    }
    return counts
  }

  private mutating func append(
    _ event: ObservedEvent, _ action: ComparisonRow.Action, arm: UInt8, _ value: UInt32 = 0
  ) {
    let time = min(max(event.time, -ComparisonRow.latestTime), ComparisonRow.latestTime)
    rows.append(
      ComparisonRow(person: event.person, time: time, value: value, action: action, arm: arm))
  }

  private mutating func addArm(of event: ObservedEvent, _ action: ComparisonRow.Action) {
    guard case .experiment(let name, let version) = design.split,
      event.name?.hasSameBytes(as: name) == true
    else { return }
    let properties = event.properties
    guard properties["version"]?.integer ?? 1 == Int64(version) else {
      return append(event, .otherVersion, arm: ComparisonRow.noArm)
    }
    let arm = properties["arm"]?.string.flatMap { arms[ArmName(rawValue: $0)] }
    let values = design.strata.map { StratumValue(Self.text(of: properties[$0])) }
    append(event, action, arm: arm ?? ComparisonRow.noArm, index(ofStrata: values))
  }

  private mutating func index(ofStrata values: [StratumValue]) -> UInt32 {
    if let index = strataIndices[values] { return index }
    let index = UInt32(truncatingIfNeeded: strata.count)
    strata.append(values)
    strataIndices[values] = index
    return index
  }

  static func text(of value: JSON?) -> String {
    value?.string ?? value?.integer.map { String($0) } ?? value?.bool.map { String($0) }
      ?? "unknown"
  }

  private static func duration(of event: ObservedEvent) -> UInt32 {
    duration(in: event.properties)
  }

  static func duration(in properties: JSONObject) -> UInt32 {
    guard let duration = properties["milliseconds"]?.number, duration >= 0, duration < 1e9
    else { return ComparisonRow.noDuration }
    return UInt32(duration)
  }
}

/// The name of an arm, compared by its bytes.
private struct ArmName: ByteComparable {
  let rawValue: String
}

/// A value of a stratum, compared by its bytes.
struct StratumValue: ByteComparable {
  let rawValue: String
}

/// What is kept of an event.
struct ComparisonRow: Comparable, Sendable {
  enum Action: Hashable, Sendable {
    /// An event of the kind with this index.
    case did(UInt8)
    case assigned, exposed, otherVersion
    case request, failure
    /// Numbers of events in a log.
    case written, lost
  }

  let person: UInt64
  let time: Int64
  /// An index of strata, a duration or a number of events.
  var value: UInt32
  let action: Action
  /// Where the person was assigned to, or the provider.
  let arm: UInt8

  static let noArm = UInt8.max
  /// Of all arms that the person was in before.
  static let allArms = UInt8.max - 1
  static let noDuration = UInt32.max
  /// Times are kept within it, so that a difference of two does not overflow.
  static let latestTime = Int64(1) << 60

  /// Whether it puts the person into an arm of an experiment.
  var isMembership: Bool { action == .assigned || action == .exposed }

  /// Whether it is something that the person did or was sent.
  var isDeed: Bool {
    switch action {
    case .did: true
    case .assigned, .exposed, .otherVersion, .request, .failure, .written, .lost: false
    }
  }

  static func < (left: Self, right: Self) -> Bool {
    (left.person, left.time) < (right.person, right.time)
  }
}

/// The kinds of events that a comparison counts.
struct ComparedKinds: Sendable {
  let kinds: [EngagementEvent.Kind]
  let indices: [EngagementEvent.Kind: UInt8]

  /// What only people do who were sent something.
  static let ofReceivers: [EngagementEvent.Kind] = [
    .delivered, .impression, .click, .open, .read, .submit, .dismiss, .snooze, .vote, .optOut,
  ]

  init(_ design: ComparisonDesign) {
    var kinds = Self.ofReceivers
    for kind in design.metrics.flatMap({ [$0.kind, $0.base].compactMap(\.self) })
    where !kinds.contains(kind) { kinds.append(kind) }
    self.kinds = kinds
    indices = Dictionary(uniqueKeysWithValues: kinds.enumerated().map { ($1, UInt8($0)) })
  }

  func index(of kind: EngagementEvent.Kind) -> Int { Int(indices[kind] ?? UInt8.max) }
}
