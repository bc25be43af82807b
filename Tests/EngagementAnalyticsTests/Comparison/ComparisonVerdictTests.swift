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
      #expect(notes.contains { $0.hasSuffix("in its data: \(name).") } != isKnown, "\(notes)")
    }
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
