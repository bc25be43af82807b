import EngagementModel
import Testing

@testable import EngagementAnalytics

/// What a report says in words, and what its reader is to do.
@Suite struct ComparisonSentencesTests {
  private let later = Epoch2026.date(afterDays: 30)

  @Test("X12: where most people receive from all providers, a split is what helps")
  func inCommon() throws {
    var fixture = try ComparisonFixture()
    fixture.design = try ComparisonDesign(providers: ["one", "two"], control: "one")
    for person in 0..<1_200 as Range<UInt64> {
      fixture.add(.delivered, by: person, provider: "one")
      if person > 0 { fixture.add(.delivered, by: person, provider: "two") }
    }
    #expect(
      ComparisonReport(fixture.counts(), at: later).withheld == [
        "Most people received from several providers, 1,199 of 1,200, so that nothing tells the "
          + "providers apart. Let a route with \"split\" send each person to one of them: see "
          + "\"engage experiment plan\"."
      ])
  }

  @Test("X12: an end that came with fewer people than planned holds, and the report says so")
  func fewerThanPlanned() throws {
    func horizon(_ people: Int) throws -> ComparisonCheck {
      let end = Epoch2026.date(afterDays: 14)
      var counts = ComparisonCounts(
        try ComparisonFixture(schedule: .fixed(people: people, end: end)).design)
      counts.arms = try ComparisonFixture.clicks(10, of: 100, 20, of: 100).arms
      return ComparisonReport(counts, at: end).checks.horizon
    }
    #expect(
      try horizon(200).sentence
        == "The end, 2026-01-15, has come: 200 of 200 planned people are there.")
    let fewer = try horizon(2_070)
    #expect(fewer.state == .passed)
    #expect(
      fewer.sentence
        == "The end, 2026-01-15, has come: 200 of 2,070 planned people are there. The figures are "
        + "of fewer people than were planned: a difference of the planned size may not be seen.")
  }

  @Test(
    "X12: what too few, nobody or everybody did is told in plain words",
    arguments: [
      (
        4, 6,
        "Too few people to compare: without a difference 5 of the 20 people of \"B\" would do it,"
      ),
      (
        18, 16,
        "Too few people to compare: without a difference 3 of the 20 people of \"B\" would not"
      ),
      (0, 0, "Nobody did it, or the export left it out: there is nothing to compare."),
      (20, 20, "Everybody did it, so that there is nothing to compare."),
      (20, 0, "All who count in each arm have the same value: this method has no interval"),
    ])
  func noDifference(first: Int, second: Int, sentence: String) throws {
    let counts = try ComparisonFixture.clicks(first, of: 20, second, of: 20)
    let reason = ComparisonReport(counts, at: later).metrics[0].comparisons[0].difference.reason
    #expect(reason?.hasPrefix(sentence) == true, "\(reason ?? "none")")
  }

  @Test("X12: where nobody is in an arm, the plan says why")
  func nobody() throws {
    let schedule = ComparisonDesign.Schedule.fixed(
      people: 20, end: Epoch2026.date(afterDays: 14.375))
    func plan(_ change: (inout ComparisonFixture) -> Void) throws -> String {
      var fixture = try ComparisonFixture(schedule: schedule)
      change(&fixture)
      return try #require(ComparisonReport(fixture.counts(), at: later).checks.plan?.sentence)
    }
    let none = try plan { _ in }
    #expect(
      none == "Nobody is in the experiment yet: no event assigns anybody to an arm. Without "
        + "consent nobody is assigned: see \"engage consent\".")
    let after = try plan { $0.expose(1, to: "A", after: 15) }
    #expect(
      after == "All people were assigned to an arm after the end, 2026-01-15T09:00:00Z, and nobody "
        + "before: events from the end on do not count.")
    let both = try plan { fixture in
      fixture.expose(1, to: "A", after: 15)
      fixture.expose(2, to: "B", after: 14)
    }
    #expect(both == "All people were in this version of the plan.")
    let unknown = try plan { $0.expose(1, to: "C") }
    #expect(
      unknown == "Nobody is in one arm of the plan: all people are left out, as the notes say.")
  }

  @Test("X12: the arms that a plan does not have are named, and no more than five of them")
  func unknownArms() throws {
    var fixture = try ComparisonFixture()
    fixture.expose(1, to: "nwe")
    fixture.expose(2, to: "old")
    let notes = ComparisonReport(fixture.counts(), at: later).sentences
    #expect(
      notes.contains(
        "2 people in an arm that the plan does not have (\"nwe\", \"old\"): left out."),
      "\(notes)")
    for person in 3..<9 as Range<UInt64> { fixture.expose(person, to: "x\(person)") }
    let more = ComparisonReport(fixture.counts(), at: later).sentences
    #expect(
      more.contains(
        "8 people in an arm that the plan does not have (\"nwe\", \"old\", \"x3\", \"x4\", "
          + "\"x5\" and 3 more): left out."), "\(more)")
  }
}
