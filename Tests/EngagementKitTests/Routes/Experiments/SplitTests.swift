import EngagementModel
import Testing

@testable import EngagementKit

@Suite("splits") struct SplitTests {
  typealias Arm = Engagement.Split.Arm

  struct Fault: Sendable, CustomTestStringConvertible {
    var message: String
    var split: @Sendable () throws -> Void
    var testDescription: String { message }

    init(_ message: String, _ split: @escaping @Sendable () throws -> Void) {
      self.message = message
      self.split = split
    }

    init(
      _ message: String, _ arms: [Arm] = [Arm("a", providers: [])], _ experiment: String = "e",
      version: Int = 1, layer: Engagement.Split.Layer? = nil,
      holdOut: Engagement.Split.HoldOut? = nil
    ) {
      self.init(message) {
        _ = try Engagement.Split(
          experiment, version: version, arms: arms, layer: layer, holdOut: holdOut)
      }
    }
  }

  static let faults: [Fault] = [
    Fault("arms.a.weight is -1; weights are zero or more.", [Arm("a", weight: -1, providers: [])]),
    Fault(
      "arms have weights that sum to nothing; give one of them more than zero.",
      [Arm("a", weight: 0, providers: []), Arm("b", weight: 0, providers: [])]),
    Fault(
      "arms.a.weight is 1000001; the most is 1000000.",
      [Arm("a", weight: 1_000_001, providers: [])]),
    Fault("arms is empty; name at least one.", []),
    Fault(
      "arms has \"a\" twice; name them apart.", [Arm("a", providers: []), Arm("a", providers: [])]),
    Fault(
      "arms has 51 arms; the most is 50.", (0..<51).map { Arm("arm \($0)", providers: []) }),
    Fault("arms[0].name is empty.", [Arm("", providers: [])]),
    Fault("arms[1].name has a NUL.", [Arm("a", providers: []), Arm("b\0", providers: [])]),
    Fault(
      "arms has \"hold-out\", which is the name of the people held out; rename it.",
      [Arm("hold-out", providers: [])]),
    Fault("experiment is empty.", [], ""),
    Fault("experiment has a NUL.", [], "a\0b"),
    Fault("experiment is longer than 200 bytes.", [], String(repeating: "é", count: 101)),
    Fault("version is -1; it is zero or more.", version: -1),
    Fault("holdOut.share is 1.2; it is from 0 to less than 1.", holdOut: .init("all", share: 1.2)),
    Fault("holdOut.share is 1.0; it is from 0 to less than 1.", holdOut: .init("all", share: 1)),
    Fault("holdOut.share is nan; it is from 0 to less than 1.", holdOut: .init("all", share: .nan)),
    Fault(
      "holdOut.share is -0.1; it is from 0 to less than 1.", holdOut: .init("all", share: -0.1)),
    Fault("holdOut.name is empty.", holdOut: .init("", share: 0.1)),
    Fault(
      "layer.slots is 4000 to 12000; slots are from 0 to 10000, and there is at least one.",
      layer: .init("home", slots: 4_000..<12_000)),
    Fault(
      "layer.slots is 5 to 5; slots are from 0 to 10000, and there is at least one.",
      layer: .init("home", slots: 5..<5)),
    Fault(
      "layer.slots is -1 to 5; slots are from 0 to 10000, and there is at least one.",
      layer: .init("home", slots: -1..<5)),
    Fault("layer.name is empty.", layer: .init("", slots: 0..<5)),
    Fault("failures is 0; it is 1 or more.") {
      _ = try Engagement.FailOver(failures: 0)
    },
    Fault("within is 0; it is above zero.") {
      _ = try Engagement.FailOver(within: .zero)
    },
    Fault("coolDown is -0.5 s; it is zero or more.") {
      _ = try Engagement.FailOver(coolDown: .milliseconds(-500))
    },
    Fault("return.afterRest is -1 s; it is zero or more.") {
      _ = try Engagement.FailOver(returning: .afterRest(.seconds(-1)))
    },
    Fault("every is 5 s; a shadow reads at most once a minute.") {
      _ = try Engagement.Shadow(["a"], every: .seconds(5))
    },
  ]

  @Test("X11: weights, layers and hold-outs are checked where they are made", arguments: faults)
  func refused(fault: Fault) {
    let error = #expect(throws: EngagementError.self) { try fault.split() }
    #expect(error == EngagementError(.invalidArgument, fault.message))
  }

  @Test("X11: the limits themselves are allowed")
  func limits() throws {
    let arms = (0..<48).map { Arm("arm \($0)", providers: []) }
    let split = try Engagement.Split(
      String(repeating: "é", count: 100), version: 0,
      arms: arms + [Arm("é", weight: 0, providers: []), Arm("e", providers: [])],
      layer: .init("l", slots: 0..<10_000), holdOut: .init("h", share: 0))
    #expect(split.arms.count == 50)
    #expect(Engagement.FailOver.standard == (try Engagement.FailOver()))
  }
}
