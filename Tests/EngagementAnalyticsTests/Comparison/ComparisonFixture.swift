import EngagementModel
import Foundation
import TestSupport

@testable import EngagementAnalytics

/// Events of people who were split between two arms.
struct ComparisonFixture {
  static let day: Int64 = 86_400_000
  /// The first of January 2026.
  static let start: Int64 = 1_767_225_600_000

  static let halves = [
    ComparisonDesign.Arm("A", share: 0.5), ComparisonDesign.Arm("B", share: 0.5),
  ]

  var design: ComparisonDesign
  var events: [ObservedEvent] = []

  init(
    metrics: [ComparisonMetric] = [ComparisonMetric("click", .people(.click))],
    schedule: ComparisonDesign.Schedule = .fixed(people: 2), lookBackDays: Int = 0,
    strata: [String] = []
  ) throws {
    design = try ComparisonDesign(
      experiment: "banner", arms: Self.halves, control: "A", metrics: metrics, schedule: schedule,
      lookBackDays: lookBackDays, strata: strata)
  }

  /// Exposes a person to an arm.
  mutating func expose(
    _ person: UInt64, to arm: String, after days: Double = 0, version: Int64 = 1,
    _ strata: [String: JSON] = [:], kind: EngagementEvent.Kind = .experimentExposed
  ) {
    var properties: JSONObject = ["arm": .string(arm), "version": .integer(version)]
    for (name, value) in strata { properties[name] = value }
    events.append(
      ObservedEvent(
        person: person, kind: kind, time: Self.time(days), name: "banner", properties: properties))
  }

  mutating func add(
    _ kind: EngagementEvent.Kind, by person: UInt64, after days: Double = 0,
    provider: ProviderID? = nil, _ properties: JSONObject = [:]
  ) {
    events.append(
      ObservedEvent(
        person: person, kind: kind, time: Self.time(days), provider: provider,
        properties: properties))
  }

  static func time(_ days: Double) -> Int64 { start + Int64(days * Double(day)) }

  func counts() -> ComparisonCounts {
    var accumulator = ComparisonAccumulator(design)
    for event in events { accumulator.add(event) }
    return accumulator.counts()
  }

  /// Two arms with so many people each, of whom some clicked.
  static func clicks(_ a: Int, of first: Int, _ b: Int, of second: Int) throws -> ComparisonCounts {
    var counts = ComparisonCounts(try ComparisonFixture().design)
    for (arm, (clicked, people)) in [(a, first), (b, second)].enumerated() {
      counts.arms[arm].assigned = people
      counts.arms[arm].exposed = people
      for person in 0..<people {
        counts.arms[arm].metrics[0].add(person < clicked ? 1 : 0, of: 1)
        counts.arms[arm].exposedMetrics[0].add(person < clicked ? 1 : 0, of: 1)
      }
    }
    return counts
  }

  /// Random people with random events, some of them in two arms or in none.
  static func random(seed: UInt64, people: Int = 60) throws -> ComparisonFixture {
    var random = SeededGenerator(seed: seed)
    var fixture = try ComparisonFixture(
      metrics: ComparisonMetric.standard + [
        ComparisonMetric("seen", .people(.impression, among: .delivered)),
        ComparisonMetric("clicks", .events(.click, per: .impression)),
      ], lookBackDays: 3, strata: ["appVersion"])
    let kinds: [EngagementEvent.Kind] = [.delivered, .impression, .click, .submit, .custom]
    for person in 0..<UInt64(people) {
      let strata: [String: JSON] = ["appVersion": .string(random.pick(["1", "2"]))]
      if random.chance(80) {
        let kind = random.pick([EngagementEvent.Kind.experimentExposed, .experimentAssigned])
        fixture.expose(
          person, to: random.pick(["A", "B"]), after: Double(random.below(4)), strata, kind: kind)
      }
      if random.chance(30) {
        fixture.expose(person, to: random.pick(["A", "B"]), after: Double(random.below(4)), strata)
      }
      if random.chance(5) { fixture.expose(person, to: "C") }
      if random.chance(5) { fixture.expose(person, to: "A", version: 2) }
      for _ in 0..<random.below(30) {
        fixture.add(random.pick(kinds), by: person, after: Double(random.below(80)) / 8 - 3)
      }
      fixture.add(
        random.pick([.providerRequest, .providerFailed]), by: person, after: 5,
        ["milliseconds": .integer(Int64(random.below(2_000)))])
    }
    return fixture
  }
}

/// Moments of the year in which the fixtures happen.
enum Epoch2026 {
  static func date(afterDays days: Double) -> Date {
    Date(timeIntervalSince1970: Double(ComparisonFixture.time(days)) / 1_000)
  }
}
