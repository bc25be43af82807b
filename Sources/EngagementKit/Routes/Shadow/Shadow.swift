public import EngagementModel

extension Engagement {
  /// Providers that are read beside a route and compared with it.
  public struct Shadow: Hashable, Sendable {
    public let candidates: [ProviderID]
    /// The least time between two readings of a candidate.
    public let interval: Duration

    /// Throws `invalidArgument` for an interval below a minute.
    public init(
      _ candidates: [ProviderID], every interval: Duration = .seconds(900)
    ) throws(EngagementError) {
      guard interval >= Self.leastInterval else {
        throw .argumentFault(
          "every is \(RouteTime.words(interval)); a shadow reads at most once a minute.")
      }
      self.candidates = candidates
      self.interval = interval
    }

    private static let leastInterval = Duration.seconds(60)
  }
}
