import EngagementAnalytics
import EngagementModel

/// The figures of a plan, for people and for programs.
struct PlanFigures {
  struct Setting {
    let size: ExperimentSize
    let rate: Double
    let arms: Int
    let metrics: Int
    /// The new people of a day.
    let daily: Int?
  }

  let setting: Setting
  private let lift: Double
  private let peoplePerArm: Int
  /// Whether the people were given, and not the lift.
  private let hasGivenPeople: Bool

  /// What a lift needs.
  init(_ setting: Setting, seeing lift: Double) throws(EngagementError) {
    (self.setting, self.lift, hasGivenPeople) = (setting, lift, false)
    peoplePerArm = try setting.size.peoplePerArm(rate: setting.rate, lift: lift)
  }

  /// What a number of people show.
  init(_ setting: Setting, among people: Int) throws(EngagementError) {
    (self.setting, hasGivenPeople) = (setting, true)
    peoplePerArm = people / setting.arms
    guard let lift = try setting.size.leastLift(rate: setting.rate, peoplePerArm: peoplePerArm)
    else {
      throw Self.tooFew(people, setting)
    }
    self.lift = lift
  }

  /// Names the fewest people of whom a report tells anything.
  private static func tooFew(_ people: Int, _ setting: Setting) -> EngagementError {
    let rate = percent(setting.rate)
    let fewest = try? setting.size.fewestPeoplePerArm(rate: setting.rate)
    let enough = fewest.map { ": take \($0 * setting.arms) or more" } ?? ""
    return EngagementError(
      .invalidArgument,
      "\(people) people are too few to plan with for a rate of \(rate)\(enough).")
  }

  private var people: Int { peoplePerArm * setting.arms }

  /// When the arms are looked at.
  var schedule: ComparisonDesign.Schedule {
    switch setting.size.design {
    case .fixed: .fixed(people: people)
    case .anytime: .anytime(expectedPeople: people)
    }
  }

  func print(on console: Console) throws {
    try console.object(object)
    let (from, to) = (Self.percent(setting.rate), Self.percent(setting.rate * (1 + lift)))
    try console.line(
      Phrase(
        hasGivenPeople
          ? "The least lift that is seen is \(Self.percent(lift)): from \(from) to \(to), \(chances):"
          : "To see \(from) become \(to), \(chances):"))
    var table = Table([
      .init("PEOPLE PER ARM", .trailing),
      .init(setting.arms == 2 ? "IN BOTH" : "IN ALL \(setting.arms)", .trailing),
    ])
    var cells = [Phrase("\(peoplePerArm)"), Phrase("\(people)")]
    if let days {
      table = Table(table.columns + [.init("DAYS", .trailing)])
      cells.append(Phrase("\(days)"))
    }
    table.add(cells)
    try console.table(table)
    if let correction { try console.line(Phrase(correction)) }
  }

  /// For how many tests the people are counted; nil for one.
  private var correction: String? {
    let size = setting.size
    guard size.comparisons > 1 else { return nil }
    let metrics = setting.metrics == 1 ? "1 metric" : "\(setting.metrics) metrics"
    let arms = setting.arms == 2 ? "" : " in \(setting.arms - 1) arms beside the control"
    return
      "Counted for \(metrics)\(arms): Holm decides the clearest of \(size.comparisons) differences "
      + "at \(Self.percent(size.strictestSignificance)). Fewer --metric need fewer people."
  }

  /// How often the comparison is right.
  private var chances: String {
    let size = setting.size
    let look = size.design == .anytime ? "whenever one looks" : "at one look, at the end"
    return "\(Self.percent(size.power)) of the time, with \(Self.percent(size.significance)) false "
      + "alarms, \(look)"
  }

  private var days: Int? { setting.daily.map { (people + $0 - 1) / $0 } }

  private var object: JSONObject {
    let size = setting.size
    var object: JSONObject = [
      "design": .string(size.design.rawValue), "rate": .number(setting.rate),
      "lift": .number(lift), "power": .number(size.power),
      "significance": .number(size.significance),
      "comparisons": .integer(Int64(size.comparisons)),
      "peoplePerArm": .integer(Int64(peoplePerArm)), "people": .integer(Int64(people)),
    ]
    object["days"] = days.map { .integer(Int64($0)) }
    return object
  }

  /// The share with three digits that count.
  private static func percent(_ share: Double) -> String {
    var (unit, percentage) = (1.0, share * 100)
    while abs(percentage) * unit < 100, unit < 1e9 { unit *= 10 }
    percentage = (percentage * unit).rounded() / unit
    let text = "\(percentage)"
    return (text.hasSuffix(".0") ? String(text.dropLast(2)) : text) + "%"
  }
}
