import Testing

@testable import EngagementAnalytics

/// The expected figures are those of SciPy 1.
@Suite("distributions") struct DistributionTests {
  private func isClose(_ value: Double, _ expected: Double, _ share: Double = 1e-10) -> Bool {
    abs(value - expected) <= share * max(abs(expected), 1e-290)
  }

  @Test(
    "X12: quantiles of the normal distribution",
    arguments: [
      (1e-300, -37.0470962993612), (1e-12, -7.034483825301131), (0.001, -3.090232306167813),
      (0.025, -1.9599639845400545), (0.2, -0.8416212335729142), (0.8, 0.8416212335729143),
      (0.975, 1.959963984540054), (0.999999, 4.753424308817087),
    ])
  func normal(probability: Double, quantile: Double) {
    #expect(isClose(NormalDistribution.quantile(probability), quantile))
    #expect(isClose(NormalDistribution.probability(upTo: quantile), probability, 1e-9))
  }

  @Test("X12: the median of the normal distribution is zero")
  func median() { #expect(abs(NormalDistribution.quantile(0.5)) < 1e-15) }

  @Test(
    "X12: tails of the chi-squared distribution",
    arguments: [
      (0.016, 1, 0.8993431885613663), (11.235955056179776, 1, 0.0008022781177678721),
      (40, 1, 2.5396285894708634e-10), (207.9335, 1, 3.879072678848521e-47),
      (3, 2, 0.22313016014842982), (12.5, 7, 0.08526927515826925),
      (90, 100, 0.7531979655998298), (1500, 3, 0), (0, 1, 1), (-1, 4, 1),
    ])
  func chiSquared(value: Double, freedom: Int, probability: Double) {
    #expect(
      isClose(
        ChiSquaredDistribution.probability(beyond: value, degreesOfFreedom: freedom), probability))
  }

  @Test(
    "X12: tails of Student's distribution",
    arguments: [
      (0.5, 1, 0.7048327646991335), (2, 3.5, 0.12613852257591343), (2.2, 10, 0.05244106844935316),
      (1.96, 1000.25, 0.0502731155980502), (6, 30, 1.3942768767204764e-06),
      (40, 2, 0.0006244146721847406), (1.96, 1e7, 0.04999581802531423), (0, 5, 1),
    ])
  func student(value: Double, freedom: Double, probability: Double) {
    let distribution = StudentDistribution(degreesOfFreedom: freedom)
    // At ten million degrees of freedom the gamma functions nearly cancel.
    #expect(isClose(distribution.probability(beyond: value), probability, 1e-8))
    #expect(distribution.probability(beyond: -value) == distribution.probability(beyond: value))
  }

  @Test(
    "X12: bounds of Student's distribution",
    arguments: [
      (0.05, 1, 12.706204736174705), (0.05, 2.5, 3.5746548420036834), (0.05, 30, 2.042272456301238),
      (0.01, 1e6, 2.5758342201053344), (0.5, 4, 0.7406970841126829), (1e-06, 12, 9.084692934131269),
    ])
  func studentBounds(probability: Double, freedom: Double, bound: Double) {
    let distribution = StudentDistribution(degreesOfFreedom: freedom)
    #expect(isClose(distribution.bound(exceededWith: probability), bound, 1e-8))
  }
}
