public import EngagementModel

extension Engagement {
  /// What becomes of actions that could not be delivered before their user signed out.
  public enum UndeliveredActions: String, Hashable, Sendable, CaseIterable {
    /// They wait for their user to sign in again.
    case keep
    /// They are dropped and counted as discarded. What a dropped dismissal or deletion had hidden is
    /// visible again, since its vendor was not told.
    case discard
  }

  /// What a sign-out did, provider by provider.
  public struct SignOutReport: Hashable, Sendable {
    /// In no order; every provider that the application opened is there.
    public var providers: [ProviderID: ProviderResult] = [:]

    public init() {}

    /// Whether everything was delivered and no vendor may go on pushing.
    public var isClean: Bool {
      providers.values.allSatisfy {
        $0.rejected == 0 && $0.pending == 0 && $0.discarded == 0 && !$0.mayStillPush
          && $0.failure == nil
      }
    }

    /// What was done at one provider.
    public struct ProviderResult: Hashable, Sendable {
      /// Actions that the vendor took during the sign-out.
      public var delivered = 0
      /// Actions that the vendor will never take.
      public var rejected = 0
      /// Actions that wait for their user.
      public var pending = 0
      /// Actions that were dropped.
      public var discarded = 0
      /// Whether the vendor was given a push token, of this user or of one who was here before, and has
      /// not confirmed that it let go of it.
      public var mayStillPush = false
      /// Why the vendor could not be told that the user leaves.
      public var failure: EngagementError?

      public init() {}
    }
  }
}
