import EngagementModel
import Testing

@testable import EngagementAnalytics

@Suite("conclusions of a comparison") struct ComparisonReportTests {
  private let later = Epoch2026.date(afterDays: 30)

  private func isClose(_ value: Double, _ expected: Double, _ share: Double = 1e-9) -> Bool {
    abs(value - expected) <= share * max(abs(expected), 1e-12)
  }

  private func difference(_ counts: ComparisonCounts) throws -> MeasuredDifference {
    let report = ComparisonReport(counts, at: later)
    return try #require(report.metrics[0].comparisons[0].difference.value)
  }

  @Test("X12: sums give the mean, variance and covariance that the values have")
  func sums() throws {
    var sums = MetricSums()
    let values = [(10, 2, 7), (0, 1, 0), (30, 5, 21), (12, 2, 11), (7, 1, 9), (0, 3, 1)]
    for (x, y, p) in values { sums.add(x, of: y, past: p) }
    let pairs = PairedSample(values.map { (Double($0.0), Double($0.1)) })
    #expect(isClose(sums.values.first.variance, pairs.first.variance))
    #expect(isClose(sums.values.covariance, pairs.covariance))
    let past = PairedSample(values.map { (Double($0.0), Double($0.2)) })
    #expect(isClose(sums.valuesAndPast.covariance, past.covariance))
    #expect(isClose(try sums.figure(of: "A").mean, 4.214285714285714))
    #expect(isClose(try sums.figure(of: "A").variance, 10.296959600166595))
  }

  @Test("X12: no precision is lost where sums are huge, and covariances may be negative")
  func exactness() {
    var sums = MetricSums()
    for x in 999_000...1_000_000 { sums.add(x, of: 1_000_000 - x) }
    // The variance of 1001 whole numbers in a row.
    #expect(sums.values.first.variance == 1_001 * 1_002 / 12.0)
    #expect(sums.values.covariance == -1_001 * 1_002 / 12.0)
  }

  @Test("X12: the difference of two rates is that of their samples")
  func rates() throws {
    let difference = try difference(ComparisonFixture.clicks(500, of: 10_000, 550, of: 10_000))
    let expected = try Difference(of: Sample(550, of: 10_000), from: Sample(500, of: 10_000))
    #expect(isClose(difference.absolute.value, 0.005))
    let interval = try #require(difference.absolute.interval.value)
    #expect(isClose(interval.lowerBound, try expected.absolute.interval().lowerBound))
    let relative = try #require(difference.relative.value)
    #expect(isClose(relative.value, 0.1))
    let limit = try #require(try expected.relative?.interval().upperBound)
    #expect(isClose(try #require(relative.interval.value).upperBound, limit))
    #expect(isClose(difference.probability, try expected.absolute.probability()))
    #expect(difference.adjustedProbability == difference.probability)
    // 1.96 and 0.84 standard errors.
    let errors = difference.leastVisible / expected.absolute.standardError
    #expect(abs(errors - 2.80159) < 0.001)
  }

  @Test("X12: an anytime-valid design has the wider interval of its sequence")
  func anytime() throws {
    var counts = try ComparisonFixture.clicks(250, of: 2_500, 300, of: 2_500)
    let design = try ComparisonFixture(schedule: .anytime(expectedPeople: 5_000)).design
    let arms = counts.arms
    counts = ComparisonCounts(design)
    counts.arms = arms
    let absolute = try difference(counts).absolute
    let error = try Difference(of: Sample(300, of: 2_500), from: Sample(250, of: 2_500))
      .absolute.standardError
    let half = try #require(absolute.interval.value).upperBound - absolute.value
    #expect(abs(half / error - 3.03521) < 0.00001)
  }

  @Test(
    "X12: the lift is withheld with a reason",
    arguments: [
      (1_000, 1_200, "The arms are not split as planned (p < 0.0001). The lift is withheld"),
      (100, 7, "Arm \"B\" has 7 people: the split can be checked from 8 in each arm on."),
      (0, 0, "Nobody is in arm \"A\": the split can be checked from 8 people in each arm on."),
    ])
  func withheld(first: Int, second: Int, reason: String) throws {
    let report = ComparisonReport(
      try ComparisonFixture.clicks(0, of: first, second / 2, of: second), at: later)
    #expect(report.withheld.first?.hasPrefix(reason) == true, "\(report.withheld)")
    let comparison = report.metrics[0].comparisons[0]
    #expect(comparison.difference.reason == report.withheld.first)
    #expect(comparison.exposed.value == nil && comparison.unadjusted.value == nil)
  }

  @Test("X12: a fixed design shows no lift before its horizon, and an end decides alone")
  func horizon() throws {
    let arms = try ComparisonFixture.clicks(10, of: 100, 20, of: 100).arms
    func report(_ people: Int, end: Double?, at days: Double) throws -> [String] {
      let schedule = ComparisonDesign.Schedule.fixed(
        people: people, end: end.map { Epoch2026.date(afterDays: $0) })
      var counts = ComparisonCounts(try ComparisonFixture(schedule: schedule).design)
      counts.arms = arms
      return ComparisonReport(counts, at: Epoch2026.date(afterDays: days)).withheld
    }
    #expect(try report(200, end: nil, at: 1) == [])
    #expect(
      try report(1_201, end: nil, at: 99) == [
        "200 of 1,201 planned people are there. The lift is withheld until all are."
      ])
    #expect(
      try report(100, end: 14, at: 13.99) == [
        "The lift is withheld until the end, 2026-01-15; 200 of 100 planned people are there."
      ])
    #expect(
      try report(100, end: 14.375, at: 14) == [
        "The lift is withheld until the end, 2026-01-15T09:00:00Z; 200 of 100 planned people are "
          + "there."
      ])
    #expect(try report(1_000, end: 14, at: 14) == [])
  }

  @Test("X12: arms that lose unlike shares of their logs show no lift")
  func logs() throws {
    var counts = try ComparisonFixture.clicks(100, of: 1_000, 120, of: 1_000)
    #expect(ComparisonReport(counts, at: later).checks.logs?.state == .open)
    counts.arms[0].log.add(0, of: 100)
    let open = ComparisonReport(counts, at: later).checks.logs
    #expect(open?.state == .open && open?.sentence.contains("logs of \"B\"") == true)
    counts.arms[0].log = MetricSums()
    for person in 0..<1_000 {
      counts.arms[0].log.add(person % 10 == 0 ? 1 : 0, of: 100)
      counts.arms[1].log.add(person % 10 == 1 ? 1 : 0, of: 100)
    }
    #expect(ComparisonReport(counts, at: later).checks.logs?.state == .passed)
    counts.arms[1].log.numerator += 3_000
    counts.arms[1].log.numeratorSquares += 12_000
    let reason = try #require(ComparisonReport(counts, at: later).withheld.first)
    #expect(
      reason == "The arms lost unlike shares of their logs: 0.10% of \"A\", 3.10% of \"B\". "
        + "The lift is withheld: find what drops the events of one arm.")
  }

  @Test("X12: a difference that nothing can be told of is a sentence, and so is a missing lift")
  func sentences() throws {
    let same = ComparisonReport(
      try ComparisonFixture.clicks(0, of: 100, 0, of: 100), at: later)
    #expect(
      same.metrics[0].comparisons[0].difference.reason
        == "Nobody did it, or the export left it out: there is nothing to compare.")
    #expect(same.metrics[0].rates[0].value?.value == 0)
    let none = try difference(ComparisonFixture.clicks(0, of: 100, 30, of: 100))
    #expect(
      none.relative.reason == "The control's figure is zero: there is no relative difference.")
    let other = try difference(ComparisonFixture.clicks(30, of: 100, 0, of: 100))
    #expect(
      other.relative.reason
        == "The figure of \"B\" is zero: no interval can be told of a relative difference.")
  }

  @Test(
    "X12: no difference is told where too few people could have shown one",
    arguments: [
      (18, 5_400, 0, 600), (9, 9_000, 0, 1_000), (0, 600, 4, 600), (36, 5_400, 1, 600),
      (882, 900, 98, 100),
    ])
  func rare(did: Int, people: Int, others: Int, otherPeople: Int) throws {
    let difference = try Self.difference(did, of: people, others, of: otherPeople)
    #expect(difference.reason?.hasPrefix("Too few people to compare: without ") == true)
  }

  @Test("X12: a difference is told where ten people of each arm would be expected")
  func enough() throws {
    #expect(try Self.difference(90, of: 900, 10, of: 100).value != nil)
    #expect(try Self.difference(89, of: 900, 10, of: 100).value == nil)
  }

  private static func difference(
    _ did: Int, of people: Int, _ others: Int, of otherPeople: Int
  ) throws -> Conclusion<MeasuredDifference> {
    func sums(_ did: Int, _ people: Int) -> MetricSums {
      var sums = MetricSums()
      sums.add(1, of: 1, people: did)
      sums.add(0, of: 1, people: people - did)
      return sums
    }
    let design = try ComparisonDesign(providers: ["one", "two"], control: "one")
    return ComparisonMethod(design: design)
      .difference(
        sums(others, otherPeople), in: 1, from: sums(did, people), of: design.metrics[0])
  }

  @Test("X12: Holm corrects over all metrics")
  func holm() throws {
    var fixture = try ComparisonFixture(metrics: [
      ComparisonMetric("click", .people(.click)), ComparisonMetric("read", .people(.read)),
    ])
    for person in 0..<400 as Range<UInt64> {
      fixture.expose(person, to: person.isMultiple(of: 2) ? "A" : "B")
      if person < (person.isMultiple(of: 2) ? 100 : 150) { fixture.add(.click, by: person) }
      if person < (person.isMultiple(of: 2) ? 100 : 140) { fixture.add(.read, by: person) }
    }
    let report = ComparisonReport(fixture.counts(), at: later)
    let differences = report.metrics.compactMap { $0.comparisons[0].difference.value }
    let adjusted = Holm.adjusted(differences.map(\.probability))
    #expect(differences.compactMap(\.adjustedProbability) == adjusted)
    #expect(isClose(adjusted[0], 2 * differences[0].probability))
  }

  @Test("X12: the past of people narrows the interval, and the plain difference stays beside it")
  func past() throws {
    var fixture = try ComparisonFixture(
      metrics: [ComparisonMetric("clicks", .events(.click))], lookBackDays: 7)
    for person in 0..<200 as Range<UInt64> {
      let (isTreated, habit) = (person % 2 == 1, Int(person / 2 % 10))
      fixture.expose(person, to: isTreated ? "B" : "A")
      for _ in 0..<habit { fixture.add(.click, by: person, after: -1) }
      for _ in 0..<habit + (isTreated ? 1 : 0) + Int(person / 20 % 2) {
        fixture.add(.click, by: person, after: 1)
      }
    }
    let comparison = ComparisonReport(fixture.counts(), at: later).metrics[0].comparisons[0]
    let (adjusted, plain) = (
      try #require(comparison.difference.value), try #require(comparison.unadjusted.value)
    )
    #expect(comparison.usesPast)
    #expect(isClose(adjusted.absolute.value, 1) && isClose(plain.absolute.value, 1))
    #expect(adjusted.leastVisible < plain.leastVisible / 4)
  }

  @Test("X12: strata that say the opposite of their sum are shown, and nothing is mended")
  func simpson() throws {
    var fixture = try ComparisonFixture(strata: ["tenure"])
    // Kidney stones: B is better in both strata and worse in their sum.
    let groups = [
      ("A", "small", 234, 270), ("A", "large", 55, 80), ("B", "small", 81, 87),
      ("B", "large", 192, 263),
    ]
    var person = 0 as UInt64
    for (arm, tenure, clicked, people) in groups {
      for index in 0..<people {
        fixture.expose(person, to: arm, ["tenure": .string(tenure)])
        if index < clicked { fixture.add(.click, by: person, after: 1) }
        person += 1
      }
    }
    let comparison = ComparisonReport(fixture.counts(), at: later).metrics[0].comparisons[0]
    #expect(isClose(try #require(comparison.difference.value).absolute.value, (273 - 289) / 350.0))
    #expect(comparison.reversedBy == ["tenure"])
    #expect(comparison.strata.map(\.stratum.value) == ["small", "large"])
    #expect(comparison.strata.allSatisfy { ($0.difference.value?.absolute.value ?? 0) > 0 })
  }

  @Test("X12: the exposed have a check of their own")
  func exposed() throws {
    var counts = try ComparisonFixture.clicks(100, of: 1_000, 150, of: 1_000)
    counts.arms[1].exposed = 600
    let report = ComparisonReport(counts, at: later)
    #expect(report.withheld == [] && report.metrics[0].comparisons[0].difference.value != nil)
    #expect(
      report.metrics[0].comparisons[0].exposed.reason
        == "The exposed are not split as planned (p < 0.0001). The figures of the exposed are "
        + "withheld: an arm changes who is exposed.")
  }

  @Test("X12: without any exposure the assigned decide, and the exposed have a sentence")
  func unexposed() throws {
    var counts = try ComparisonFixture.clicks(100, of: 1_000, 150, of: 1_000)
    for arm in 0..<2 { counts.arms[arm].exposed = 0 }
    let comparison = ComparisonReport(counts, at: later).metrics[0].comparisons[0]
    #expect(comparison.difference.value != nil)
    #expect(comparison.exposed.reason == "No exposure was recorded.")
  }

  @Test("X12: providers are compared without a plan, and the report says that chance split nobody")
  func providers() throws {
    let design = try ComparisonDesign(
      providers: ["A", "B"], control: "A", metrics: [ComparisonMetric("click", .people(.click))])
    var counts = ComparisonCounts(design)
    counts.arms = try ComparisonFixture.clicks(100, of: 1_000, 150, of: 2_000).arms
    for arm in 0..<2 { counts.arms[arm].events = [.delivered: 900, .click: 100] }
    let report = ComparisonReport(counts, at: later)
    #expect(report.withheld == [] && report.checks.split.state == .open)
    let arm = try #require(report.json["arms"]?.array?.first)
    #expect(arm["people"] == 1_000 && arm["plannedShare"] == nil && arm["exposed"] == nil)
    #expect(report.checks.split.sentence.hasPrefix("This comparison follows no random split"))
    counts.arms = try ComparisonFixture.clicks(1, of: 7, 150, of: 2_000).arms
    for arm in 0..<2 { counts.arms[arm].events = [.delivered: 900, .click: 100] }
    #expect(ComparisonReport(counts, at: later).checks.split.state == .early)
    #expect(
      ComparisonReport(counts, at: later).withheld == [
        "7 people received from \"A\" and from no other provider: a difference can be told from 8 "
          + "on. Export the events of more devices, and compare those."
      ])
    counts.arms[0].metrics[0] = MetricSums()
    #expect(
      ComparisonReport(counts, at: later).withheld[0].hasPrefix(
        "Nobody received from \"A\" and from no other provider: "))
    for arm in 0..<2 { counts.arms[arm].events[.delivered] = nil }
    #expect(
      ComparisonReport(counts, at: later).withheld[0].hasPrefix("No event delivered is recorded,"))
  }

  /// The events of two providers; the first one's have no impressions.
  private func unequal() throws -> ComparisonReport {
    var fixture = try ComparisonFixture()
    fixture.design = try ComparisonDesign(providers: ["one", "two", "three"], control: "two")
    for person in 0..<600 as Range<UInt64> {
      let provider: ProviderID = person < 200 ? "one" : person < 400 ? "two" : "three"
      fixture.add(.delivered, by: person, provider: provider)
      if provider == "two" { fixture.add(.impression, by: person, provider: provider) }
      if provider == "one", person < 50 { fixture.add(.click, by: person, provider: provider) }
    }
    return ComparisonReport(fixture.counts(), at: later)
  }

  @Test("X12: a step that a provider's events have not is not recorded, in table, JSON and page")
  func unrecorded() throws {
    let report = try unequal()
    let arms = try #require(report.json["arms"]?.array)
    #expect(arms.map { $0["delivered"] } == [200, 200, 200])
    #expect(arms.map { $0["seen"] } == [.null, 200, .null])
    // What records impressions records clicks.
    #expect(arms.map { $0["clicked"] } == [50, 0, .null])
    let funnel = try #require(report.tables.first { $0.title == "Funnel" }).rows
    #expect(funnel.contains(["Seen", "one", "not recorded", ""]))
    #expect(funnel.contains(["Seen", "two", "200", "100.00%"]))
    #expect(funnel.contains(["Clicked", "one", "50", "25.00%"]))
    #expect(report.html.contains(">not recorded</text>"))
  }

  @Test("X12: no figure is made of a step that is not recorded")
  func noFigure() throws {
    let report = try unequal()
    let (impression, click) = (report.metrics[0], report.metrics[1])
    #expect(impression.rates.map { $0.value != nil } == [false, true, false])
    #expect(impression.rates[0].reason == "No impression of one is recorded.")
    #expect(
      impression.comparisons.map(\.difference.reason) == [
        "No impression of one is recorded.", "No impression of three is recorded.",
      ])
    #expect(click.comparisons[0].difference.value != nil)
    #expect(click.comparisons[1].difference.reason == "No click of three is recorded.")
  }

  @Test("X12: an arm of an experiment without cards has zeros, since its application records all")
  func recordedElsewhere() throws {
    var fixture = try ComparisonFixture()
    for person in 0..<20 as Range<UInt64> {
      fixture.expose(person, to: person < 10 ? "A" : "B")
      if person < 2 { fixture.add(.impression, by: person, after: 1) }
    }
    let arms = ComparisonReport(fixture.counts(), at: later).json["arms"]?.array ?? []
    #expect(arms.map { $0["seen"] } == [2, 0] && arms.map { $0["clicked"] } == [0, 0])
    #expect(arms.map { $0["delivered"] } == [.null, .null])
  }

  @Test("X12: people of several providers are counted once, and the control is named")
  func distinctPeople() throws {
    var fixture = try ComparisonFixture()
    fixture.design = try ComparisonDesign(providers: ["one", "control"], control: "control")
    for (person, provider) in [(1, "one"), (1, "control"), (2, "one"), (2, "control")] {
      fixture.add(.delivered, by: UInt64(person), provider: ProviderID(provider))
    }
    let report = ComparisonReport(fixture.counts(), at: later)
    #expect(
      report.method
        == "2 people · compared with control · observed, no random split · 95% intervals")
    #expect(report.json["people"] == 2)
  }

  @Test("X12: times say that they are bounds, and that one is above them all")
  func times() throws {
    var fixture = try ComparisonFixture()
    for person in 0..<3 as Range<UInt64> {
      fixture.expose(person, to: "A")
      let milliseconds: Int64 = person == 0 ? 90_000 : 6
      fixture.add(
        .providerRequest, by: person, after: 1, ["milliseconds": .integer(milliseconds)])
    }
    let table = try #require(
      ComparisonReport(fixture.counts(), at: later).tables.first {
        $0.title == "Requests to providers"
      })
    #expect(table.columns.map(\.title).suffix(2) == ["Half took up to", "95% took up to"])
    #expect(table.rows[0].suffix(3) == ["30,004 ms", "10 ms", "over 60,000 ms"])
    #expect(table.rows[1].suffix(3) == ["not known", "not known", "not known"])
  }
}
