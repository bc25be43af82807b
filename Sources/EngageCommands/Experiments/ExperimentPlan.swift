import EngagementAnalytics
import EngagementJSON
import EngagementModel

extension Command {
  private static let rate = Option(
    "rate", value: "SHARE", "how many do it today, such as 5% or 0.05")
  private static let lift = Option(
    "lift", value: "SHARE", "the smallest relative change worth seeing, such as 10%")
  private static let people = Option(
    "people", value: "COUNT", "how many people there are, in both arms: what do they show?")
  private static let daily = Option(
    "daily", value: "COUNT", "how many new people come in a day, in both arms")
  private static let power = Option(
    "power", value: "SHARE", "how often a lift that is there is seen (default 80%)")
  private static let significance = Option(
    "significance", value: "SHARE", "how often one is seen that is not there (default 5%)")
  private static let anytime = Option(
    "anytime", "look at any time and stop when it is sure; needs more people")

  static let planExperiment = Command(
    name: ["experiment", "plan"], summary: "count the people that a comparison of two arms needs",
    discussion: """
      Both arms have the same size, and each person stays in one arm. Plan before you start: whoever
      looks at a comparison again and again, and stops at the first difference, often finds one where
      there is none. With --anytime every look is valid. Nothing is read or written.
      """,
    options: [rate, lift, people, daily, power, significance, anytime],
    examples: [
      Example("engage experiment plan --rate 5% --lift 10% --daily 4000", "people and days"),
      Example("engage experiment plan --rate 5% --people 20000", "the smallest lift they show"),
      Example("engage experiment plan --rate 5% --lift 10% --anytime", "and look when you like"),
    ],
    run: { invocation in
      guard let rate = try invocation.share(rate) else {
        throw invocation.usage("\(invocation.command.title) needs --rate, such as --rate 5%.")
      }
      let daily = try invocation.number(daily, in: 1...1_000_000_000)
      let people = try invocation.number(people, in: 2...2_000_000_000)
      let lift = try invocation.share(lift, isSigned: true)
      do {
        let size = try ExperimentSize(
          invocation.has(anytime) ? .anytime : .fixed,
          significance: invocation.share(significance) ?? 0.05,
          power: invocation.share(power) ?? 0.8)
        let plan = ExperimentPlan(size: size, rate: rate, daily: daily)
        switch (lift, people) {
        case (let lift?, nil): try plan.print(lift: lift, on: invocation.console)
        case (nil, let people?): try plan.print(people: people, on: invocation.console)
        case (nil, nil), (.some, .some):
          throw invocation.usage(
            "\(invocation.command.title) needs --lift or --people: one of them, not both.")
        }
      } catch let error as EngagementError where error.code == .invalidArgument {
        throw invocation.usage(error.message)
      }
      return .done
    })
}

extension Invocation {
  /// The option's value as a share: a number with a per cent sign, or one below 1.
  fileprivate func share(_ option: Option, isSigned: Bool = false) throws -> Double? {
    guard let text = value(option) else { return nil }
    let isPercentage = text.hasSuffix("%")
    let number = Double(isPercentage ? String(text.dropLast()) : text)
    let share = number.map { isPercentage ? $0 / 100 : $0 }
    let isRight = share.map { share in
      let isInRange = isSigned ? share > -1 && share != 0 && share.isFinite : share > 0 && share < 1
      // Who writes 10 means 10 %.
      return isInRange && (isPercentage || abs(share) < 1)
    }
    guard let share, isRight == true else {
      let range = isSigned ? "above -100%, but not 0," : "between 0 and 100%,"
      throw usage(
        "\(option.title) takes a share \(range) such as 5% or 0.05, not \"\(text)\".")
    }
    return share
  }
}

/// The figures of a plan, for people and for programs.
private struct ExperimentPlan {
  let size: ExperimentSize
  let rate: Double
  let daily: Int?

  /// What a lift needs.
  func print(lift: Double, on console: Console) throws {
    let people = try size.peoplePerArm(rate: rate, lift: lift)
    try console.object(object(lift: lift, peoplePerArm: people))
    try console.line(
      Phrase("To see \(Self.percent(rate)) become \(Self.percent(rate * (1 + lift))), \(chances):"))
    try table(people, on: console)
  }

  /// What a number of people show.
  func print(people: Int, on console: Console) throws {
    let perArm = people / 2
    guard let lift = try size.leastLift(rate: rate, peoplePerArm: perArm) else {
      throw EngagementError(
        .invalidArgument,
        "\(people) people are too few to see any lift of a rate of \(Self.percent(rate)).")
    }
    try console.object(object(lift: lift, peoplePerArm: perArm))
    try console.line(
      Phrase(
        "The least lift that is seen is \(Self.percent(lift)): from \(Self.percent(rate)) "
          + "to \(Self.percent(rate * (1 + lift))), \(chances):"))
    try table(perArm, on: console)
  }

  private func table(_ peoplePerArm: Int, on console: Console) throws {
    var table = Table([.init("PEOPLE PER ARM", .trailing), .init("IN BOTH", .trailing)])
    var cells = [Phrase("\(peoplePerArm)"), Phrase("\(peoplePerArm * 2)")]
    if let days = days(peoplePerArm) {
      table = Table(table.columns + [.init("DAYS", .trailing)])
      cells.append(Phrase("\(days)"))
    }
    table.add(cells)
    try console.table(table)
  }

  /// How often the comparison is right.
  private var chances: String {
    let look = size.design == .anytime ? "whenever one looks" : "at one look, at the end"
    return "\(Self.percent(size.power)) of the time, with \(Self.percent(size.significance)) false "
      + "alarms, \(look)"
  }

  private func days(_ peoplePerArm: Int) -> Int? {
    daily.map { (2 * peoplePerArm + $0 - 1) / $0 }
  }

  private func object(lift: Double, peoplePerArm: Int) -> JSONObject {
    var object: JSONObject = [
      "design": .string(size.design.rawValue), "rate": .number(rate), "lift": .number(lift),
      "power": .number(size.power), "significance": .number(size.significance),
      "peoplePerArm": .integer(Int64(peoplePerArm)), "people": .integer(Int64(peoplePerArm * 2)),
    ]
    object["days"] = days(peoplePerArm).map { .integer(Int64($0)) }
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
