import EngagementModel

extension Engagement {
  /// What a gate of a migration looks at. All of it is what this installation has seen of the current user.
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
    /// What of the person and the push token is still to be told to the new provider; at most so much.
    case untold
    /// What is still to be sent to the old provider; at most so much.
    case pending
  }
}

extension Engagement.MigrationFigure {
  var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

  /// A figure or a limit as JSON, a whole one without a fraction.
  static func json(_ value: Double) -> JSON {
    Int64(exactly: value).map(JSON.integer) ?? .number(value)
  }

  /// Whether the figure has to reach its limit. The others may not exceed it.
  public var isAtLeast: Bool { self == .comparisons || self == .requests }

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
  static func standard(of kind: Engagement.MigrationStage.Kind) -> [Self: Double] {
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

    /// Whether it lets the surface move on. A gate on what is not known does not.
    public var holds: Bool {
      guard let value else { return false }
      return figure.isAtLeast ? value >= limit : value <= limit
    }
  }
}
