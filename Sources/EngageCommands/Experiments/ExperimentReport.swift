import EngagementAnalytics
import EngagementKit
import EngagementModel

extension Command {
  static let reportExperiment = Command(
    name: ["experiment", "report"], summary: "compare the arms of an experiment that was planned",
    discussion: """
      PLAN.json is what "engage experiment plan --out PLAN.json" has written: the name and version of
      the experiment, its arms with their shares, the control, the metrics and the schedule.

      An event of the type "engage.experiment.assigned" or "engage.experiment.exposed", whose "name" is
      that of the plan, puts a person into the arm "data.arm", in the version "data.version". A route
      with a split records these events. An application that splits people by itself writes them: the
      guide "People, pushes and other processes" has a line of them and all their fields, under
      "Events of an experiment".

      No lift is shown while the plan says that it is too early, or if people came to the arms otherwise
      than planned. --from reads exported files, as in "engage compare".

      A fixed design may have an end, such as "schedule": {"fixed": {"people": 9000, "end":
      "2026-12-01"}}: events of that day and later do not count, and the lift is shown from then on.

      "p by Holm" is the probability of such a difference by chance alone, raised for the number of
      metrics and arms; a difference is seen where it is below the significance. CUPED takes what each
      person did in the "lookBackDays" before out of the figures, which narrows the intervals. A check
      is "open" where the figures that it needs are not recorded, such as exposures. The horizon is
      when a fixed design may be read.

      An experiment that is changed after the first person came is another experiment: give it a name of
      its own. Where its name stays, raise "version" in the route and in the plan, and report on events
      that came since: people of two versions withhold the lift. The events tell nothing else of the
      plan, so that a change under the same version is not noticed.

      What people in an arm do counts on every surface: cards, messages, templates and pushes of all
      vendors, whichever of them has the split.
      """,
    arguments: [
      Argument(name: "PLAN.json", help: "the plan of the experiment", completion: .files)
    ],
    options: [ComparisonOptions.from, ComparisonOptions.html],
    examples: [
      Example("engage experiment report banner.json", "what this device saw"),
      Example(
        "engage experiment report banner.json --from exports --html banner.html",
        "many devices, as a page"),
    ], isInterruptible: true,
    run: { invocation in
      let design = try PlanDocument.read(invocation.context.path(invocation.argument()))
      let page = try invocation.comparisonPage()
      let input = try ComparisonInput(invocation)
      let (counts, losses, _) = try await input.counts(design)
      try await input.requireEvents(of: counts)
      if counts.peopleInOtherVersions > 0, case .experiment(let name, let version) = design.split {
        let versions = try await input.versions(of: name).map(String.init)
        if !versions.isEmpty {
          let noun = versions.count == 1 ? "version" : "versions"
          invocation.console.note(
            "The events have \(noun) \(versions.joined(separator: ", ")), the plan \(version).")
        }
      }
      return try invocation.show(counts, of: input, losses, page: page)
    })
}
