public import EngagementModel

extension Engagement {
  /// When a route leaves a provider that fails, and when it returns to it.
  public struct FailOver: Hashable, Sendable {
    /// How many failures within `window` pause a provider. A refresh of several containers that fail is
    /// one failure.
    public let failures: Int
    public let window: Duration
    /// How long a provider is not asked before it is tried again.
    public let coolDown: Duration
    public let returning: Returning

    /// When the route goes back to a provider that answers again.
    @nonexhaustive public enum Returning: Hashable, Sendable {
      /// With its first answer.
      case atOnce
      /// When it has answered for that long.
      case afterRest(Duration)
      /// Only when the application asks for it.
      case byHand
    }

    /// Throws `invalidArgument`, naming the member, for less than one failure, for a window that is not
    /// above zero, and for a negative time.
    public init(
      failures: Int = 3, within window: Duration = .seconds(300),
      coolDown: Duration = .seconds(30), returning: Returning = .atOnce
    ) throws(EngagementError) {
      guard failures >= 1 else {
        throw .argumentFault("failures is \(failures); it is 1 or more.")
      }
      guard window > .zero else {
        throw .argumentFault("within is \(RouteTime.words(window)); it is above zero.")
      }
      guard coolDown >= .zero else {
        throw .argumentFault("coolDown is \(RouteTime.words(coolDown)); it is zero or more.")
      }
      if case .afterRest(let rest) = returning, rest < .zero {
        throw .argumentFault("return.afterRest is \(RouteTime.words(rest)); it is zero or more.")
      }
      self.init(unchecked: failures, window, coolDown, returning)
    }

    private init(
      unchecked failures: Int, _ window: Duration, _ coolDown: Duration, _ returning: Returning
    ) {
      self.failures = failures
      self.window = window
      self.coolDown = coolDown
      self.returning = returning
    }

    /// Three failures within five minutes, a cool-down of 30 seconds, and a return at once.
    public static let standard = FailOver(
      unchecked: 3, .seconds(300), .seconds(30), .atOnce)
  }
}

extension EngagementError {
  /// An error in a value that a caller made.
  static func argumentFault(_ message: String) -> EngagementError {
    EngagementError(.invalidArgument, message)
  }
}
