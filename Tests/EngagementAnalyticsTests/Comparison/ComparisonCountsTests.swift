import EngagementModel
import TestSupport
import Testing

@testable import EngagementAnalytics

@Suite("counts of a comparison") struct ComparisonCountsTests {
  @Test("X12: the funnel counts the people of each step, and a click without an impression")
  func funnel() throws {
    var fixture = try ComparisonFixture()
    let deeds: [[EngagementEvent.Kind]] = [
      [.delivered, .impression, .click, .click], [.delivered, .impression], [.delivered, .click],
      [.impression, .click], [],
    ]
    for (person, kinds) in deeds.enumerated() {
      fixture.expose(UInt64(person), to: "A")
      for kind in kinds { fixture.add(kind, by: UInt64(person), after: 1) }
    }
    let arm = fixture.counts().arms[0]
    #expect(arm.assigned == 5 && arm.exposed == 5)
    #expect(arm.delivered == 3 && arm.seen == 3 && arm.clicked == 3)
    #expect(arm.events == [.delivered: 3, .impression: 3, .click: 4])
    #expect(arm.metrics[0].numerator == 3 && arm.metrics[0].people == 5)
  }

  @Test("X12: what a person did before the assignment is the past, and counts no further back")
  func periods() throws {
    var fixture = try ComparisonFixture(
      metrics: [ComparisonMetric("clicks", .events(.click))], lookBackDays: 7)
    fixture.expose(1, to: "B", after: 10, kind: .experimentAssigned)
    fixture.expose(1, to: "B", after: 12)
    for (days, times) in [(2.9, 1), (3, 2), (9.9, 4), (10, 8), (11.9, 16), (12, 32)] {
      for _ in 0..<times { fixture.add(.click, by: 1, after: days) }
    }
    let arm = fixture.counts().arms[1]
    #expect(arm.metrics[0].numerator == 8 + 16 + 32)
    #expect(arm.metrics[0].past == 2 + 4 && arm.metrics[0].pastProducts == 6 * 56)
    #expect(arm.exposedMetrics[0].numerator == 32 && arm.exposedMetrics[0].past == 6)
  }

  @Test(
    "X12: a person in two arms, in an unknown one or in another version is left out, and counted")
  func leftOut() throws {
    var fixture = try ComparisonFixture()
    fixture.expose(1, to: "A")
    fixture.expose(1, to: "B", after: 1)
    fixture.expose(2, to: "C")
    fixture.expose(3, to: "A", version: 2)
    fixture.expose(4, to: "A")
    fixture.expose(4, to: "A", after: 2)
    for person in 1...4 as ClosedRange<UInt64> { fixture.add(.click, by: person, after: 3) }
    let counts = fixture.counts()
    #expect(counts.peopleInSeveralArms == 1 && counts.peopleInUnknownArms == 1)
    #expect(counts.peopleInOtherVersions == 1)
    #expect(counts.arms[0].assigned == 1 && counts.arms[1].assigned == 0)
    #expect(counts.arms[0].events == [.click: 1])
  }

  @Test("X12: a version that is no whole number is another one, and none is the first")
  func oddVersions() throws {
    var fixture = try ComparisonFixture()
    fixture.expose(1, to: "A", ["version": "1"])
    fixture.expose(2, to: "A", ["version": 1.5])
    fixture.expose(3, to: "A")
    fixture.add(.experimentExposed, by: 4)
    let counts = fixture.counts()
    #expect(counts.peopleInOtherVersions == 2 && counts.arms[0].assigned == 1)
    #expect(ComparisonAccumulator.version(in: [:]) == 1)
  }

  @Test("X12: only the events of a person who was assigned count, and none from the end on")
  func horizon() throws {
    let end = Epoch2026.date(afterDays: 5)
    var fixture = try ComparisonFixture(schedule: .fixed(people: 2, end: end))
    fixture.expose(1, to: "A")
    fixture.add(.click, by: 1, after: 5)
    fixture.expose(2, to: "A", after: 5)
    fixture.add(.click, by: 3, after: 1)
    let arm = fixture.counts().arms[0]
    #expect(arm.assigned == 1 && arm.metrics[0].numerator == 0 && arm.events == [:])
  }

  @Test("X12: requests count from the assignment on, with what they took")
  func requests() throws {
    var fixture = try ComparisonFixture()
    fixture.expose(1, to: "B", after: 1)
    fixture.add(.providerRequest, by: 1, after: 0.5)
    for milliseconds in [5, 10, 11, 90_000] as [Int64] {
      fixture.add(.providerRequest, by: 1, after: 2, ["milliseconds": .integer(milliseconds)])
    }
    fixture.add(.providerFailed, by: 1, after: 2, ["milliseconds": "soon"])
    let requests = fixture.counts().arms[1].requests
    #expect(requests.requests == 5 && requests.failures == 1 && requests.timed == 4)
    // 22,506.5 is no whole number.
    #expect(requests.milliseconds == 90_026 && requests.meanMilliseconds == 22_507)
    #expect(RequestCounts().meanMilliseconds == nil)
    #expect(requests.bound(keptBy: 0.5) == 10 && requests.bound(keptBy: 0.75) == 20)
    #expect(requests.bound(keptBy: 0.95) == nil && RequestCounts().bound(keptBy: 0.5) == nil)
  }

  @Test("X12: providers are compared by their own events, and people of both by none")
  func providers() throws {
    var fixture = try ComparisonFixture()
    fixture.design = try ComparisonDesign(providers: ["one", "two"], control: "one")
    for person in 1...4 as ClosedRange<UInt64> {
      fixture.add(.delivered, by: person, provider: person < 3 ? "one" : "two")
      fixture.add(.impression, by: person, after: 1, provider: person < 3 ? "one" : "two")
    }
    fixture.add(.delivered, by: 4, after: 2, provider: "one")
    fixture.add(.click, by: 1, after: 2, provider: "three")
    fixture.add(.providerFailed, by: 9, provider: "two")
    fixture.expose(1, to: "two")
    let counts = fixture.counts()
    #expect(counts.arms.map(\.assigned) == [3, 2] && counts.arms.map(\.seen) == [2, 2])
    #expect(counts.arms.map(\.metrics[0].people) == [2, 1])
    #expect(counts.peopleInSeveralArms == 1 && counts.arms[1].requests.failures == 1)
    #expect(counts.people == 4)
    #expect(counts.arms.map(\.clicked) == [0, 0])
  }

  @Test("X12: an opt-out counts for each provider from which the person had received before it")
  func optOut() throws {
    var fixture = try ComparisonFixture()
    fixture.design = try ComparisonDesign(
      providers: ["one", "two"], control: "one",
      metrics: [
        ComparisonMetric("opt-out", .people(.optOut)),
        ComparisonMetric("opt-outs", .events(.optOut)),
      ])
    for person in 1...4 as ClosedRange<UInt64> {
      fixture.add(.delivered, by: person, after: 2, provider: "one")
    }
    fixture.add(.delivered, by: 5, after: 2, provider: "two")
    fixture.add(.optOut, by: 1, after: 3)
    fixture.add(.optOut, by: 2, after: 1)
    fixture.add(.optOut, by: 3, after: 2)
    // In both providers' funnels, and from the second one only afterwards.
    fixture.add(.optOut, by: 4, after: 3)
    fixture.add(.delivered, by: 4, after: 4, provider: "two")
    fixture.add(.optOut, by: 5, after: 2.5, provider: "one")
    fixture.add(.optOut, by: 6, after: 3)
    let counts = fixture.counts()
    #expect(counts.arms.map { $0.events[.optOut] } == [4, nil])
    #expect(counts.arms.map(\.assigned) == [5, 2] && counts.peopleInSeveralArms == 2)
    #expect(counts.arms.map(\.metrics[0].numerator) == [2, 0])
    #expect(counts.arms.map(\.metrics[1].numerator) == [2, 0])
    let days = counts.arms[0].days.mapValues { $0.numerators }
    let first = Int(ComparisonFixture.time(0) / ComparisonFixture.day)
    #expect(days == [first + 2: [1, 1], first + 3: [1, 1]])
  }

  @Test("X12: strata are those of the first assignment")
  func strata() throws {
    var fixture = try ComparisonFixture(strata: ["appVersion", "tenure"])
    fixture.expose(1, to: "A", after: 1, ["appVersion": "2", "tenure": 3])
    fixture.expose(1, to: "A", after: 0, ["appVersion": "1", "tenure": 2])
    fixture.expose(2, to: "A", after: 0, ["appVersion": true])
    fixture.add(.click, by: 1, after: 2)
    let strata = fixture.counts().arms[0].strata.mapValues { [$0[0].people, $0[0].numerator] }
    #expect(
      strata == [
        .init("appVersion", "1"): [1, 1], .init("tenure", "2"): [1, 1],
        .init("appVersion", "true"): [1, 0], .init("tenure", "unknown"): [1, 0],
      ])
  }

  @Test("X12: values of strata are told apart by their bytes, and stand in one order")
  func strataByBytes() throws {
    var fixture = try ComparisonFixture(strata: ["appVersion"])
    for (person, version) in ["\u{e9}", "e\u{301}", "\u{212b}", "\u{c5}"].enumerated() {
      fixture.expose(
        UInt64(person), to: person.isMultiple(of: 2) ? "A" : "B", ["appVersion": .string(version)])
    }
    let counts = fixture.counts()
    #expect(counts.arms.map(\.strata.count) == [2, 2])
    let report = ComparisonReport(counts, at: Epoch2026.date(afterDays: 9))
    let values = report.metrics[0].comparisons[0].strata.map { Array($0.stratum.value.utf8) }
    #expect(values == [[0x65, 0xcc, 0x81], [0xc3, 0x85], [0xc3, 0xa9], [0xe2, 0x84, 0xab]])
  }

  @Test("X12: the order of events changes no count", arguments: 0..<6 as Range<UInt64>)
  func order(seed: UInt64) throws {
    var fixture = try ComparisonFixture.random(seed: seed)
    let counts = fixture.counts()
    #expect(counts.arms.allSatisfy { $0.assigned > 5 } && counts.peopleInSeveralArms > 0)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<3 {
      fixture.events.shuffle(using: &random)
      #expect(fixture.counts() == counts)
    }
  }

  @Test("X12: two accumulators merged are one", arguments: 0..<6 as Range<UInt64>)
  func merging(seed: UInt64) throws {
    let fixture = try ComparisonFixture.random(seed: seed)
    var parts = Array(repeating: ComparisonAccumulator(fixture.design), count: 3)
    var random = SeededGenerator(seed: seed)
    for event in fixture.events { parts[random.below(3)].add(event) }
    parts[1].addLog(of: 3, written: 10, lost: 1)
    parts[2].addLog(of: 3, written: 5, lost: 2)
    parts[0].merge(parts[1])
    _ = parts[0].counts()
    parts[0].merge(parts[2])
    var whole = ComparisonAccumulator(fixture.design)
    for event in fixture.events { whole.add(event) }
    whole.addLog(of: 3, written: 15, lost: 3)
    #expect(parts[0].counts() == whole.counts())
  }

  @Test("X12: counts of different people add up", arguments: 0..<6 as Range<UInt64>)
  func adding(seed: UInt64) throws {
    let fixture = try ComparisonFixture.random(seed: seed)
    var parts = Array(repeating: ComparisonAccumulator(fixture.design), count: 2)
    for event in fixture.events { parts[Int(event.person % 2)].add(event) }
    var sum = parts[0].counts()
    sum.add(parts[1].counts())
    #expect(sum == fixture.counts())
  }

  @Test("X12: providers that are known only afterwards have the same counts, read once")
  func providersAfterwards() throws {
    var fixture = try ComparisonFixture()
    fixture.design = try ComparisonDesign(providers: ["two", "one"], control: "one")
    var random = SeededGenerator(seed: 3)
    let providers: [ProviderID?] = ["one", "two", "three", nil]
    let kinds: [EngagementEvent.Kind] = [
      .delivered, .impression, .click, .optOut, .custom, .providerRequest, .providerFailed,
    ]
    for _ in 0..<600 {
      fixture.add(
        random.pick(kinds), by: UInt64(random.below(200)), after: Double(random.below(9)),
        provider: random.pick(providers), ["milliseconds": .integer(Int64(random.below(900)))])
    }
    fixture.add(.providerRequest, by: 1, provider: "four")
    var accumulator = ProviderAccumulator()
    for event in fixture.events { accumulator.add(event) }
    #expect(accumulator.senders == ["one", "two", "three"])
    let counts = accumulator.takeCounts(by: fixture.design)
    #expect(counts == fixture.counts() && counts.peopleInSeveralArms > 0)
    #expect(counts.arms.allSatisfy { $0.requests.failures > 0 && $0.events[.optOut] != nil })
    #expect(MemoryLayout<ComparisonRow>.stride == 24)
  }

  @Test("X12: what the days add up to is what the metrics count", arguments: 0..<6 as Range<UInt64>)
  func days(seed: UInt64) throws {
    for arm in try ComparisonFixture.random(seed: seed).counts().arms {
      #expect(arm.days.values.reduce(0) { $0 + $1.people } == arm.assigned)
      for (index, sums) in arm.metrics.enumerated() {
        #expect(arm.days.values.reduce(0) { $0 + $1.numerators[index] } == sums.numerator)
        #expect(arm.days.values.reduce(0) { $0 + $1.denominators[index] } == sums.denominator)
        let strata = arm.strata.values.reduce(0) { $0 + $1[index].numerator }
        #expect(strata == sums.numerator)
      }
    }
  }

  @Test("X12: times and numbers that make no sense trap nowhere")
  func extremes() throws {
    var fixture = try ComparisonFixture(
      metrics: [ComparisonMetric("clicks", .events(.click))], lookBackDays: 366)
    for (person, time) in [Int64.min, -1, 0, Int64.max - 1].enumerated() {
      fixture.expose(UInt64(person), to: "A")
      fixture.events[fixture.events.count - 1].time = time
      fixture.add(.click, by: UInt64(person))
      fixture.events[fixture.events.count - 1].time = time
    }
    var accumulator = ComparisonAccumulator(fixture.design)
    for event in fixture.events { accumulator.add(event) }
    accumulator.addLog(of: 1, written: .max, lost: .min)
    let counts = accumulator.counts()
    #expect(counts.arms[0].assigned == 4 && counts.arms[0].log.denominator == 1_000_000)
    _ = ComparisonReport(counts, at: Epoch2026.date(afterDays: 9))
  }

  @Test("X12: counts that no events give are refused")
  func validation() throws {
    let good = try ComparisonFixture.random(seed: 1).counts()
    try good.validate()
    let faults: [(inout ComparisonCounts) -> Void] = [
      { $0.arms.removeLast() }, { $0.arms[0].metrics.removeLast() }, { $0.arms[1].seen = -1 },
      { $0.arms[0].metrics[0].numeratorSquares = .max }, { $0.peopleInUnknownArms = .min },
      { $0.arms[1].exposedMetrics = [] }, { $0.arms[0].requests.buckets = [] },
      { $0.arms[0].days[3] = ArmCounts.Day(metrics: 1) }, { $0.arms[0].events[.click] = -3 },
      { $0.arms[0].strata[.init("a", "b")] = [] }, { $0.arms[1].log.products = -1 },
    ]
    for (index, change) in faults.enumerated() {
      var counts = good
      change(&counts)
      #expect(throws: EngagementError.self, "\(index)") { try counts.validate() }
    }
  }

  @Test("X12: sums that contradict each other give sentences, and trap nowhere")
  func contradictions() throws {
    let design = try ComparisonFixture().design
    var random = SeededGenerator(seed: 2)
    for _ in 0..<50 {
      var counts = ComparisonCounts(design)
      for arm in 0..<2 {
        func number() -> Int { random.pick([0, 1, 9, 1_000, Int.max / 128]) }
        counts.arms[arm].assigned = number()
        counts.arms[arm].exposed = number()
        counts.arms[arm].metrics[0].people = number()
        counts.arms[arm].metrics[0].numerator = number()
        counts.arms[arm].metrics[0].numeratorSquares = number()
        counts.arms[arm].metrics[0].denominator = number()
        counts.arms[arm].metrics[0].products = number()
        counts.arms[arm].log = counts.arms[arm].metrics[0]
      }
      try counts.validate()
      let report = ComparisonReport(counts, at: Epoch2026.date(afterDays: 9))
      #expect(!report.html.contains("nan") && !report.text.contains("nan"))
    }
  }
}
