public import EngagementModel

/// How far a treatment's mean is from that of a control.
public struct Difference: Hashable, Sendable {
  /// The treatment's mean less the control's.
  public let absolute: Estimate
  /// The same as a share of the control's mean; nil if that is zero, or if all values of the treatment
  /// are.
  public let relative: Estimate?
  /// Whether the control's mean is zero.
  let isFromZero: Bool

  /// Throws `invalidArgument` for arms that nothing can be concluded from: fewer than two people,
  /// or values that are all the same.
  public init(of treatment: Sample, from control: Sample) throws(EngagementError) {
    try treatment.requireUsable("treatment")
    try control.requireUsable("control")
    let (t, c) = (treatment.varianceOfMean, control.varianceOfMean)
    guard t + c > 0 else {
      throw EngagementError(
        .invalidArgument,
        "All who count in each arm have the same value: this method has no interval for that.")
    }
    // Welch and Satterthwaite.
    let freedom =
      (t + c) * (t + c)
      / (t * t / Double(treatment.count - 1) + c * c / Double(control.count - 1))
    let count = treatment.count + control.count
    let difference = Estimate(
      value: treatment.mean - control.mean, standardError: (t + c).squareRoot(),
      degreesOfFreedom: freedom, count: count)
    guard let difference else {
      throw EngagementError(
        .invalidArgument, "The values are too large or too small for a difference to be told.")
    }
    absolute = difference
    isFromZero = control.mean == 0
    guard !isFromZero else {
      relative = nil
      return
    }
    // The delta method.
    let ratio = treatment.mean / control.mean
    let error = (t + c * ratio * ratio).squareRoot() / abs(control.mean)
    relative = Estimate(
      value: ratio - 1, standardError: error, degreesOfFreedom: freedom, count: count)
  }
}
