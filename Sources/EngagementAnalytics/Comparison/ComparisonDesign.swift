public import EngagementModel
public import EngagementPlatform

/// What is compared, and how. It is made before the first person comes.
public struct ComparisonDesign: Hashable, Sendable {
  /// What puts a person into an arm.
  public enum Split: Hashable, Sendable {
    /// Chance: the person was assigned to an arm of this version of an experiment.
    case experiment(name: String, version: Int)
    /// The arms are providers. People were not split: a person is in the arm that sent items.
    case providers
  }

  public struct Arm: Hashable, Sendable {
    public let name: String
    /// The planned share of all people, between 0 and 1.
    public let share: Double

    public init(_ name: String, share: Double) {
      self.name = name
      self.share = share
    }
  }

  /// When the arms are looked at.
  public enum Schedule: Hashable, Sendable {
    /// Once: at the end, or if there is none, when the planned people of all arms are there. Events
    /// from the end on do not count.
    case fixed(people: Int, end: Date? = nil)
    /// At any time. The intervals are narrowest for the expected people of all arms.
    case anytime(expectedPeople: Int)
    /// Nothing was planned, so that an interval holds for one look only.
    case unplanned
  }

  public let split: Split
  public let arms: [Arm]
  /// The index of the arm that the others are compared with.
  public let control: Int
  public let metrics: [ComparisonMetric]
  public let schedule: Schedule
  /// The share of comparisons without a difference that show one.
  public let significance: Double
  /// How far back a person's own past explains the person's values (CUPED); 0 for not at all.
  public let lookBackDays: Int
  /// The members of an exposure's `data` by which people are grouped, such as `appVersion`.
  public let strata: [String]

  /// An experiment. Throws `invalidArgument` for a design that makes no sense.
  public init(
    experiment name: String, version: Int = 1, arms: [Arm], control: String,
    metrics: [ComparisonMetric] = ComparisonMetric.standard, schedule: Schedule,
    significance: Double = 0.05, lookBackDays: Int = 0, strata: [String] = []
  ) throws(EngagementError) {
    try Self.require(!name.isEmpty, "An experiment has a name: give the one of its exposures.")
    try Self.require(schedule != .unplanned, "An experiment is planned: choose fixed or anytime.")
    try self.init(
      split: .experiment(name: name, version: version), arms: arms, control: control,
      metrics: metrics, schedule: schedule, significance: significance,
      lookBackDays: lookBackDays, strata: strata)
    let sum = arms.reduce(0) { $0 + $1.share }
    try Self.require(
      abs(sum - 1) < 1e-6,
      "The shares of the arms add up to \(Figure.percent(sum)): make them 100%.")
  }

  /// A comparison of providers, whose people were not split at random.
  public init(
    providers: [ProviderID], control: ProviderID,
    metrics: [ComparisonMetric] = ComparisonMetric.standard, significance: Double = 0.05
  ) throws(EngagementError) {
    let share = 1 / Double(max(providers.count, 1))
    try self.init(
      split: .providers, arms: providers.map { Arm($0.rawValue, share: share) },
      control: control.rawValue, metrics: metrics, schedule: .unplanned,
      significance: significance, lookBackDays: 0, strata: [])
  }

  private init(
    split: Split, arms: [Arm], control: String, metrics: [ComparisonMetric], schedule: Schedule,
    significance: Double, lookBackDays: Int, strata: [String]
  ) throws(EngagementError) {
    try Self.check(arms)
    guard let index = arms.firstIndex(where: { $0.name.hasSameBytes(as: control) }) else {
      let hint = NearestName.hint(for: control, among: arms.map(\.name))
      throw EngagementError(.invalidArgument, "No arm is the control \"\(control)\"\(hint)")
    }
    try Self.check(metrics)
    try Self.check(schedule)
    try significance.requireSignificance()
    try Self.require(
      (0...366).contains(lookBackDays),
      "The past of a person is 0 to 366 days, not \(lookBackDays): choose fewer, such as 14.")
    try Self.require(
      strata.count <= 8 && Set(strata).count == strata.count && !strata.contains(""),
      "Strata have up to 8 different names: give each once.")
    self.split = split
    self.arms = arms
    self.control = index
    self.metrics = metrics
    self.schedule = schedule
    self.significance = significance
    self.lookBackDays = lookBackDays
    self.strata = strata
  }
}

extension ComparisonDesign {
  /// Whether people were split at random.
  var isExperiment: Bool { split != .providers }

  /// The arms that are compared with the control, by index.
  var treatments: [Int] { arms.indices.filter { $0 != control } }

  /// How many differences decide, over which Holm corrects.
  var comparisons: Int { metrics.count * treatments.count }

  /// From when on events do not count, in milliseconds.
  var endMilliseconds: Int64? {
    guard case .fixed(_, let end?) = schedule else { return nil }
    return Int64(end.timeIntervalSince1970 * 1_000)
  }

  private static func check(_ arms: [Arm]) throws(EngagementError) {
    try require(
      (2...50).contains(arms.count),
      "A comparison has 2 to 50 arms, not \(arms.count): add a control or leave some out.")
    try requireNames(arms.map(\.name), of: "arm")
    for arm in arms {
      try require(
        arm.share > 0 && arm.share < 1,
        "The share of arm \"\(arm.name)\" lies between 0 and 1, not at \(arm.share): mend it.")
    }
  }

  private static func check(_ metrics: [ComparisonMetric]) throws(EngagementError) {
    try require(
      (1...50).contains(metrics.count),
      "A comparison has 1 to 50 metrics, not \(metrics.count): name one, such as click.")
    try requireNames(metrics.map(\.name), of: "metric")
    for metric in metrics {
      try require(
        metric.kind != metric.base && !metric.kind.rawValue.isEmpty && metric.base?.rawValue != "",
        "The metric \"\(metric.name)\" counts one kind of event and divides by another: change one."
      )
      for kind in [metric.kind, metric.base].compactMap(\.self) {
        guard let place = Self.counted[kind] else { continue }
        throw EngagementError(
          .invalidArgument,
          "The metric \"\(metric.name)\" names \(kind.rawValue), which the table \"\(place)\" counts: "
            + "choose a kind of what people do, such as click.")
      }
    }
  }

  /// The kinds that have a table of their own.
  private static let counted: [EngagementEvent.Kind: String] = [
    .experimentAssigned: "People", .experimentExposed: "People",
    .providerRequest: "Requests to providers", .providerFailed: "Requests to providers",
  ]

  private static func requireNames(
    _ names: [String], of what: String
  ) throws(EngagementError) {
    try require(!names.contains(""), "Each \(what) has a name: give one.")
    var seen: Set<[UInt8]> = []
    for name in names {
      try require(
        seen.insert(Array(name.utf8)).inserted,
        "The \(what) \"\(name)\" is there twice: leave one out, or rename it.")
    }
  }

  private static func check(_ schedule: Schedule) throws(EngagementError) {
    switch schedule {
    case .fixed(let people, let end):
      try require(people > 1, "A fixed design has 2 people or more: count them before you start.")
      try require(
        end.map { abs($0.timeIntervalSince1970) < 1e12 } ?? true,
        "The end of a fixed design is a day of our calendar: give another one.")
    case .anytime(let people):
      try require(people > 1, "An anytime-valid design expects 2 people or more: say how many.")
    case .unplanned: break
    }
  }

  private static func require(_ isRight: Bool, _ message: String) throws(EngagementError) {
    if !isRight { throw EngagementError(.invalidArgument, message) }
  }
}
