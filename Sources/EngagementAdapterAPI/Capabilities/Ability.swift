/// How one verb travels with a vendor.
public struct Ability: Hashable, Sendable {
  public var travel: Travel
  /// Whether it may be sent again when nobody knows whether it arrived.
  public var isRetryable: Bool
  public var deduplication: Deduplication
  /// Whether asking changes something at the vendor, so that nothing may ask just to compare.
  public var readingHasSideEffects: Bool

  public init(
    _ travel: Travel, isRetryable: Bool = true, deduplication: Deduplication = .none,
    readingHasSideEffects: Bool = false
  ) {
    self.travel = travel
    self.isRetryable = isRetryable
    self.deduplication = deduplication
    self.readingHasSideEffects = readingHasSideEffects
  }

  /// A call of its own that has the same effect however often it arrives.
  public static let idempotentRequest = Ability(.request, deduplication: .idempotentVerb)
  /// A call of its own that has one effect for each time it arrives.
  public static let request = Ability(.request)
  /// Part of a batch of events.
  public static let event = Ability(.event)
  /// Part of a batch of events whose ids the vendor remembers.
  public static let deduplicatedEvent = Ability(.event, deduplication: .eventID)
  /// Kept here; the vendor never hears of it.
  public static let localOnly = Ability(.localOnly)
  public static let unsupported = Ability(.unsupported)

  public enum Travel: String, Hashable, Sendable {
    case request, event, localOnly, unsupported
  }

  /// How the vendor knows the same thing when it arrives twice.
  public enum Deduplication: String, Hashable, Sendable {
    case eventID, idempotentVerb, none
  }
}
