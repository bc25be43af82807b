import EngagementModel
import Testing

@testable import EngagementKit

/// Who is in which arm. The expected values are from a program in Python.
@Suite("draws of splits") struct SplitDrawingTests {
  private typealias Split = Engagement.Split

  private static let even = [
    Split.Arm("braze", providers: ["braze"]), Split.Arm("atomic", providers: ["atomic"]),
  ]
  private static let uneven = [
    Split.Arm("new", weight: 1, providers: ["b"]), Split.Arm("old", weight: 9, providers: ["a"]),
  ]

  @Test(
    "X11 R6.2: the published vectors",
    arguments: [
      ("u-1", "atomic", "old"), ("u-2", "atomic", "outside"), ("u-3", "atomic", "outside"),
      ("", "atomic", "new"), ("ann@example.com", "braze", "outside"),
      ("J\u{fc}rgen", "atomic", "outside"), ("Ju\u{308}rgen", "atomic", "outside"),
      ("\u{4e2d}\u{6587}", "braze", "outside"), ("\u{1f642}", "atomic", "old"),
      ("caf\u{e9} \u{2615}", "atomic", "outside"),
    ])
  func vectors(id: String, first: String, second: String) throws {
    let plain = try Split("cards-2026", arms: Self.even)
    #expect(plain.standing(of: id).name == first)
    let layered = try Split(
      "cards-2026", arms: Self.uneven, layer: .init("home", slots: 0..<5_000),
      holdOut: .init("all", share: 0.1))
    #expect(layered.standing(of: id).name == second)
  }

  @Test("X11: 20,000 people stand where another program has them, a person at a time in one place")
  func counts() throws {
    let split = try Split(
      "e",
      arms: [
        .init("a", providers: []), .init("b", weight: 2, providers: []),
        .init("none", providers: []),
      ], layer: .init("l", slots: 0..<5_000), holdOut: .init("h", share: 0.05))
    var counts: [String: Int] = [:]
    for number in 0..<20_000 { counts[split.standing(of: "u-\(number)").name, default: 0] += 1 }
    #expect(
      counts == ["outside": 9_521, "b": 4_730, "none": 2_402, "a": 2_326, "hold-out": 1_021])
  }

  @Test("X11: the order of the arms, the version and the providers decide nothing")
  func independent() throws {
    let split = try Split("e", arms: Self.uneven)
    let other = try Split(
      "e", version: 7,
      arms: Self.uneven.reversed().map { .init($0.name, weight: $0.weight, providers: []) })
    for number in 0..<500 {
      #expect(split.standing(of: "u-\(number)") == other.standing(of: "u-\(number)"))
    }
  }

  @Test("X11: experiments in separate slots of a layer share no person, and fill it together")
  func exclusive() throws {
    let first = try Split("e", arms: Self.even, layer: .init("l", slots: 0..<3_000))
    let second = try Split("f", arms: Self.even, layer: .init("l", slots: 3_000..<10_000))
    for number in 0..<2_000 {
      let id = "u-\(number)"
      #expect((first.standing(of: id) == .outside) != (second.standing(of: id) == .outside))
    }
  }

  @Test("X11 R4.2: a larger slot range only adds people, at the arms that they had")
  func monotone() throws {
    let small = try Split("e", arms: Self.even, layer: .init("l", slots: 0..<1_000))
    let large = try Split("e", arms: Self.even, layer: .init("l", slots: 0..<4_000))
    for number in 0..<2_000 where small.standing(of: "u-\(number)") != .outside {
      #expect(small.standing(of: "u-\(number)") == large.standing(of: "u-\(number)"))
    }
  }

  @Test("X11: an arm without weight is nobody's")
  func weightless() throws {
    let split = try Split(
      "e", arms: [.init("a", weight: 0, providers: []), .init("b", weight: 1, providers: [])])
    for number in 0..<200 { #expect(split.standing(of: "u-\(number)") == .arm("b")) }
  }
}

extension Engagement.Split.Standing {
  fileprivate var name: String {
    switch self {
    case .arm(let name): name
    case .heldOut: "hold-out"
    case .outside: "outside"
    }
  }
}
