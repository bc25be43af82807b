public import EngagementModel

/// What becomes of actions that could not be delivered before their user signed out.
public enum Leftovers: String, Hashable, Sendable, CaseIterable {
  /// They wait for their user to sign in again.
  case park
  /// They are dropped and counted as wiped.
  case wipe
}

/// What a sign-out did, provider by provider.
public struct SignOutReport: Hashable, Sendable {
  /// In no order; every provider that the application opened is there.
  public var providers: [ProviderID: Farewell] = [:]

  public init() {}

  /// Whether everything was delivered and no vendor may go on pushing.
  public var isClean: Bool {
    providers.values.allSatisfy {
      $0.refused == 0 && $0.parked == 0 && $0.wiped == 0 && !$0.mayStillPush && $0.failure == nil
    }
  }

  /// What was done at one provider.
  public struct Farewell: Hashable, Sendable {
    /// Actions that the vendor took during the sign-out.
    public var delivered = 0
    /// Actions that the vendor will never take.
    public var refused = 0
    /// Actions that wait for their user.
    public var parked = 0
    /// Actions that were dropped.
    public var wiped = 0
    /// Whether the vendor was given a push token and has not confirmed that it let go of it.
    public var mayStillPush = false
    /// Why the vendor could not be told that the user leaves.
    public var failure: EngagementError?

    public init() {}
  }
}
