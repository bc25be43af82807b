import EngagementModel

extension Engagement.Split {
  /// The arm under which people of a hold-out are recorded.
  static let holdOutName = "hold-out"
  /// How many slots a layer has.
  static let slots = 10_000
  private static let mostArms = 50
  private static let longestName = 200
  private static let heaviest = 1_000_000

  /// Throws `invalidArgument` with the first member that is wrong.
  func check() throws(EngagementError) {
    try Self.check(experiment, "experiment")
    guard version >= 0 else {
      throw .argumentFault("version is \(version); it is zero or more.")
    }
    try checkArms()
    if let layer {
      try Self.check(layer.name, "layer.name")
      guard !layer.slots.isEmpty, layer.slots.lowerBound >= 0,
        layer.slots.upperBound <= Self.slots
      else {
        throw .argumentFault(
          "layer.slots is \(layer.words); slots are from 0 to \(Self.slots), and there is at "
            + "least one.")
      }
    }
    if let holdOut {
      try Self.check(holdOut.name, "holdOut.name")
      // Not a number is in no range.
      guard (0..<1).contains(holdOut.share) else {
        throw .argumentFault(
          "holdOut.share is \(holdOut.share); it is from 0 to less than 1.")
      }
    }
  }

  private func checkArms() throws(EngagementError) {
    guard !arms.isEmpty else { throw .argumentFault("arms is empty; name at least one.") }
    guard arms.count <= Self.mostArms else {
      throw .argumentFault("arms has \(arms.count) arms; the most is \(Self.mostArms).")
    }
    for (index, arm) in arms.enumerated() {
      try Self.check(arm.name, "arms[\(index)].name")
      // Equal texts are one arm, in whichever normalization form they are.
      guard !arms[..<index].contains(where: { $0.name == arm.name }) else {
        throw .argumentFault("arms has \"\(arm.name)\" twice; name them apart.")
      }
      guard arm.name != Self.holdOutName else {
        throw .argumentFault(
          "arms has \"\(Self.holdOutName)\", which is the name of the people held out; rename it.")
      }
      guard arm.weight >= 0 else {
        throw .argumentFault(
          "arms.\(arm.name).weight is \(arm.weight); weights are zero or more.")
      }
      guard arm.weight <= Self.heaviest else {
        throw .argumentFault(
          "arms.\(arm.name).weight is \(arm.weight); the most is \(Self.heaviest).")
      }
    }
    guard arms.contains(where: { $0.weight > 0 }) else {
      throw .argumentFault(
        "arms have weights that sum to nothing; give one of them more than zero.")
    }
  }

  private static func check(_ name: String, _ field: String) throws(EngagementError) {
    guard !name.isEmpty else { throw .argumentFault("\(field) is empty.") }
    guard !name.utf8.contains(0) else { throw .argumentFault("\(field) has a NUL.") }
    guard name.utf8.count <= longestName else {
      throw .argumentFault("\(field) is longer than \(longestName) bytes.")
    }
  }

  /// Whether both place people alike. Only the providers may differ.
  func hasSameDesign(as other: Engagement.Split) -> Bool {
    version == other.version && layer == other.layer && holdOut == other.holdOut
      && weights == other.weights
  }

  private var weights: [Weight] {
    arms.map { Weight(name: $0.name, weight: $0.weight) }.sorted { $0.name < $1.name }
  }

  private struct Weight: Equatable {
    var name: String
    var weight: Int
  }
}

extension Engagement.Split.Layer {
  /// The slots as messages print them.
  var words: String { "\(slots.lowerBound) to \(slots.upperBound)" }
}
