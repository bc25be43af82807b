import EngagementJSON
import EngagementModel
import EngagementPlatform
import Testing

@testable import EngagementAnalytics

/// What is told of the arms of an experiment while the lift is withheld.
@Suite struct WithheldOutcomesTests {
  private static let later = Epoch2026.date(afterDays: 30)

  /// Why the lift is withheld.
  enum Fault: CaseIterable {
    case split, logs, horizon, end, plan, people
  }

  /// Two arms whose people did what no other figure of the report is.
  private static func counts(
    _ fault: Fault, schedule: ComparisonDesign.Schedule = .fixed(people: 2)
  ) throws -> ComparisonCounts {
    var counts = ComparisonCounts(try ComparisonFixture(schedule: schedule).design)
    counts.arms = try ComparisonFixture.clicks(317, of: 1_000, 411, of: 1_000).arms
    for (arm, clicked) in [317, 411].enumerated() {
      counts.arms[arm].delivered = 971
      counts.arms[arm].seen = 853
      counts.arms[arm].clicked = clicked
      counts.arms[arm].events = [.delivered: 977, .impression: 859, .click: clicked + 6]
      counts.arms[arm].requests.add(milliseconds: 70, times: 443)
      counts.arms[arm].requests.requests = 443
      counts.arms[arm].requests.failures = 13
      counts.arms[arm].days[20_454] = .init(metrics: 1)
      counts.arms[arm].days[20_454]?.numerators[0] = clicked
      counts.arms[arm].days[20_454]?.denominators[0] = 1_000
    }
    switch fault {
    case .split: counts.arms[1].assigned = 1_400
    case .logs:
      for arm in 0..<2 {
        for person in 0..<1_000 { counts.arms[arm].log.add(person % 10 == 0 ? arm * 9 : 0, of: 10) }
      }
    case .horizon, .end: break
    case .plan: counts.peopleInOtherVersions = 1
    case .people: counts.arms[1].assigned = 7
    }
    return counts
  }

  private static func report(_ fault: Fault) throws -> ComparisonReport {
    let schedule: ComparisonDesign.Schedule =
      switch fault {
      case .horizon: .fixed(people: 5_000)
      case .end: .fixed(people: 2, end: Epoch2026.date(afterDays: 60))
      case .split, .logs, .plan, .people: .fixed(people: 2)
      }
    return ComparisonReport(try counts(fault, schedule: schedule), at: later)
  }

  /// The texts of a page, without its style and the places of what is drawn.
  private static func visible(_ html: String) -> String {
    html.replacing(#/<style>[\s\S]*?</style>/#, with: "").replacing(#/<[^>]*>/#, with: " ")
  }

  @Test(
    "X12: while the lift is withheld, no output tells what the people of an arm did",
    arguments: Fault.allCases)
  func outcomes(fault: Fault) throws {
    let report = try Self.report(fault)
    #expect(report.withheld.count == 1, "\(report.withheld)")
    let titles = ["Funnel", "Figures", "Events", "Strata"]
    #expect(
      !report.tables.contains { titles.contains($0.title) || $0.title.contains("Difference") })
    let json = String(decoding: JSON.object(report.json).encoded(), as: UTF8.self)
    for figure in ["317", "411", "31.70%", "41.10%", "971", "977", "853", "859", "323", "417"] {
      for output in [Self.visible(report.html), report.text, json] {
        #expect(!output.contains(figure), "\(figure)")
      }
    }
    for title in [
      "id=\"funnel-title\"", "id=\"rates-title\"", "id=\"differences-title\"",
      "id=\"days-0-title\"",
    ] {
      #expect(!report.html.contains(title), "\(title)")
    }
  }

  @Test(
    "X12: what the fault is found by stays: people, exposures, requests and logs",
    arguments: Fault.allCases)
  func others(fault: Fault) throws {
    let report = try Self.report(fault)
    #expect(
      report.tables.map(\.title) == ["Checks", "People", "Requests to providers"])
    let arms = try #require(report.json["arms"]?.array)
    #expect(arms.map { $0["exposed"] } == [1_000, 1_000] && arms[0]["people"] == 1_000)
    #expect(arms.allSatisfy { $0["requests"]?["failures"] == 13 && $0["requests"]?["half"] == 70 })
    #expect(arms.allSatisfy { $0["log"]?["written"] != nil })
    #expect(
      report.html.contains("id=\"people-title\"") && report.html.contains("id=\"requests-title\""))
  }

  @Test("X12: JSON says of each outcome why it is withheld", arguments: Fault.allCases)
  func json(fault: Fault) throws {
    let report = try Self.report(fault)
    let withheld: JSON = ["withheld": .string(report.withheld[0])]
    for arm in try #require(report.json["arms"]?.array) {
      for name in ["delivered", "seen", "clicked", "events"] {
        #expect(arm[name] == withheld, "\(name)")
      }
    }
    let metric = try #require(report.json["metrics"]?.array?.first)
    #expect(metric["days"] == [])
    for arm in try #require(metric["arms"]?.array) {
      for name in ["numerator", "denominator", "figure"] {
        #expect(arm[name] == withheld, "\(name)")
      }
    }
  }

  @Test("X12: a report that withholds says what is left out, why, and what is still shown")
  func sentence() throws {
    let text =
      "What people did in each arm is withheld, too: the lift could be read from it. Assignments, "
      + "exposures and requests are shown, to find the fault by."
    for fault in [Fault.split, .logs, .plan, .people] {
      let sentences = try Self.report(fault).sentences
      #expect(sentences.contains(text), "\(sentences)")
    }
    let early =
      "What people did in each arm is withheld, too: the lift could be read from it. It is shown with "
      + "the lift."
    for fault in [Fault.horizon, .end] {
      let sentences = try Self.report(fault).sentences
      #expect(sentences.contains(early), "\(sentences)")
    }
    let shown = ComparisonReport(try Self.counts(.horizon), at: Self.later)
    #expect(shown.withheld == [] && !shown.sentences.contains { $0.contains("withheld, too") })
  }

  @Test("X12: providers that were not split at random keep their funnel, which is what was seen")
  func providers() throws {
    var counts = ComparisonCounts(
      try ComparisonDesign(
        providers: ["A", "B"], control: "A", metrics: [ComparisonMetric("click", .people(.click))]))
    counts.arms = try ComparisonFixture.clicks(1, of: 7, 317, of: 1_000).arms
    counts.arms[1].events[.click] = 317
    let report = ComparisonReport(counts, at: Self.later)
    #expect(report.withheld.count == 1)
    #expect(
      report.tables.contains { $0.title == "Funnel" } && report.html.contains("id=\"funnel-title\"")
    )
  }
}
