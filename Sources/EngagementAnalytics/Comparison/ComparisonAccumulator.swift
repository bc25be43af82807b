import EngagementJSON
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
  private let arms: [ArmName: UInt16]
  private var rows: [ComparisonRow] = []
  /// The values of strata that people have, which rows name by index.
  private var strata: [[StratumValue]] = []
  private var strataIndices: [[StratumValue]: UInt32] = [:]
  /// Whether somebody was assigned after the end.
  private var hasLater = false
  /// The names of arms that the design has not.
  private var unknownArms: Set<String> = []
  /// The versions that the design is not of.
  private var otherVersions: Set<String> = []

  public init(_ design: ComparisonDesign) {
    self.design = design
    end = design.endMilliseconds ?? Int64.max
    kinds = ComparedKinds(design)
    arms = Dictionary(
      uniqueKeysWithValues: design.arms.enumerated().map {
        (ArmName(rawValue: $1.name), UInt16($0))
      })
  }

  /// Adds an event. One that no figure needs is ignored.
  public mutating func add(_ event: ObservedEvent) {
    guard event.time < end else {
      hasLater = hasLater || isOfExperiment(event)
      return
    }
    let arm = event.provider.flatMap { arms[ArmName(rawValue: $0.rawValue)] } ?? ComparisonRow.noArm
    switch event.kind {
    case .experimentExposed: addArm(of: event, .exposed)
    case .experimentAssigned: addArm(of: event, .assigned)
    case _:
      if let row = ComparisonRow(event, kinds, arm: arm) { rows.append(row) }
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
    hasLater = hasLater || other.hasLater
    unknownArms.formUnion(other.unknownArms)
    otherVersions.formUnion(other.otherVersions)
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
    var counts = ComparisonCounts(of: rows, design, kinds, strata)
    counts.unknownArms = unknownArms
    counts.otherVersions = otherVersions
    counts.areAllLater =
      hasLater && !rows.contains { $0.isMembership || $0.action == .otherVersion }
    return counts
  }

  /// Whether it is an assignment or an exposure of the experiment, in any version.
  private func isOfExperiment(_ event: ObservedEvent) -> Bool {
    guard case .experiment(let name, _) = design.split else { return false }
    return [.experimentAssigned, .experimentExposed].contains(event.kind)
      && event.name?.hasSameBytes(as: name) == true
  }

  private mutating func append(
    _ event: ObservedEvent, _ action: ComparisonRow.Action, arm: UInt16, _ value: UInt32 = 0
  ) {
    rows.append(
      ComparisonRow(
        person: event.person, time: ComparisonRow.time(of: event), value: value, action: action,
        arm: arm))
  }

  private mutating func addArm(of event: ObservedEvent, _ action: ComparisonRow.Action) {
    guard case .experiment(_, let version) = design.split, isOfExperiment(event) else { return }
    let properties = event.properties
    guard Self.version(in: properties) == Int64(version) else {
      otherVersions.insert(Self.versionText(in: properties))
      return append(event, .otherVersion, arm: ComparisonRow.noArm)
    }
    let name = properties["arm"]?.string
    let arm = name.flatMap { arms[ArmName(rawValue: $0)] }
    if arm == nil, let name { unknownArms.insert(name) }
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
      ?? unknown
  }

  static let unknown = "unknown"

  /// The first version where none is told; nil for what is no whole number, and so no version of a plan.
  static func version(in properties: JSONObject) -> Int64? {
    guard let version = properties["version"] else { return 1 }
    return version.integer
  }

  /// The version as JSON, which tells a text from a number.
  static func versionText(in properties: JSONObject) -> String {
    String(decoding: (properties["version"] ?? 1).encoded(), as: UTF8.self)
  }

  /// How many actions the event of the outbox says were rejected; 0 for those that ended otherwise.
  static func rejected(in properties: JSONObject) -> UInt32 {
    guard properties["reason"]?.string == "rejected" else { return 0 }
    guard let count = properties["count"]?.integer, 0..<1_000_000 ~= count else { return 1 }
    return UInt32(count)
  }

  static func duration(in properties: JSONObject) -> UInt32 {
    guard let duration = properties["milliseconds"]?.number, duration >= 0, duration < 1e9
    else { return ComparisonRow.noDuration }
    return UInt32(duration)
  }
}

/// The name of an arm, compared by its bytes.
struct ArmName: ByteComparable {
  let rawValue: String
}

/// A value of a stratum, compared by its bytes.
struct StratumValue: ByteComparable {
  let rawValue: String
}

/// The kinds of events that a comparison counts.
struct ComparedKinds: Sendable {
  let kinds: [EngagementEvent.Kind]
  let indices: [EngagementEvent.Kind: UInt8]

  /// What only people do who were sent something.
  static let ofReceivers: [EngagementEvent.Kind] = [
    .delivered, .impression, .click, "send", .open, .read, .submit, .dismiss, .snooze, .vote,
    .optOut,
  ]

  /// What puts an item before a person.
  static let receipts: Set<EngagementEvent.Kind> = [.delivered, "send"]

  init(_ design: ComparisonDesign) { self.init(design.metrics) }

  init(_ metrics: [ComparisonMetric]) {
    var kinds = Self.ofReceivers
    for kind in metrics.flatMap({ [$0.kind, $0.base].compactMap(\.self) })
    where !kinds.contains(kind) { kinds.append(kind) }
    self.kinds = kinds
    indices = Dictionary(uniqueKeysWithValues: kinds.enumerated().map { ($1, UInt8($0)) })
  }

  /// Whether what the outbox dropped is no metric of its own.
  var tellRejections: Bool { indices[.outboxDropped] == nil }

  func index(of kind: EngagementEvent.Kind) -> Int { Int(indices[kind] ?? UInt8.max) }
}
