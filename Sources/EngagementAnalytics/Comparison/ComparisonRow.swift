import EngagementModel

/// What is kept of an event.
struct ComparisonRow: Comparable, Sendable {
  enum Action: Hashable, Sendable {
    /// An event of the kind with this index.
    case did(UInt8)
    case assigned, exposed, otherVersion
    case request, failure
    /// A vendor took none of so many actions, which the person did nevertheless.
    case rejected
    /// Numbers of events in a log.
    case written, lost
  }

  let person: UInt64
  let time: Int64
  /// An index of strata, a duration or a number of events.
  var value: UInt32
  let action: Action
  /// Where the person was assigned to, or the provider.
  var arm: UInt16

  static let noArm = UInt16.max
  /// Of all arms that the person was in before.
  static let allArms = UInt16.max - 1
  static let noDuration = UInt32.max
  /// Times are kept within it, so that a difference of two does not overflow.
  static let latestTime = Int64(1) << 60

  /// Whether it puts the person into an arm of an experiment.
  var isMembership: Bool { action == .assigned || action == .exposed }

  /// Whether it is something that the person did or was sent.
  var isDeed: Bool {
    switch action {
    case .did: true
    case .assigned, .exposed, .otherVersion, .request, .failure, .rejected, .written, .lost: false
    }
  }

  static func < (left: Self, right: Self) -> Bool {
    (left.person, left.time) < (right.person, right.time)
  }
}

extension ComparisonRow {
  /// What is kept of an event that is no assignment and no exposure; nil if no figure needs it.
  init?(_ event: ObservedEvent, _ kinds: ComparedKinds, arm: UInt16) {
    var (action, value, arm) = (Action.request, 0 as UInt32, arm)
    switch event.kind {
    case .providerRequest: value = ComparisonAccumulator.duration(in: event.properties)
    case .providerFailed:
      (action, value) = (.failure, ComparisonAccumulator.duration(in: event.properties))
    case .outboxDropped where kinds.tellRejections:
      let count = ComparisonAccumulator.rejected(in: event.properties)
      guard count > 0 else { return nil }
      (action, value) = (.rejected, count)
    case let kind:
      guard let index = kinds.indices[kind] else { return nil }
      action = .did(index)
      // An opt-out ends what all providers send, and says of none of them.
      if kind == .optOut, event.provider == nil { arm = Self.allArms }
    }
    self.init(
      person: event.person, time: Self.time(of: event), value: value, action: action, arm: arm)
  }

  static func time(of event: ObservedEvent) -> Int64 {
    min(max(event.time, -latestTime), latestTime)
  }
}

extension ComparisonCounts {
  /// The counts of the people whose rows these are. They are sorted.
  init(
    of rows: [ComparisonRow], _ design: ComparisonDesign, _ kinds: ComparedKinds,
    _ strata: [[StratumValue]] = []
  ) {
    self.init(design)
    var tally = PersonTally(design, kinds, strata)
    var start = 0
    while start < rows.count {
      var end = start + 1
      while end < rows.count, rows[end].person == rows[start].person { end += 1 }
      tally.add(rows[start..<end], to: &self)
      start = end
    }
  }
}
