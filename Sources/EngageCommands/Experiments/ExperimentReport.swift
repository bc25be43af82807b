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
      that of the plan, puts a person into the arm "data.arm", in the version "data.version", which is 1
      where there is none. A route
      with a split records these events. An application that splits people by itself writes them: the
      guide "People, pushes and other processes" has a line of them and all their fields, under
      "Events of an experiment".

      The lift is withheld before a fixed design has its people or its end, where the arms do not have
      their planned shares of the people, and where people were in another version of the experiment.
      The report says why, and what to do. What people did in each arm is withheld with it: the lift
      could be read from it. People, exposures and requests are always shown. --from reads exported
      files, as in "engage compare".

      A fixed design may have an end, such as "schedule": {"fixed": {"people": 9000, "end":
      "2026-12-01"}}: events of that day and later do not count, and the lift is shown from then on.

      "pp" are percentage points. "p" is the probability of such a difference by chance alone, and "p by
      Holm" the same, corrected for the number of metrics and arms: a difference is seen where it is
      below the "significance" of the plan. "Detectable" is the difference that four of five such
      experiments would show. With "lookBackDays", what each person did in the days before is taken
      out of the figures (CUPED), which narrows the intervals. The check "horizon" says whether a fixed
      design may be read. A check is "early" where more people or time are
      needed, and "open" where there is nothing to check, such as no exposure.

      Do not change an experiment after its first person came: give the changed one another name. If it
      keeps its name, raise "version" in the route and in the plan, and report on events that came
      since: people of two versions withhold the lift. Nothing in the events tells of a change of arms
      or shares under the same version.

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
      try await input.requireEvents(of: counts, losses)
      return try invocation.show(counts, of: input, losses, page: page)
    })
}
