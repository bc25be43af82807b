import EngagementTesting
import TestSupport
import Testing

/// A test case: one law for one adapter.
struct LawCase: Sendable, CustomTestStringConvertible {
  let subject: AdapterSubject
  let law: Law

  var testDescription: String { "\(subject) · \(law)" }

  /// Every law with every adapter to which it applies.
  static func all() throws -> [LawCase] {
    try Subjects.all().flatMap { subject in
      Law.all.filter { $0.applies(to: subject) }.map { LawCase(subject: subject, law: $0) }
    }
  }
}

@Suite struct LawTests {
  @Test(
    "every adapter keeps every law that applies to it", .timeLimit(.minutes(20)),
    arguments: Effort.some(of: try LawCase.all()))
  func law(_ each: LawCase) async throws {
    for breach in try await each.law.check(each.subject) { Issue.record("\(breach)") }
  }

  @Test("every law applies to the in-memory adapter", arguments: Law.all)
  func appliesToMemory(law: Law) {
    #expect(law.applies(to: .memory))
  }

  @Test(
    "each law detects an adapter that is broken on purpose", .timeLimit(.minutes(20)),
    arguments: Effort.some(of: Breakage.all))
  func brokenOnPurpose(_ breakage: Breakage) async throws {
    let law = try #require(Law.all.first { $0.id == breakage.law })
    #expect(law.applies(to: breakage.subject))
    let found = try #require(Breakage.found[breakage.law])
    #expect(try await law.check(breakage.subject).contains { $0.what == found })
  }

  @Test("each law has a broken adapter, and law ids are unique")
  func everyLawIsBroken() {
    #expect(Set(Breakage.all.map(\.law)) == Set(Law.all.map(\.id)))
    #expect(Set(Breakage.found.keys) == Set(Law.all.map(\.id)))
    #expect(Set(Law.all.map(\.id)).count == Law.all.count)
  }

  @Test("every group has laws", arguments: Law.Group.allCases)
  func groups(group: Law.Group) {
    #expect(Law.all.contains { $0.group == group })
  }
}
