/// Decides when a visible item counts as an impression: at least half of it is on screen for one
/// second without a break, once per item, session and user.
///
/// The definition is the same for every vendor, surface and kind of item, including control cards.
/// The meter reads no clock: the caller passes instants, measured from any fixed point on a
/// monotonic clock. If an instant is before an earlier one, the meter uses the latest instant
/// instead. A session id must not return after another session began.
///
/// The meter stores only the items on screen and the ids counted in this session.
public struct ImpressionMeter: Sendable {
  /// The fraction of an item that must be visible.
  public static let leastFraction = 0.5
  /// How long that fraction must be visible.
  public static let leastTime: Duration = .seconds(1)

  /// One counted impression.
  public struct Impression: Hashable, Sendable {
    public var item: ItemID
    public var session: SessionID
    public var user: User
    /// When the item had been visible for one second.
    public var instant: Duration

    public init(item: ItemID, session: SessionID, user: User, instant: Duration) {
      self.item = item
      self.session = session
      self.user = user
      self.instant = instant
    }
  }

  private var user: User?
  private var session: SessionID?
  private var now: Duration = .zero
  /// The items on screen, each with the number of its stay.
  private var onScreen: [ItemID: UInt64] = [:]
  private var counted: Set<ItemID> = []
  private var waiting = WaitingStays()
  private var lastNumber: UInt64 = 0

  public init() {}

  /// When the next item becomes an impression if nothing changes before. Call `advance(to:)` at
  /// that instant. Nil if no item is waiting.
  public var nextDeadline: Duration? {
    waiting.first.map { $0.since + Self.leastTime }
  }

  /// Records how much of an item is visible. Returns the impressions of all items that became due
  /// since the last call, the earliest first.
  ///
  /// Report changes only: an item stays as last reported. NaN counts as not visible, a fraction
  /// below 0 as 0, one above 1 as 1. Calls `enter(session:user:at:)` first.
  public mutating func report(
    _ item: ItemID, visible fraction: Double, at instant: Duration, session: SessionID, user: User
  ) -> [Impression] {
    let due = enter(session: session, user: user, at: instant)
    if fraction >= Self.leastFraction {
      show(item)
    } else {
      hide(item)
    }
    return due
  }

  /// Returns the impressions that became due by that instant, the earliest first.
  public mutating func advance(to instant: Duration) -> [Impression] {
    now = max(now, Self.bounded(instant))
    guard let user, let session else { return [] }
    var due: [Impression] = []
    while let stay = waiting.first, stay.since + Self.leastTime <= now {
      counted.insert(stay.item)
      due.append(
        Impression(
          item: stay.item, session: session, user: user, instant: stay.since + Self.leastTime))
      waiting.removeFirst(onScreen: onScreen)
    }
    return due
  }

  /// Records the user and the session. Returns the impressions that became due before.
  ///
  /// In a new session every item counts again, and the second starts anew for items on screen. For
  /// another user the meter forgets everything, even impressions that were due: it never returns
  /// impressions of the former user.
  public mutating func enter(
    session: SessionID, user: User, at instant: Duration
  ) -> [Impression] {
    guard user == self.user else {
      self = ImpressionMeter()
      self.user = user
      self.session = session
      now = Self.bounded(instant)
      return []
    }
    let due = advance(to: instant)
    if session != self.session {
      self.session = session
      counted = []
      waiting = WaitingStays(onScreen, since: now)
    }
    return due
  }

  /// Records that nothing is visible any more, for example when the application leaves the
  /// foreground. Returns the impressions that became due before.
  public mutating func hideAll(at instant: Duration) -> [Impression] {
    let due = advance(to: instant)
    onScreen = [:]
    waiting = WaitingStays()
    return due
  }

  private mutating func show(_ item: ItemID) {
    guard onScreen[item] == nil else { return }
    lastNumber &+= 1
    onScreen[item] = lastNumber
    if !counted.contains(item) {
      waiting.append(WaitingStays.Stay(item: item, since: now, number: lastNumber))
    }
  }

  private mutating func hide(_ item: ItemID) {
    guard onScreen.removeValue(forKey: item) != nil else { return }
    waiting.removeEnded(onScreen: onScreen)
  }

  /// Keeps the instant far enough from the limits of `Duration` that adding a second cannot
  /// overflow.
  private static func bounded(_ instant: Duration) -> Duration {
    min(max(instant, .seconds(Int64.min)), .seconds(Int64.max))
  }
}
