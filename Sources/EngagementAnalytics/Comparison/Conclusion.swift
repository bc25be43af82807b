/// A figure, or the sentence that says why there is none.
enum Conclusion<Value: Hashable & Sendable>: Hashable, Sendable {
  case known(Value)
  case withheld(String)

  var value: Value? {
    switch self {
    case .known(let value): value
    case .withheld: nil
    }
  }

  var reason: String? {
    switch self {
    case .known: nil
    case .withheld(let reason): reason
    }
  }

  func map<Other>(_ change: (Value) -> Conclusion<Other>) -> Conclusion<Other> {
    switch self {
    case .known(let value): change(value)
    case .withheld(let reason): .withheld(reason)
    }
  }
}

/// A figure and the interval in which the true one lies.
struct MeasuredFigure: Hashable, Sendable {
  let value: Double
  let interval: Conclusion<ClosedRange<Double>>
}

/// How one arm differs from the control in one metric.
struct MeasuredDifference: Hashable, Sendable {
  let absolute: MeasuredFigure
  let relative: Conclusion<MeasuredFigure>
  let probability: Double
  /// Raised for the number of comparisons that decide, by Holm.
  var adjustedProbability: Double?
  /// The least difference from zero that is seen in four of five such comparisons.
  let leastVisible: Double
}

/// One check of whether the figures can be trusted.
struct ComparisonCheck: Hashable, Sendable {
  enum State: String, Hashable, Sendable {
    case passed, failed
    /// More people or time are needed before it can be told.
    case early
    /// It does not apply, or there is nothing to check.
    case open

    /// Whether no difference is told.
    var withholds: Bool { self == .failed || self == .early }
  }

  let name: String
  let state: State
  let sentence: String
}
