import EngagementModel
import Foundation
import Testing

@testable import EngagementAnalytics

/// What a report says of figures at their bounds.
@Suite struct ComparisonVerdictTests {
  private let later = Date(timeIntervalSince1970: 1_800_000_000)

  @Test("X12: a relative difference is no less than minus all")
  func least() throws {
    let counts = try ComparisonFixture.clicks(1, of: 1_000, 25, of: 1_000)
    let swapped = try ComparisonFixture.clicks(25, of: 1_000, 1, of: 1_000)
    for counts in [counts, swapped] {
      let report = ComparisonReport(counts, at: later)
      let difference = try #require(report.metrics[0].comparisons[0].difference.value)
      let relative = try #require(difference.relative.value)
      let interval = try #require(relative.interval.value)
      #expect(interval.lowerBound >= -1 && interval.contains(relative.value), "\(interval)")
    }
  }

  @Test("X12: strata that no event has are named")
  func unknownStrata() throws {
    for (name, isKnown) in [("appVersion", true), ("appVersoin", false)] {
      var fixture = try ComparisonFixture(strata: [name])
      for person in 0..<40 as Range<UInt64> {
        fixture.expose(person, to: person % 2 == 0 ? "A" : "B", ["appVersion": "3.2"])
      }
      let notes = ComparisonReport(fixture.counts(), at: later).sentences
      #expect(notes.contains { $0.hasSuffix("true or false: \(name).") } != isKnown, "\(notes)")
    }
  }

  @Test("X12: before the end of a fixed design no figure is told, either")
  func early() throws {
    var fixture = try ComparisonFixture(schedule: .fixed(people: 100))
    for person in 0..<60 as Range<UInt64> {
      fixture.expose(person, to: person % 2 == 0 ? "A" : "B")
      if person % 3 == 0 { fixture.add(.click, by: person, after: 1) }
    }
    let report = ComparisonReport(fixture.counts(), at: later)
    #expect(report.metrics[0].rates.allSatisfy { $0.value == nil })
    #expect(!report.html.contains("over time"))
    fixture.design = try ComparisonFixture(schedule: .fixed(people: 60)).design
    let due = ComparisonReport(fixture.counts(), at: later)
    #expect(due.metrics[0].rates.allSatisfy { $0.value != nil })
    #expect(due.html.contains("over time"))
  }

  @Test("X12: Holm counts a difference that is withheld, as the least visible difference does")
  func withheld() throws {
    let metrics = [
      ComparisonMetric("click", .people(.click)), ComparisonMetric("read", .people(.read)),
    ]
    var fixture = try ComparisonFixture(metrics: metrics, schedule: .fixed(people: 400))
    for person in 0..<400 as Range<UInt64> {
      fixture.expose(person, to: person % 2 == 0 ? "A" : "B")
      if person % (person % 2 == 0 ? 4 : 3) == 0 { fixture.add(.click, by: person, after: 1) }
      if person < 3 { fixture.add(.read, by: person, after: 1) }
    }
    let report = ComparisonReport(fixture.counts(), at: later)
    #expect(report.metrics[1].comparisons[0].difference.value == nil)
    let difference = try #require(report.metrics[0].comparisons[0].difference.value)
    let adjusted = try #require(difference.adjustedProbability)
    #expect(abs(adjusted - min(1, 2 * difference.probability)) < 1e-12)
  }

  @Test("X12: a report says of which time it is, and what of the events could not be read")
  func source() throws {
    let counts = try ComparisonFixture.clicks(100, of: 1_000, 150, of: 1_000)
    let note = "1 line or file could not be read"
    let day = Date(timeIntervalSince1970: 1_700_006_400)
    let report = ComparisonReport(
      counts, at: later, of: .init(since: day, until: later, notes: [note]))
    #expect(
      report.method.hasSuffix(" · since 2023-11-15T00:00:00.000Z · until 2027-01-15T08:00:00.000Z"))
    #expect(report.json["since"] == "2023-11-15T00:00:00.000Z")
    #expect(report.sentences.contains(note) && report.html.contains(note))
    #expect(report.json["notes"]?.array?.first == .string(note))
    #expect(ComparisonReport(counts, at: later).json["since"] == .null)
  }

  @Test("X12: the verdict is what Holm's correction decides")
  func verdict() throws {
    let cases: [(Int, MetricComparison.Verdict)] = [(150, .above), (50, .below), (100, .open)]
    for (clicks, verdict) in cases {
      let counts = try ComparisonFixture.clicks(100, of: 1_000, clicks, of: 1_000)
      let comparison = ComparisonReport(counts, at: later).metrics[0].comparisons[0]
      #expect(comparison.verdict(at: 0.05) == verdict)
    }
    let few = try ComparisonFixture.clicks(1, of: 5, 1, of: 5)
    let comparison = ComparisonReport(few, at: later).metrics[0].comparisons[0]
    #expect(comparison.verdict(at: 0.05) == nil)
  }
}
