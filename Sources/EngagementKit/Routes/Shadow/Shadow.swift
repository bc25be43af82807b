public import EngagementModel

extension Engagement {
  /// Providers that are read beside a route and compared with it. Their items are never shown.
  ///
  /// A candidate is read when what is shown was refreshed, by `run()` or `compareShadows()`. It needs
  /// content keys for both sides; `parity()` has the result. A provider whose reading changes something is
  /// refused.
  public struct Shadow: Hashable, Sendable {
    public let candidates: [ProviderID]
    /// The least time between two readings of one list of a candidate, over restarts and in all processes
    /// of a cache.
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
