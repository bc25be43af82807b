/// How a vendor supports one verb.
public struct Ability: Hashable, Sendable {
  public var travel: Travel
  /// Whether it may be sent again if the first request may have arrived.
  public var isRetryable: Bool
  public var deduplication: Deduplication
  /// Whether a read changes something at the vendor. If so, the kit must not read only to compare.
  public var readingHasSideEffects: Bool
  /// Whether it only takes something back from the vendor. The kit sends it under every consent. The
  /// kit knows this of its own verbs; declare it for verbs of the vendor.
  public var isWithdrawal: Bool

  public init(
    _ travel: Travel, isRetryable: Bool = true, deduplication: Deduplication = .none,
    readingHasSideEffects: Bool = false, isWithdrawal: Bool = false
  ) {
    self.travel = travel
    self.isRetryable = isRetryable
    self.deduplication = deduplication
    self.readingHasSideEffects = readingHasSideEffects
    self.isWithdrawal = isWithdrawal
  }

  /// A request of its own, with the same effect however often it arrives.
  public static let idempotentRequest = Ability(.request, deduplication: .idempotentVerb)
  /// A request of its own, with one effect for each time it arrives.
  public static let request = Ability(.request)
  /// An event in a batch.
  public static let event = Ability(.event)
  /// An event in a batch; the vendor remembers the ids of events.
  public static let deduplicatedEvent = Ability(.event, deduplication: .eventID)
  /// Handled locally; the vendor is not told.
  public static let localOnly = Ability(.localOnly)
  public static let unsupported = Ability(.unsupported)

  public enum Travel: String, Hashable, Sendable {
    case request, event, localOnly, unsupported
  }

  /// How the vendor recognises a duplicate.
  public enum Deduplication: String, Hashable, Sendable {
    case eventID, idempotentVerb, none
  }
}
