public import EngagementModel

extension Engagement {
  /// What a gate of a migration looks at: what this installation has seen of the current user, or what a
  /// team has measured on many.
  public enum MigrationFigure: String, Hashable, Sendable, CaseIterable {
    /// How often the new provider was compared with what is shown; at least so often.
    case comparisons
    /// How many seconds ago it was compared last; at most so many.
    case parityAge
    /// The share of contents that differ at the last comparison; at most so much.
    case mismatches
    /// How often the new provider was asked in this stage; at least so often.
    case requests
    /// By how much the share of its failed requests is above that of the old one; at most so much.
    case errors
    /// How many times as long as the old one it takes to answer, by the medians; at most so many.
    case latency
    /// The share of what was accepted for the new provider in this stage that it did not take; at most so
    /// much.
    case undelivered
    /// How often it listed one content several times in this stage; at most so often.
    case duplicates
    /// How often consent was taken back in this stage; at most so often.
    case optOuts
    /// What of the person and the push token is still to be told to the new provider, as far as consent
    /// allows it; at most so much.
    case untold
    /// What is still to be sent to the old provider, as far as consent allows it; at most so much.
    case pending
  }
}

extension Engagement.MigrationFigure {
  var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

  /// A number as a plan writes it.
  static func text(ofLimit limit: Double) -> String {
    Int64(exactly: limit).map { "\($0)" } ?? "\(limit)"
  }

  /// A figure or a limit as JSON, a whole one without a fraction.
  static func json(_ value: Double) -> JSON {
    Int64(exactly: value).map(JSON.integer) ?? .number(value)
  }

  /// Whether the figure has to reach its limit. The others may not exceed it.
  public var isAtLeast: Bool { self == .comparisons || self == .requests }

  /// Whether it is a part of a whole, from 0 to 1.
  var isShare: Bool { self == .mismatches || self == .errors || self == .undelivered }

  /// The unit of a limit in a plan.
  public var unit: String {
    switch self {
    case .comparisons: "comparisons"
    case .parityAge: "a time, such as 1h"
    case .mismatches, .errors, .undelivered: "a share from 0 to 1"
    case .requests: "requests"
    case .latency: "times as long"
    case .duplicates: "contents"
    case .optOuts: "opt-outs"
    case .untold, .pending: "actions"
    }
  }

  /// Whether events of many installations can tell it. The others are in no event.
  public var isInLedger: Bool {
    switch self {
    case .requests, .errors, .latency, .undelivered, .duplicates, .optOuts: true
    case .comparisons, .parityAge, .mismatches, .untold, .pending: false
    }
  }

  /// By how much the share of the new provider's failed requests is above that of the old one.
  public static func errors(_ new: Double, above old: Double?) -> Double {
    max(0, new - (old ?? 0))
  }

  /// How many times as long as the old provider the new one takes, by times in milliseconds.
  public static func latency(_ new: Double?, against old: Double?) -> Double? {
    guard let new, let old else { return nil }
    // Below a millisecond nothing can be told apart.
    return max(new, 1) / max(old, 1)
  }

  /// Whether a figure that exceeds its limit takes back what people have, where the plan says so.
  var breaks: Bool {
    switch self {
    case .errors, .latency, .undelivered, .duplicates, .optOuts: true
    case .comparisons, .parityAge, .mismatches, .requests, .untold, .pending: false
    }
  }

  /// Whether there is such a figure of the surface in the stage.
  func isMeasured(in kind: Engagement.MigrationStage.Kind, on surface: RoutedSurface) -> Bool {
    let isVisible = [.canary, .ramp, .cutover].contains(kind)
    let isRead = [.cards, .inbox, .templates].contains(surface)
    return switch self {
    case .comparisons, .parityAge, .mismatches: kind == .shadow
    case .requests, .errors, .latency, .duplicates: isVisible && isRead
    case .undelivered, .optOuts: isVisible
    case .untold: kind != .removed
    case .pending: kind == .drain
    }
  }

  /// The gates of a stage that a plan says nothing of.
  public static func standard(of kind: Engagement.MigrationStage.Kind) -> [Self: Double] {
    switch kind {
    case .off: [.untold: 0]
    case .shadow: [.comparisons: 3, .parityAge: 3_600, .mismatches: 0.02, .untold: 0]
    case .canary, .ramp, .cutover:
      [.requests: 5, .errors: 0.02, .latency: 2, .undelivered: 0.05, .duplicates: 0, .untold: 0]
    case .drain: [.pending: 0]
    case .removed: [:]
    }
  }
}

extension Engagement {
  /// A gate of a stage, with the figure as it is now.
  public struct MigrationGate: Hashable, Sendable {
    public let figure: MigrationFigure
    public let limit: Double
    /// Nil while there is nothing to measure it by.
    public let value: Double?
    /// Where the value was measured; nil: on this installation.
    public let source: String?

    init(figure: MigrationFigure, limit: Double, value: Double?, source: String? = nil) {
      self.figure = figure
      self.limit = limit
      self.value = value
      self.source = source
    }

    /// Whether it lets the surface move on. A gate on what is not known does not.
    public var holds: Bool {
      guard let value else { return false }
      return figure.isAtLeast ? value >= limit : value <= limit
    }
  }

  /// Figures of a stage that were measured elsewhere, such as by the events of all installations of a team.
  public struct MeasuredFigures: Hashable, Sendable {
    /// What was measured, as the record and the event of a step name it, such as the name of a file.
    public let source: String
    public let values: [MigrationFigure: Double]

    /// A figure of `isInLedger` without a value is not known. Throws `invalidArgument`, naming it, for one
    /// that no ledger has: it stays that of the installation.
    public init(
      source: String, values: [MigrationFigure: Double]
    ) throws(EngagementError) {
      guard !source.isEmpty else {
        throw .argumentFault("The figures have no source; name what was measured.")
      }
      for figure in values.keys.sorted(by: { $0.rank < $1.rank }) where !figure.isInLedger {
        throw .argumentFault(
          "\(figure.rawValue) is in no ledger; leave it out, and it is that of the installation.")
      }
      self.source = source
      self.values = values
    }
  }
}

extension [Engagement.MigrationGate] {
  /// The gates with the figures that were measured elsewhere in the place of their own.
  func measured(by figures: Engagement.MeasuredFigures?) -> Self {
    guard let figures else { return self }
    return map { gate in
      guard gate.figure.isInLedger else { return gate }
      return Engagement.MigrationGate(
        figure: gate.figure, limit: gate.limit, value: figures.values[gate.figure],
        source: figures.source)
    }
  }
}
