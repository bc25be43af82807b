import EngagementFormats
public import EngagementModel
import EngagementPlatform
import EngagementStore

/// Lets another process of the application, such as a notification extension, append entries for
/// its `Engagement`. The journal is a small file beside the cache; the cache itself is not opened.
///
/// An entry survives a kill. The application imports the entries when it opens the cache, when it
/// resumes and before the user changes. Each entry is recorded once, with its own time, and sent as
/// if the application had performed it. An entry of an unknown user, about a missing item or
/// against the user's consent is dropped and counted in the ledger.
///
/// A call takes the time of one write to the disk. It throws `queueFull` if the application has
/// imported nothing for a long time, `busy` if an import takes longer than a second,
/// `invalidArgument` for values that cannot be stored, and `storage` or `unreadable` if the disk
/// fails.
public struct EngagementJournal: Sendable {
  private let journal: ExtensionJournal
  private let clock: any EngagementClock
  private let random: @Sendable () -> UInt64
  private let ids = Locked(UUIDv7Sequence())

  /// The journal of an application's cache. Nothing is opened yet.
  ///
  /// Throws `invalidConfiguration` for a temporary cache, which has no path.
  public init(
    cache: Engagement.Cache, clock: any EngagementClock = Engagement.SystemClock(),
    random: @escaping @Sendable () -> UInt64 = { .random(in: .min ... .max) }
  ) throws(EngagementError) {
    guard case .file(let path) = cache, !path.isEmpty else {
      throw EngagementError(
        .invalidConfiguration, "cache is not a file, which no other process can know; use a file.")
    }
    journal = try ExtensionJournal(ofCacheAt: path)
    self.clock = clock
    self.random = random
  }

  /// Appends a push payload.
  ///
  /// - Parameter user: The recipient; nil for the current user.
  public func received(_ push: JSON, of user: UserID? = nil) throws(EngagementError) {
    try append(.push(id(), push, receivedAt: clock.now), user)
  }

  /// Appends an event of the application; see `Engagement.track(_:_:)`.
  public func track(
    _ name: String, _ properties: JSONObject = [:], of user: UserID? = nil
  ) throws(EngagementError) {
    guard !name.isEmpty else {
      throw EngagementError(.invalidArgument, "An event of the application's own needs a name.")
    }
    try properties.checkNumbers(for: EngagementEvent.Kind.custom.rawValue)
    var event = event(.custom, properties)
    event.name = name
    try append(.event(event), user)
  }

  /// Appends the user's action on an item, such as on a notification; see
  /// `Engagement.perform(_:on:surface:propagate:)`.
  public func perform(
    _ action: ItemAction, on item: ItemID, surface: Surface = .cards, of user: UserID? = nil
  ) throws(EngagementError) {
    try action.check()
    var event = event(action.eventKind, action.eventProperties)
    event.provider = item.provider
    event.item = ItemReference(item, on: surface)
    try append(.action(action, event), user)
  }

  private func append(
    _ content: ExtensionJournal.Entry.Content, _ user: UserID?
  ) throws(EngagementError) {
    if let user, user.rawValue.isEmpty {
      throw EngagementError(.invalidArgument, "The id of a user is empty.")
    }
    try journal.append(ExtensionJournal.Entry(content, of: user))
  }

  private func event(
    _ kind: EngagementEvent.Kind, _ properties: JSONObject
  ) -> EngagementEvent {
    EngagementEvent(
      id: id(), kind: kind, time: clock.now, zoneOffset: TimeZone.current.secondsFromGMT(),
      properties: properties)
  }

  private func id() -> EventID {
    let (now, bits) = (clock.now, (high: random(), low: random()))
    return EventID(ids.withLock { $0.next(at: now, random: bits) }.text)
  }
}
