import EngagementModel
import EngagementPlatform

/// A content that something was done to and that no vendor lists any more.
///
/// Another vendor may list a copy later than the first one ended it, or be asked for the first time when
/// the first one is down. So what was done is kept for a day at least, and then until every other provider
/// with content keys has answered.
struct UnlistedContent: Hashable, Sendable {
  /// Since when no vendor lists it.
  var since: Date
  /// The providers that have not answered yet, or with something that could not be read.
  var awaited: Set<ProviderID>

  /// A copy that comes within this time is not seen as something new.
  private static let least: TimeInterval = 24 * 3_600
  /// A provider that is never asked is not waited for any longer.
  private static let most: TimeInterval = 30 * 24 * 3_600

  /// What is left of it after answers; nil if it ends.
  ///
  /// - Parameter keyed: The providers that have content keys now.
  func after(
    answersOf providers: Set<ProviderID>, among keyed: Set<ProviderID>, at now: Date
  ) -> UnlistedContent? {
    let age = now.timeIntervalSince(since)
    // The clock went back.
    guard age >= 0 else { return UnlistedContent(since: now, awaited: awaited) }
    guard age >= Self.least else { return self }
    let awaited = awaited.intersection(keyed).subtracting(providers)
    return awaited.isEmpty || age >= Self.most
      ? nil : UnlistedContent(since: since, awaited: awaited)
  }
}
