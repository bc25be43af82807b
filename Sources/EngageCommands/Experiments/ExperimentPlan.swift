import EngagementAnalytics
import EngagementJSON
import EngagementModel

extension Command {
  private static let rate = Option(
    "rate", value: "SHARE", "the share of people who do it today, such as 5% or 0.05")
  private static let lift = Option(
    "lift", value: "SHARE", "the smallest relative change worth seeing, such as 10%")
  private static let people = Option(
    "people", value: "COUNT",
    "how many people there are in all arms, to print the smallest lift that they show")
  private static let daily = Option(
    "daily", value: "COUNT", "how many new people come in a day, in all arms")
  private static let power = Option(
    "power", value: "SHARE", "the chance to see a lift that is there (default 80%)")
  private static let significance = Option(
    "significance", value: "SHARE", "the chance to see one that is not there (default 5%)")
  private static let anytime = Option(
    "anytime", "allow looks at any time, and a stop when the lift is sure; needs more people")

  /// The options that write a plan.
  fileprivate enum PlanOptions {
    static let name = Option(
      "name", value: "NAME", "what the experiment is called, for --out")
    static let arm = Option(
      "arm", value: "NAME", "an arm, for --out; the others are compared with the first one",
      repeats: true)
    static let out = Option(
      "out", letter: "o", value: "PLAN.json", "write the plan to a file that is not there yet",
      completion: .files)
  }

  static let planExperiment = Command(
    name: ["experiment", "plan"],
    summary: "count the people that an experiment needs, and write its plan",
    discussion: """
      All arms have the same size, and each person stays in one arm. Plan before you start: who looks at
      a comparison again and again, until there is a difference, often finds one by chance. With
      --anytime every look is valid.

      The report compares each arm with the control in each metric of --metric. Without it, these are
      five shares of all people: impression, click, completion (they sent a form, the event "submit"),
      dismissal and opt-out. The messages of an inbox are not seen and clicked but read and opened:
      name --metric open or --metric read for them. More comparisons make more false alarms. So Holm's
      correction tests the clearest difference at the significance divided by the number of
      comparisons, and the people are counted for that. The power is the chance to see the lift in one
      of the metrics, whichever it is.

      With --out, --name and two or more --arm, the plan becomes a file for "engage experiment report".
      It may be edited before the first person comes: add an end or strata. More metrics need more
      people: plan again with them.
      """,
    options: [
      rate, lift, people, daily, power, significance, anytime, PlanOptions.name, PlanOptions.arm,
      ComparisonOptions.metric, PlanOptions.out,
    ],
    examples: [
      Example("engage experiment plan --rate 5% --lift 10% --daily 4000", "people and days"),
      Example(
        "engage experiment plan --rate 5% --lift 10% --name banner --arm old --arm new "
          + "--out banner.json",
        "and the plan as a file"),
      Example(
        "engage experiment plan --rate 5% --people 20000 --metric click",
        "the smallest lift they show of one metric"),
      Example("engage experiment plan --rate 5% --lift 10% --anytime", "and look when you like"),
    ],
    run: { invocation in
      guard let rate = try invocation.share(rate) else {
        throw invocation.usage("\(invocation.command.title) needs --rate, such as --rate 5%.")
      }
      let daily = try invocation.number(daily, in: 1...1_000_000_000)
      let people = try invocation.number(people, in: 2...2_000_000_000)
      let lift = try invocation.share(lift, isSigned: true)
      let file = try invocation.planFile()
      do {
        let arms = max(invocation.values(PlanOptions.arm).count, 2)
        let metrics = invocation.comparisonMetrics().count
        let size = try ExperimentSize(
          invocation.has(anytime) ? .anytime : .fixed,
          significance: invocation.share(significance) ?? 0.05,
          power: invocation.share(power) ?? 0.8, comparisons: metrics * (arms - 1))
        let setting = PlanFigures.Setting(
          size: size, rate: rate, arms: arms, metrics: metrics, daily: daily)
        let figures: PlanFigures
        switch (lift, people) {
        case (let lift?, nil): figures = try PlanFigures(setting, seeing: lift)
        case (nil, let people?): figures = try PlanFigures(setting, among: people)
        case (nil, nil), (.some, .some):
          throw invocation.usage(
            "\(invocation.command.title) needs --lift or --people: one of them, not both.")
        }
        if let file {
          try file.write(Array(PlanDocument.text(of: invocation.design(figures)).utf8))
          try file.finish()
        }
        try figures.print(on: invocation.console)
        if let path = invocation.value(PlanOptions.out) {
          try invocation.console.line("The plan is \(path).")
        }
      } catch let error as EngagementError where error.code == .invalidArgument {
        throw invocation.usage(error.message)
      }
      return .done
    })
}

extension Invocation {
  /// The file of the plan, if there is to be one.
  fileprivate func planFile() throws -> NewFile? {
    typealias Plan = Command.PlanOptions
    guard let path = value(Plan.out) else {
      guard let option = [Plan.name, Plan.arm].first(where: has) else { return nil }
      throw usage("\(option.title) is for a plan: name its file with --out.")
    }
    guard has(Plan.name) else { throw usage("--out needs --name, such as --name banner.") }
    guard values(Plan.arm).count > 1 else {
      throw usage("--out needs two or more arms, such as --arm old --arm new.")
    }
    if let arm = values(Plan.arm).first(where: { $0.contains(/=[0-9.]+%?$/) }) {
      throw usage("--arm takes a name, and not \"\(arm)\": all arms have the same share.")
    }
    return try NewFile(context.path(path), for: Plan.out)
  }

  /// The design that the plan describes.
  fileprivate func design(
    _ figures: PlanFigures
  ) throws(EngagementError) -> ComparisonDesign {
    typealias Plan = Command.PlanOptions
    let names = values(Plan.arm)
    let share = 1 / Double(names.count)
    return try ComparisonDesign(
      experiment: value(Plan.name) ?? "", arms: names.map { .init($0, share: share) },
      control: names[0], metrics: comparisonMetrics(), schedule: figures.schedule,
      significance: figures.setting.size.significance)
  }

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
      let isMeant = !isPercentage && number.map { abs($0) >= 1 && abs($0) < 100 } ?? false
      let hint = isMeant && (isSigned || text.first != "-") ? "; did you mean \(text)%?" : "."
      throw usage(
        "\(option.title) takes a share \(range) such as 5% or 0.05, not \"\(text)\"\(hint)")
    }
    return share
  }
}
