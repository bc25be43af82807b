public import EngagementModel

extension Engagement {
  /// What `flush(within:)` did and what it left, provider by provider.
  public struct DeliveryReport: Hashable, Sendable {
    /// Every provider that the application opened.
    public var providers: [ProviderID: ProviderResult] = [:]

    public init(_ providers: [ProviderID: ProviderResult] = [:]) { self.providers = providers }

    /// Whether nothing is pending at any provider.
    public var isComplete: Bool { providers.values.allSatisfy { $0.pending == 0 } }

    /// What was done at one provider.
    public struct ProviderResult: Hashable, Sendable {
      /// How many actions the vendor took.
      public var delivered: Int
      /// How many actions are kept on this device only, since the vendor has no request for them.
      public var kept: Int
      /// How many actions the vendor will never take.
      public var rejected: Int
      /// How many actions are still to be sent.
      public var pending: Int

      public init(delivered: Int = 0, kept: Int = 0, rejected: Int = 0, pending: Int = 0) {
        self.delivered = delivered
        self.kept = kept
        self.rejected = rejected
        self.pending = pending
      }
    }
  }
}
