import EngagementModel
import Foundation
import Testing

@testable import EngagementAnalytics

@Suite("designs of a comparison") struct ComparisonDesignTests {
  /// A part of a design that makes no sense, and how the refusal begins.
  struct Fault: Sendable, CustomTestStringConvertible {
    var name = "banner"
    var arms = ComparisonFixture.halves
    var control = "A"
    var metrics = ComparisonMetric.standard
    var schedule = ComparisonDesign.Schedule.fixed(people: 100)
    var significance = 0.05
    var lookBackDays = 14
    var strata: [String] = []
    let message: String
    var testDescription: String { message }
  }

  private typealias Arm = ComparisonDesign.Arm

  static let faults: [Fault] = [
    Fault(name: "", message: "An experiment has a name"),
    Fault(arms: [.init("A", share: 0.5)], message: "A comparison has 2 to 50 arms, not 1"),
    Fault(arms: [], message: "A comparison has 2 to 50 arms, not 0"),
    Fault(control: "a", message: "No arm is the control \"a\"; did you mean \"A\"?"),
    Fault(
      arms: [.init("A", share: 0.5), .init("A", share: 0.5)],
      message: "The arm \"A\" is there twice"),
    Fault(
      arms: [.init("A", share: 0.5), .init("", share: 0.5)],
      message: "Each arm has a name: give one."),
    Fault(
      arms: [.init("A", share: 0), .init("B", share: 1)],
      message: "The share of arm \"A\" lies between 0 and 1, not at 0.0"),
    Fault(
      arms: [.init("A", share: 0.5), .init("B", share: .nan)],
      message: "The share of arm \"B\" lies between 0 and 1, not at nan"),
    Fault(
      arms: [.init("A", share: 0.5), .init("B", share: 0.4)],
      message: "The shares of the arms add up to 90.00%: make them 100%."),
    Fault(metrics: [], message: "A comparison has 1 to 50 metrics, not 0: name one"),
    Fault(
      metrics: [ComparisonMetric("x", .people(.click)), ComparisonMetric("x", .people(.read))],
      message: "The metric \"x\" is there twice"),
    Fault(
      metrics: [ComparisonMetric("x", .events(.click, per: .click))],
      message: "The metric \"x\" counts one kind of event and divides by another"),
    Fault(schedule: .fixed(people: 1), message: "A fixed design has 2 people or more"),
    Fault(
      schedule: .fixed(people: 9, end: .init(timeIntervalSince1970: .infinity)),
      message: "The end of a fixed design is a day"),
    Fault(schedule: .anytime(expectedPeople: 0), message: "An anytime-valid design expects 2"),
    Fault(schedule: .unplanned, message: "An experiment is planned: choose fixed or anytime."),
    Fault(significance: 0, message: "The significance lies between 0.0001% and 50%, not at 0.0%"),
    Fault(lookBackDays: 400, message: "The past of a person is 0 to 366 days, not 400"),
    Fault(strata: ["a", "a"], message: "Strata have up to 8 different names"),
  ]

  @Test("X12: a design that makes no sense is refused with the next step", arguments: faults)
  func faulty(fault: Fault) {
    let error = #expect(throws: EngagementError.self) {
      try ComparisonDesign(
        experiment: fault.name, arms: fault.arms, control: fault.control, metrics: fault.metrics,
        schedule: fault.schedule, significance: fault.significance,
        lookBackDays: fault.lookBackDays, strata: fault.strata)
    }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.hasPrefix(fault.message) == true, "\(String(describing: error))")
  }

  @Test("X12: a comparison of providers needs two of them and a control that is one")
  func providers() throws {
    #expect(throws: EngagementError.self) {
      try ComparisonDesign(providers: ["braze"], control: "braze")
    }
    #expect(throws: EngagementError.self) {
      try ComparisonDesign(providers: ["braze", "vibes"], control: "atomic")
    }
    let design = try ComparisonDesign(providers: ["braze", "vibes"], control: "vibes")
    #expect(design.control == 1 && design.treatments == [0] && !design.isExperiment)
  }

  @Test("X12: three arms with shares of a third are a whole")
  func thirds() throws {
    let arms = ["A", "B", "C"].map { ComparisonDesign.Arm($0, share: 1.0 / 3) }
    let design = try ComparisonDesign(
      experiment: "x", arms: arms, control: "B", schedule: .anytime(expectedPeople: 100))
    #expect(design.treatments == [0, 2])
  }
}
