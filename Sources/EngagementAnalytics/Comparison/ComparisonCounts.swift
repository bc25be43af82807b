public import EngagementModel

/// What the arms of a comparison did, as counts and sums of whole numbers. Every conclusion follows
/// from it.
public struct ComparisonCounts: Hashable, Sendable {
  public let design: ComparisonDesign
  /// In the order of the design; there are always as many.
  public var arms: [ArmCounts]
  /// People of several arms. An experiment leaves them out. A comparison of providers counts them in
  /// the funnels only.
  public var peopleInSeveralArms = 0
  /// People with an arm that the design has not, who are left out.
  public var peopleInUnknownArms = 0
  /// People with an exposure of another version of the experiment.
  public var peopleInOtherVersions = 0
  /// Whether somebody was assigned after the end of the design, and nobody before.
  package var areAllLater = false
  /// The arms of `peopleInUnknownArms`.
  var unknownArms: Set<String> = []
  /// The versions of `peopleInOtherVersions`, as JSON.
  var otherVersions: Set<String> = []

  /// No people and no events.
  public init(_ design: ComparisonDesign) {
    self.design = design
    let arm = ArmCounts(metrics: design.metrics.count)
    arms = design.arms.map { _ in arm }
  }

  /// The people of all arms. One who received from several providers is one person.
  var people: Int {
    design.isExperiment
      ? arms.reduce(0) { $0 + $1.assigned }
      : arms.reduce(peopleInSeveralArms) { $0 + ($1.metrics.first?.people ?? 0) }
  }

  /// Adds other people of the same design. No person may be in both.
  public mutating func add(_ other: ComparisonCounts) {
    for index in arms.indices where index < other.arms.count { arms[index].add(other.arms[index]) }
    peopleInSeveralArms += other.peopleInSeveralArms
    peopleInUnknownArms += other.peopleInUnknownArms
    peopleInOtherVersions += other.peopleInOtherVersions
    areAllLater = areAllLater || other.areAllLater
    unknownArms.formUnion(other.unknownArms)
    otherVersions.formUnion(other.otherVersions)
  }
}

extension ComparisonCounts {
  /// Throws `malformedResponse` for counts that no events give, such as those of a server that is not
  /// ours. Nothing else that is done with counts fails for their values.
  public func validate() throws(EngagementError) {
    let numbers =
      arms.flatMap(\.numbers) + [
        peopleInSeveralArms, peopleInUnknownArms, peopleInOtherVersions,
      ]
    guard arms.count == design.arms.count,
      arms.allSatisfy({ $0.has(metrics: design.metrics.count) }),
      numbers.allSatisfy((0...Self.largest).contains)
    else {
      throw EngagementError(
        .malformedResponse, "The counts are not those of this comparison: count the events again.")
    }
  }

  /// The sums of all arms are within the bounds of an integer, and so are those of two comparisons.
  private static let largest = Int.max / 128
}

/// What the people of one arm did.
public struct ArmCounts: Hashable, Sendable {
  /// A value by which people are grouped, such as an `appVersion` of `3.2`. Two are equal only if their
  /// bytes are.
  public struct Stratum: Hashable, Comparable, Sendable {
    public let name: String
    public let value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }

    public static func == (left: Self, right: Self) -> Bool {
      left.name.hasSameBytes(as: right.name) && left.value.hasSameBytes(as: right.value)
    }

    public static func < (left: Self, right: Self) -> Bool {
      left.name.hasSameBytes(as: right.name)
        ? left.value.utf8.lexicographicallyPrecedes(right.value.utf8)
        : left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
    }

    public func hash(into hasher: inout Hasher) {
      name.hashBytes(into: &hasher)
      value.hashBytes(into: &hasher)
    }
  }

  /// What is new on one day.
  public struct Day: Hashable, Sendable {
    public var people = 0
    /// What the day adds to each metric's Σx and Σy. A share counts from the moment when it first held.
    public var numerators: [Int]
    public var denominators: [Int]

    public init(metrics: Int) {
      numerators = Array(repeating: 0, count: metrics)
      denominators = numerators
    }
  }

  /// The people of the arm: all who were assigned, or who received something from the provider.
  public var assigned = 0
  /// Of them, who could see a difference.
  public var exposed = 0
  /// Of the assigned, with an item that was delivered.
  public var delivered = 0
  /// Of the assigned, who saw an item.
  public var seen = 0
  /// Of the assigned, who clicked, whether or not it is recorded that they saw what they clicked.
  public var clicked = 0
  /// The events of each kind since the assignment.
  public var events: [EngagementEvent.Kind: Int] = [:]
  public var requests = RequestCounts()
  /// What vendors rejected of what people did. It counts as done.
  public var rejected = 0
  /// As a metric: x is what a person's log has lost, y what was written to it.
  public var log = MetricSums()
  /// Of the assigned people since their assignment, a value for each metric.
  public var metrics: [MetricSums]
  /// Of the exposed people since their exposure.
  public var exposedMetrics: [MetricSums]
  /// As `metrics`, for the people of each stratum.
  public var strata: [Stratum: [MetricSums]] = [:]
  /// By the number of days since 1970, in UTC.
  public var days: [Int: Day] = [:]

  /// No people and no events.
  public init(metrics: Int) {
    self.metrics = Array(repeating: MetricSums(), count: metrics)
    exposedMetrics = self.metrics
  }

  mutating func add(_ other: ArmCounts) {
    assigned += other.assigned
    exposed += other.exposed
    delivered += other.delivered
    seen += other.seen
    clicked += other.clicked
    events.merge(other.events, uniquingKeysWith: +)
    requests.add(other.requests)
    rejected += other.rejected
    log.add(other.log)
    metrics.add(other.metrics)
    exposedMetrics.add(other.exposedMetrics)
    strata.merge(other.strata) { sums, more in
      var sums = sums
      sums.add(more)
      return sums
    }
    for (day, more) in other.days {
      days[day, default: Day(metrics: metrics.count)].add(more)
    }
  }
}

/// What the requests of an arm came to, and how long they took.
public struct RequestCounts: Hashable, Sendable {
  /// All of them, also the failed ones.
  public var requests = 0
  public var failures = 0
  /// How many told how long they took, and how many milliseconds that is in all.
  public var timed = 0
  public var milliseconds = 0
  /// How many took no longer than each of `bounds`, and longer than the one before; last, the rest.
  public var buckets = Array(repeating: 0, count: bounds.count + 1)

  public init() {}

  /// In milliseconds.
  public static let bounds = [
    10, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1_000, 1_500, 2_000, 3_000, 5_000, 7_000,
    10_000, 15_000, 20_000, 30_000, 60_000,
  ]

  mutating func add(milliseconds duration: Int, times count: Int = 1) {
    timed += count
    milliseconds += duration * count
    buckets[Self.bounds.firstIndex { duration <= $0 } ?? Self.bounds.count] += count
  }

  /// Adds requests of the same kind; nil for those that do not tell how long they took.
  mutating func add(_ count: Int, failed: Bool, milliseconds duration: Int?) {
    requests += count
    if failed { failures += count }
    if let duration { add(milliseconds: duration, times: count) }
  }

  mutating func add(_ other: RequestCounts) {
    requests += other.requests
    failures += other.failures
    timed += other.timed
    milliseconds += other.milliseconds
    for index in buckets.indices where index < other.buckets.count {
      buckets[index] += other.buckets[index]
    }
  }

  /// Rounded to a whole number; nil if no request was timed.
  var meanMilliseconds: Int? { timed > 0 ? (milliseconds + timed / 2) / timed : nil }

  /// The bound that this share of the requests kept; nil if it is above all bounds, or none was timed.
  func bound(keptBy share: Double) -> Int? {
    var left = (Double(timed) * share).rounded(.up)
    for (bound, count) in zip(Self.bounds, buckets) {
      left -= Double(count)
      if left <= 0, timed > 0 { return bound }
    }
    return nil
  }
}

extension ArmCounts.Day {
  mutating func add(_ other: Self) {
    people += other.people
    for index in numerators.indices where index < other.numerators.count {
      numerators[index] += other.numerators[index]
      denominators[index] += other.denominators[index]
    }
  }
}

extension ArmCounts {
  fileprivate func has(metrics count: Int) -> Bool {
    metrics.count == count && exposedMetrics.count == count
      && strata.values.allSatisfy { $0.count == count }
      && days.values.allSatisfy { $0.numerators.count == count && $0.denominators.count == count }
      && requests.buckets.count == RequestCounts.bounds.count + 1
  }

  fileprivate var numbers: [Int] {
    let sums = metrics + exposedMetrics + strata.values.joined() + [log]
    return [assigned, exposed, delivered, seen, clicked, rejected] + events.values
      + requests.numbers + sums.flatMap(\.numbers)
      + days.values.flatMap { [$0.people] + $0.numerators + $0.denominators }
  }
}

extension RequestCounts {
  fileprivate var numbers: [Int] { [requests, failures, timed, milliseconds] + buckets }
}

extension [MetricSums] {
  fileprivate mutating func add(_ other: [MetricSums]) {
    for index in indices where index < other.count { self[index].add(other[index]) }
  }
}
