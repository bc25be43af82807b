import EngagementModel
import Testing

@testable import EngagementAnalytics

/// What a comparison does not tell, since too few people count or since it would mean nothing.
@Suite struct ComparisonGuardTests {
  private let later = Epoch2026.date(afterDays: 400)

  private static let clickers = ComparisonMetric(
    "clickers", .people(.click, among: .impression))

  /// Arms of 300 people, of whom some saw something and clicked.
  private static func counts(
    _ metric: ComparisonMetric, clicked: (Int, Int), seen: (Int, Int)
  ) throws -> ComparisonCounts {
    var counts = ComparisonCounts(try ComparisonFixture(metrics: [metric]).design)
    for (arm, (clicked, seen)) in [(clicked.0, seen.0), (clicked.1, seen.1)].enumerated() {
      counts.arms[arm].assigned = 300
      counts.arms[arm].exposed = 300
      counts.arms[arm].metrics[0].add(1, of: 1, people: clicked)
      counts.arms[arm].metrics[0].add(0, of: 1, people: seen - clicked)
      counts.arms[arm].metrics[0].add(0, of: 0, people: 300 - seen)
    }
    return counts
  }

  @Test(
    "X12: a metric with a divisor is not compared where few people have it",
    arguments: [((3, 3), (3, 6)), ((2, 60), (2, 100)), ((3, 50), (3, 200)), ((9, 12), (15, 15))])
  func fewViewers(clicked: (Int, Int), seen: (Int, Int)) throws {
    for metric in [Self.clickers, ComparisonMetric("ctr", .events(.click, per: .impression))] {
      let report = ComparisonReport(
        try Self.counts(metric, clicked: clicked, seen: seen), at: later)
      let reason = report.metrics[0].comparisons[0].difference.reason
      #expect(reason?.hasPrefix("Too few people to compare: ") == true, "\(reason ?? "none")")
    }
  }

  @Test("X12: a metric with a divisor is compared where enough people have it")
  func enoughViewers() throws {
    for metric in [Self.clickers, ComparisonMetric("ctr", .events(.click, per: .impression))] {
      let report = ComparisonReport(
        try Self.counts(metric, clicked: (20, 40), seen: (100, 100)), at: later)
      #expect(report.metrics[0].comparisons[0].difference.value != nil, "\(report.sentences)")
    }
  }

  @Test("X12: few people with many events are few")
  func heavyUsers() throws {
    var counts = ComparisonCounts(
      try ComparisonFixture(metrics: [ComparisonMetric("clicks", .events(.click))]).design)
    for arm in 0..<2 {
      counts.arms[arm].assigned = 300
      counts.arms[arm].exposed = 300
      counts.arms[arm].metrics[0].add(1_000, of: 1, people: 1 + arm)
      counts.arms[arm].metrics[0].add(1, of: 1, people: 20)
      counts.arms[arm].metrics[0].add(0, of: 1, people: 279 - arm)
    }
    let reason = ComparisonReport(counts, at: later).metrics[0].comparisons[0].difference.reason
    #expect(reason?.hasPrefix("Too few people to compare: ") == true, "\(reason ?? "none")")
  }

  @Test("X12: a figure of people who all did the same has no interval, whatever the rounding")
  func proportional() throws {
    let report = ComparisonReport(
      try Self.counts(Self.clickers, clicked: (3, 40), seen: (3, 100)), at: later)
    let rate = try #require(report.metrics[0].rates[0].value)
    #expect(rate.value == 1 && rate.interval.value == nil)
  }

  @Test("X12: two shares differ by no more than one, whatever the design")
  func bounds() throws {
    var counts = ComparisonCounts(
      try ComparisonFixture(schedule: .anytime(expectedPeople: 100_000)).design)
    for (arm, did) in [(0, 38), (1, 2)] {
      counts.arms[arm].assigned = 40
      counts.arms[arm].exposed = 40
      counts.arms[arm].metrics[0].add(1, of: 1, people: did)
      counts.arms[arm].metrics[0].add(0, of: 1, people: 40 - did)
    }
    let report = ComparisonReport(counts, at: later)
    let difference = try #require(report.metrics[0].comparisons[0].difference.value)
    let interval = try #require(difference.absolute.interval.value)
    #expect(interval.lowerBound == -1, "\(interval)")
  }

  @Test(
    "X12: a metric of a kind that has a table of its own is refused",
    arguments: [
      (EngagementEvent.Kind.experimentExposed, "People"), (.experimentAssigned, "People"),
      (.providerRequest, "Requests to providers"), (.providerFailed, "Requests to providers"),
    ])
  func countedKinds(kind: EngagementEvent.Kind, table: String) throws {
    for metric in [
      ComparisonMetric("m", .people(kind)), ComparisonMetric("m", .events(.click, per: kind)),
    ] {
      let error = #expect(throws: EngagementError.self) {
        try ComparisonFixture(metrics: [metric])
      }
      #expect(error?.message.contains("which the table \"\(table)\" counts") == true)
    }
  }

  @Test(
    "X12: a reversal is told only where all strata are known and say the opposite",
    arguments: [
      ([(81, 87, 234, 270), (192, 263, 55, 80)], true),
      ([(20, 100, 10, 100), (10, 100, 60, 200)], false),
      ([(20, 100, 10, 100), (0, 5, 60, 100)], false),
    ])
  func reversals(strata: [(Int, Int, Int, Int)], isReversed: Bool) throws {
    var counts = ComparisonCounts(try ComparisonFixture(strata: ["size"]).design)
    for (index, (b, ofB, a, ofA)) in strata.enumerated() {
      for (arm, did, people) in [(0, a, ofA), (1, b, ofB)] {
        var sums = MetricSums()
        sums.add(1, of: 1, people: did)
        sums.add(0, of: 1, people: people - did)
        counts.arms[arm].assigned += people
        counts.arms[arm].exposed += people
        counts.arms[arm].metrics[0].add(1, of: 1, people: did)
        counts.arms[arm].metrics[0].add(0, of: 1, people: people - did)
        counts.arms[arm].strata[.init("size", "\(index)")] = [sums]
      }
    }
    let report = ComparisonReport(counts, at: later)
    #expect((report.metrics[0].comparisons[0].reversedBy == ["size"]) == isReversed)
    #expect(report.sentences.contains { $0.contains("Simpson's paradox") } == isReversed)
  }

  @Test("X12: a past that is the same for everybody explains nothing")
  func constantPast() throws {
    var counts = ComparisonCounts(try ComparisonFixture(lookBackDays: 14).design)
    for (arm, did) in [(0, 60), (1, 90)] {
      counts.arms[arm].assigned = 300
      counts.arms[arm].exposed = 300
      counts.arms[arm].metrics[0].add(1, of: 1, past: 1, people: did)
      counts.arms[arm].metrics[0].add(0, of: 1, past: 1, people: 300 - did)
    }
    let report = ComparisonReport(counts, at: later)
    #expect(!report.metrics[0].comparisons[0].usesPast)
    #expect(!report.sentences.contains { $0.contains("CUPED") }, "\(report.sentences)")
  }

  @Test("X12: a report that withholds all says why once, and not in each row")
  func fewWords() throws {
    var fixture = try ComparisonFixture()
    let providers: [ProviderID] = ["one", "two", "three"]
    fixture.design = try ComparisonDesign(providers: providers, control: "one")
    for provider in providers { fixture.add(.impression, by: 1, provider: provider) }
    for person in 2...3 as ClosedRange<UInt64> {
      fixture.add(.impression, by: person, provider: "two")
    }
    let report = ComparisonReport(fixture.counts(), at: later)
    #expect(report.withheld.count == 1)
    #expect(!report.tables.contains { $0.title.hasPrefix("Differences") })
    let figures = try #require(report.tables.first { $0.title == "Figures" }).rows
    #expect(figures[0] == ["impression", "two", "100.00%", "none", "2"])
    #expect(figures.count == ComparisonMetric.standard.count)
    #expect(
      report.sentences.suffix(2) == [
        "No figures, since nobody received from it alone: one, three.",
        "A figure has no interval where all people of a provider did the same.",
      ])
  }

  @Test("X12: names of providers keep their letters in headings")
  func headings() throws {
    var fixture = try ComparisonFixture()
    fixture.design = try ComparisonDesign(providers: ["Braze", "braze"], control: "braze")
    for person in 0..<40 as Range<UInt64> {
      fixture.add(.delivered, by: person, provider: person < 20 ? "Braze" : "braze")
    }
    let text = ComparisonReport(fixture.counts(), at: later).text
    #expect(text.contains("KIND       Braze  braze"), "\(text)")
  }

  @Test("X12: what was delivered before the time is told to be among the events")
  func deliveredBefore() throws {
    var fixture = try ComparisonFixture()
    fixture.design = try ComparisonDesign(providers: ["a", "b"], control: "a")
    for person in 0..<40 as Range<UInt64> {
      fixture.add(.delivered, by: person, provider: person < 20 ? "a" : "b")
    }
    for (since, isTold) in [(Epoch2026.date(afterDays: 0), true), (nil, false)] {
      let report = ComparisonReport(fixture.counts(), at: later, of: .init(since: since))
      let sentence = "What was delivered before this time counts, too"
      #expect(report.sentences.contains { $0.hasPrefix(sentence) } == isTold)
    }
  }
}
