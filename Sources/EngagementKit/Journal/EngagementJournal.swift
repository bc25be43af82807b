import EngagementFormats
public import EngagementModel
import EngagementPlatform
import EngagementStore

/// What another process of the application, such as a notification extension, leaves for its
/// `Engagement`: a small file beside the cache, which is not opened for it.
///
/// What a call left survives a kill. The application takes it in when it opens, when it resumes,
/// and before another user is present: it is recorded once, under its own time, and delivered as
/// if it had been done there. What is of a user whom the cache does not know, about an item that it
/// does not have, or against the user's consent is dropped then and counted in the ledger.
///
/// Calls take the time of one write to the disk. They throw `queueFull` where the application has
/// taken nothing in for long, `busy` where it takes in just now for longer than a second,
/// `invalidArgument` for what cannot be kept, and `storage` or `unreadable` for a disk that fails.
public struct EngagementJournal: Sendable {
  private let journal: ExtensionJournal
  private let clock: any EngagementClock
  private let random: @Sendable () -> UInt64
  private let ids = Locked(UUIDv7Sequence())

  /// Names the journal of an application's cache; nothing is opened yet.
  ///
  /// Throws `invalidConfiguration` for a temporary cache, which no other process can know.
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

  /// Leaves a push as it came.
  ///
  /// - Parameter user: The user that the push is for; nil for the present user.
  public func received(_ push: JSON, of user: UserID? = nil) throws(EngagementError) {
    try append(.push(id(), push, receivedAt: clock.now), user)
  }

  /// Leaves something of the application's own; see `Engagement.track(_:_:)`.
  public func track(
    _ name: String, _ properties: JSONObject = [:], of user: UserID? = nil
  ) throws(EngagementError) {
    guard !name.isEmpty else {
      throw EngagementError(.invalidArgument, "An event of the application's own needs a name.")
    }
    var event = event(.custom, properties)
    event.name = name
    try append(.event(event), user)
  }

  /// Leaves what the user did to an item, such as to one of a notification; see
  /// `Engagement.perform(_:on:surface:)`.
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
