import EngagementAnalytics
import EngagementKit
import EngagementModel

extension Command {
  static let reportExperiment = Command(
    name: ["experiment", "report"], summary: "compare the arms of an experiment that was planned",
    discussion: """
      PLAN.json is what "engage experiment plan --out PLAN.json" has written: the name and version of
      the experiment, its arms with their shares, the control, the metrics and the schedule. An event
      "experiment.assigned" or "experiment.exposed" with this name puts a person into the arm of its
      property "arm", with the property "version" of the plan.

      No lift is shown while the plan says that it is too early, or if people came to the arms otherwise
      than planned. --from reads exported files, as in "engage compare".

      Raise "version" with each change of the plan after the first person came: the report shows no lift
      once an event has another version. The events tell nothing else of the plan, so that a change
      under the same version is not noticed.
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
      let report = ComparisonReport(counts, at: invocation.context.clock.now)
      return try invocation.show(report, losses, page: page)
    })
}
