import EngagementModel
import EngagementPlatform

/// Whether the figures of a comparison can be trusted.
struct ComparisonChecks: Hashable, Sendable {
  let split: ComparisonCheck
  /// Nil if people were not split at random.
  let exposedSplit: ComparisonCheck?
  /// Nil where people were not split at random and no provider tells what its logs have lost.
  let logs: ComparisonCheck?
  let horizon: ComparisonCheck
  /// Nil where nothing was planned.
  let plan: ComparisonCheck?
  /// The figures of the first two, if there are any.
  let splitRatio: SampleRatio?
  let exposedRatio: SampleRatio?

  init(_ counts: ComparisonCounts, at time: Date) {
    if counts.design.isExperiment {
      (split, splitRatio) = Self.split(Self.arms, counts, \.assigned, failure: Self.missing)
      let exposed = Self.exposedSplit(counts)
      (exposedSplit, exposedRatio) = (exposed.0, exposed.1)
    } else {
      (split, splitRatio) = (Self.providers(counts), nil)
      (exposedSplit, exposedRatio) = (nil, nil)
    }
    plan = counts.design.isExperiment ? Self.plan(counts) : nil
    logs = Self.logs(counts)
    horizon = Self.horizon(counts, at: time)
  }

  /// Those that apply.
  var all: [ComparisonCheck] { [split, exposedSplit, plan, logs, horizon].compactMap(\.self) }

  /// Why no difference is told.
  var withheld: [String] {
    [plan, split, logs, horizon].compactMap(\.self).filter(\.state.withholds).map(\.sentence)
  }

  var reason: String? { withheld.first }

  /// Why nothing is told of what the people of an arm did. People of an experiment differ by their arm
  /// only, so that the lift could be read from it. A comparison of providers tells what was seen.
  var outcomesReason: String? { plan == nil ? nil : reason }

  /// Whether the lift is withheld for nothing but its time.
  var isEarly: Bool { withheld == [horizon.sentence] }

  /// Why no difference of the exposed is told.
  var exposedReason: String? {
    guard let exposedSplit else { return "A comparison of providers has no exposures." }
    return exposedSplit.state == .passed ? nil : exposedSplit.sentence
  }

  /// The name of the group of all who were assigned.
  private static let arms = "arms"

  private static let missing =
    "The lift is withheld: people are missing from an arm. Find what loses them, such as a crash "
    + "before the assignment is recorded."

  private static func exposedSplit(
    _ counts: ComparisonCounts
  ) -> (ComparisonCheck, SampleRatio?) {
    guard counts.arms.contains(where: { $0.exposed > 0 }) else {
      let sentence =
        counts.peopleInOtherVersions > 0
        ? "No exposure of this version was recorded." : "No exposure was recorded."
      return (ComparisonCheck(name: "split of the exposed", state: .open, sentence: sentence), nil)
    }
    return split(
      "exposed", counts, \.exposed,
      failure: "The figures of the exposed are withheld: an arm changes who is exposed.")
  }

  private static func split(
    _ group: String, _ counts: ComparisonCounts, _ people: KeyPath<ArmCounts, Int>, failure: String
  ) -> (ComparisonCheck, SampleRatio?) {
    func check(_ state: ComparisonCheck.State, _ sentence: String) -> ComparisonCheck {
      ComparisonCheck(name: "split of the \(group)", state: state, sentence: sentence)
    }
    guard counts.people > 0 || counts.peopleInOtherVersions == 0 else {
      return (check(.open, "Nobody is in this version of the plan."), nil)
    }
    let sizes = counts.arms.map { $0[keyPath: people] }
    if let least = sizes.min(), least < SampleRatio.leastCount,
      let arm = sizes.firstIndex(of: least)
    {
      return (check(.early, few(least, in: counts.design.arms[arm].name.readable, group)), nil)
    }
    do throws(EngagementError) {
      let ratio = try SampleRatio(
        counts.arms.map { $0[keyPath: people] }, weights: counts.design.arms.map(\.share))
      let chance = Figure.equation(ratio.probability)
      return ratio.isSound
        ? (
          check(
            .passed,
            "The \(group) show no other split than the planned one (\(chance); below "
              + "\(SampleRatio.threshold) they would)."), ratio
        )
        : (check(.failed, "The \(group) are not split as planned (\(chance)). \(failure)"), ratio)
    } catch {
      return (check(.failed, error.message), nil)
    }
  }

  private static func few(_ people: Int, in arm: String, _ group: String) -> String {
    let least = SampleRatio.leastCount
    guard group == Self.arms else {
      return
        "Of arm \"\(arm)\" \(people) \(people == 1 ? "person was" : "people were") exposed: the "
        + "split of the exposed can be checked from \(least) in each arm on."
    }
    guard people > 0 else {
      return
        "Nobody is in arm \"\(arm)\": the split can be checked from \(least) people in each arm on. "
        + "See that the route has this arm, and report again when it has people."
    }
    return
      "Arm \"\(arm)\" has \(people) \(people == 1 ? "person" : "people"): the split can be checked "
      + "from \(least) in each arm on. Report again when more have come."
  }

  private static func plan(_ counts: ComparisonCounts) -> ComparisonCheck {
    let count = counts.peopleInOtherVersions
    guard count > 0 else {
      return counts.people > 0
        ? ComparisonCheck(
          name: "plan", state: .passed, sentence: "All people were in this version of the plan.")
        : ComparisonCheck(name: "plan", state: .open, sentence: noPeople(counts))
    }
    let people = count == 1 ? "1 person was" : "\(Figure.count(count)) people were"
    if counts.people == 0, case .experiment(_, let version) = counts.design.split {
      return ComparisonCheck(
        name: "plan", state: .failed,
        sentence: "The plan is of version \(version), but \(people) in another version and nobody "
          + "in this one. The lift is withheld: give the plan and the route the same version.")
    }
    return ComparisonCheck(
      name: "plan", state: .failed,
      sentence: "The plan was changed: \(people) in another version of the experiment. The lift is "
        + "withheld: give the changed experiment a name of its own, and begin again.")
  }

  /// Why the arms have no people.
  private static func noPeople(_ counts: ComparisonCounts) -> String {
    if counts.areAllLater, case .fixed(_, let end?) = counts.design.schedule {
      return "All people were assigned to an arm after the end, \(Figure.moment(end)), and nobody "
        + "before: events from the end on do not count."
    }
    guard counts.peopleInUnknownArms + counts.peopleInSeveralArms == 0 else {
      return "Nobody is in one arm of the plan: all people are left out, as the notes say."
    }
    return "Nobody is in the experiment yet: no event assigns anybody to an arm. Without consent "
      + "nobody is assigned: see \"engage consent\"."
  }

  private static func providers(_ counts: ComparisonCounts) -> ComparisonCheck {
    func check(_ state: ComparisonCheck.State, _ sentence: String) -> ComparisonCheck {
      ComparisonCheck(name: "people", state: state, sentence: sentence)
    }
    let alone = counts.arms.map { $0.metrics.first?.people ?? 0 }
    let few = alone.min().flatMap { $0 < SampleRatio.leastCount ? $0 : nil }
    if few != nil, counts.peopleInSeveralArms * 2 > counts.people {
      return check(.failed, tooMuchInCommon(counts))
    }
    if let sentence = withoutReceipts(counts) { return check(.failed, sentence) }
    if let few { return check(.early, tooFew(few, in: alone.firstIndex(of: few) ?? 0, counts)) }
    return check(
      .open,
      "This comparison follows no random split: a difference may be one between people, not between "
        + "providers.")
  }

  /// Why shares of a provider's people say nothing; nil if it is known who received from each.
  private static func withoutReceipts(_ counts: ComparisonCounts) -> String? {
    let unknown = counts.arms.indices.filter { !counts.hasReceipts($0) }
    guard let arm = unknown.first(where: { counts.arms[$0].assigned > 0 }) else { return nil }
    guard unknown.count < counts.arms.count else {
      return
        "No event delivered is recorded, so that only people are known who did something, and shares of "
        + "them do not tell the providers apart. Export without --kind."
    }
    return "No event delivered of \"\(counts.design.arms[arm].name.readable)\" is recorded, "
      + "so that only those of its people are known who did something: shares of them are too high "
      + "beside those of other providers. Export without --kind, or compare providers that both have "
      + "such events."
  }

  /// More events of such people do not help: each receives from both.
  private static func tooMuchInCommon(_ counts: ComparisonCounts) -> String {
    (counts.people == 1
      ? "The only person received from several providers"
      : "Most people received from several providers, \(Figure.count(counts.peopleInSeveralArms)) of "
        + Figure.count(counts.people))
      + ", so that nothing tells the providers apart. Let a route with \"split\" send each person to one "
      + "of them: see \"engage experiment plan\"."
  }

  private static func tooFew(_ people: Int, in arm: Int, _ counts: ComparisonCounts) -> String {
    let who =
      switch people {
      case 0: "Nobody"
      case 1: "1 person"
      case _: "\(people) people"
      }
    return "\(who) received from \"\(counts.design.arms[arm].name.readable)\" and from no other "
      + "provider: a difference can be told from \(SampleRatio.leastCount) on. Export the events of "
      + "more devices, and compare those."
  }

  /// Arms that lose less of their logs than this apart are alike, however sure the difference is.
  private static let leastLoss = 0.001

  private static func logs(_ counts: ComparisonCounts) -> ComparisonCheck? {
    func check(_ state: ComparisonCheck.State, _ sentence: String) -> ComparisonCheck {
      ComparisonCheck(name: "logs", state: state, sentence: sentence)
    }
    let (one, all) = counts.design.isExperiment ? ("arm", "arms") : ("provider", "providers")
    let control = counts.arms[counts.design.control].log
    guard counts.arms.contains(where: { $0.log.denominator > 0 }) else {
      guard counts.design.isExperiment else { return nil }
      return check(
        .open,
        "What the logs have lost is not known, so that the \(all)' losses are not compared. Name folders "
          + "of \"engage export --out DIR\", whose manifests say it; a program says it with addLog."
      )
    }
    if let arm = counts.arms.firstIndex(where: { $0.log.denominator == 0 }) {
      return check(
        .open,
        "What the logs of \"\(counts.design.arms[arm].name.readable)\" have lost is not known, so that "
          + "the \(all)' losses are not compared. Name folders of \"engage export --out DIR\", whose manifests "
          + "say it; a program says it with addLog.")
    }
    let shares = zip(counts.design.arms, counts.arms).map { arm, figures in
      let lost = Double(figures.log.numerator) / Double(figures.log.denominator)
      return "\(Figure.percent(lost)) of \"\(arm.name.readable)\""
    }.joined(separator: ", ")
    guard counts.design.treatments.allSatisfy({ areAlike(counts.arms[$0].log, control) }) else {
      return check(
        .failed,
        "The \(all) lost unlike shares of their logs: \(shares). The lift is withheld: find what drops "
          + "the events of one \(one).")
    }
    return check(.passed, "The \(all) lost like shares of their logs: \(shares).")
  }

  private static func areAlike(_ treatment: MetricSums, _ control: MetricSums) -> Bool {
    guard let t = try? treatment.figure(of: ""), let c = try? control.figure(of: "") else {
      return true
    }
    guard abs(t.mean - c.mean) >= leastLoss else { return true }
    // There is no probability where everybody in an arm has lost the same share, or for one person.
    guard let difference = try? Difference(of: t, from: c),
      let probability = try? difference.absolute.probability()
    else { return t.count < 2 || c.count < 2 }
    return probability >= SampleRatio.threshold
  }

  /// A fixed design holds for one look. Figures that are looked at until they please tell more differences
  /// than there are.
  private static func late(_ people: Int, _ planned: Int) -> String {
    guard people > planned + planned / 20 else { return "" }
    return
      " Decide by the first report that had them: each further one makes a false alarm more likely."
  }

  private static func horizon(_ counts: ComparisonCounts, at time: Date) -> ComparisonCheck {
    func check(_ state: ComparisonCheck.State, _ sentence: String) -> ComparisonCheck {
      ComparisonCheck(name: "horizon", state: state, sentence: sentence)
    }
    let people = counts.arms.reduce(0) { $0 + $1.assigned }
    switch counts.design.schedule {
    case .unplanned:
      return check(.open, "Nothing was planned: the intervals hold for one look only.")
    case .anytime(let expected):
      return check(
        .passed,
        "This design may be read at any time: \(Figure.count(people)) of "
          + "\(Figure.count(expected)) expected people are there.")
    case .fixed(let planned, let end):
      let progress = "\(Figure.count(people)) of \(Figure.count(planned)) planned people are there"
      if let end {
        let moment = Figure.moment(end)
        guard time >= end else {
          return check(.early, "The lift is withheld until the end, \(moment); \(progress).")
        }
        // The plan named this end, however many people there are by then.
        let fewer =
          people < planned
          ? " The figures are of fewer people than were planned: a difference of the planned size may "
            + "not be seen." : ""
        return check(.passed, "The end, \(moment), has come: \(progress).\(fewer)")
      }
      return people >= planned
        ? check(.passed, "The design may be read: \(progress).\(late(people, planned))")
        : check(.early, "\(progress). The lift is withheld until all are.")
    }
  }
}
