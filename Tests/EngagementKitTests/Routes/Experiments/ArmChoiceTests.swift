import EngagementModel
import EngagementStore
import Foundation
import TestSupport
import Testing

@testable import EngagementKit

@Suite("choices of arms") struct ArmChoiceTests {
  private typealias Split = Engagement.Split

  private static func arms(_ weights: KeyValuePairs<String, Int>) -> [Split.Arm] {
    weights.map { Split.Arm($0, weight: $1, providers: []) }
  }

  private func standings(
    _ splits: [Engagement.Split], _ id: String?, _ known: [ArmAssignment] = []
  ) -> [String: Engagement.Split.Standing] {
    ArmChoice(splits, for: id).standings(among: known)
  }

  @Test("X11: shares follow the weights", arguments: 0..<8)
  func shares(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let weights = (0..<2 + random.below(4)).map { _ in random.below(10) } + [1 + random.below(9)]
    let split = try Split(
      "e-\(seed)",
      arms: weights.enumerated().map { .init("arm-\($0)", weight: $1, providers: []) })
    let people = 20_000
    var counts: [String: Int] = [:]
    for number in 0..<people {
      counts[standings([split], "\(seed)/\(number)")["e-\(seed)"]?.arm ?? "", default: 0] += 1
    }
    for (index, weight) in weights.enumerated() {
      let share = Double(weight) / Double(weights.reduce(0, +))
      let deviation = (share * (1 - share) * Double(people)).squareRoot()
      let count = Double(counts["arm-\(index)"] ?? 0)
      #expect(abs(count - share * Double(people)) <= 4.5 * deviation, "\(weights): \(counts)")
    }
    #expect(counts.values.reduce(0, +) == people && counts[""] == nil)
  }

  @Test("X11: a kept arm holds over other weights, shares, slots and versions", arguments: 0..<4)
  func sticky(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var known: [[ArmAssignment]] = Array(repeating: [], count: 300)
    var arms: [String?] = Array(repeating: nil, count: 300)
    for _ in 0..<6 {
      let first = random.below(9_000)
      let split = try Split(
        "e", version: random.below(3),
        arms: Self.arms(["a": random.below(5), "b": random.below(5), "c": 1]),
        layer: .init("l", slots: first..<first + 1_000 + random.below(9_000 - first + 1)),
        holdOut: .init("h", share: Double(random.below(50)) / 100))
      for person in arms.indices {
        let choice = ArmChoice([split], for: "u-\(person)")
        let arm = choice.standings(among: known[person])["e"]?.arm
        if let former = arms[person] { #expect(arm == former) }
        arms[person] = arm ?? arms[person]
        let wanted = choice.wanted(among: known[person])
        known[person].removeAll { kept in wanted.contains { $0.version == kept.version } }
        known[person] = (known[person] + wanted).sorted { $0.version > $1.version }
      }
    }
    #expect(Set(arms).isSuperset(of: ["a", "b", "c", "hold-out"]))
  }

  @Test("X11: an arm that the split lacks now, or a hold-out that ended, is drawn again")
  func drawnAgain() throws {
    let split = try Split("e", version: 2, arms: Self.arms(["a": 1, "b": 1]))
    let drawn = split.standing(of: "u-1")
    for arm in ["gone", "hold-out"] {
      let kept = ArmAssignment("e", version: 2, arm: arm, assignedAt: Date())
      #expect(standings([split], "u-1", [kept]) == ["e": drawn])
      #expect(ArmChoice([split], for: "u-1").wanted(among: [kept]).map(\.arm) == [drawn.arm])
      // Without an id nothing is drawn.
      #expect(standings([split], nil, [kept]).isEmpty)
    }
    let other = drawn == .arm("a") ? "b" : "a"
    let older = [
      ArmAssignment("e", version: 1, arm: other), ArmAssignment("e", version: 0, arm: "gone"),
    ]
    #expect(standings([split], "u-1", older) == ["e": .arm(other)])
    #expect(standings([split], nil, older) == ["e": .arm(other)])
  }

  @Test("X11: experiments of a layer share no person, also after their slots have moved")
  func layers() throws {
    func splits(_ border: Int) throws -> [Engagement.Split] {
      [
        try Split("e", arms: Self.arms(["a": 1]), layer: .init("l", slots: 0..<border)),
        try Split("f", arms: Self.arms(["a": 1]), layer: .init("l", slots: border..<10_000)),
      ]
    }
    var moved = 0
    for number in 0..<500 {
      let first = standings(try splits(5_000), "u-\(number)")
      let known = ArmChoice(try splits(5_000), for: "u-\(number)").wanted(among: [])
      let later = standings(try splits(1_000), "u-\(number)", known)
      #expect(first.values.filter { $0 == .outside }.count == 1)
      #expect(later == first)
      if standings(try splits(1_000), "u-\(number)") != first { moved += 1 }
    }
    #expect(moved > 100)
  }

  @Test("X11: names that differ in their normalization form alone are one experiment and one arm")
  func normalization() throws {
    let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
    let first = try Split(composed, arms: Self.arms([composed: 1, "b": 1]))
    let second = try Split(decomposed, arms: Self.arms([decomposed: 1, "b": 1]))
    #expect(Routes(cards: .split(first), inbox: .split(second)).splits.count == 1)
    #expect(first.hasSameDesign(as: second))
    for number in 0..<50 {
      #expect(standings([first], "u-\(number)") == standings([second], "u-\(number)"))
    }
    let twice = #expect(throws: EngagementError.self) {
      try Split("e", arms: Self.arms([composed: 1, decomposed: 1]))
    }
    #expect(twice?.code == .invalidArgument)
  }
}
