/// Says when showing an item has become an impression: at least half of it on screen for one
/// second without a break, once per item, session and user.
///
/// One definition for every vendor and every surface, control cards too: the meter knows ids and
/// no kinds. It reads no clock. Instants are the time since any fixed point on a clock that does
/// not go back; one that does is taken as the latest seen so far. A session that has ended is not
/// expected to come back.
///
/// It keeps the items on screen and the ids that were counted in this session, and no more.
public struct ImpressionMeter: Sendable {
  /// The part of an item that must be visible.
  public static let leastFraction = 0.5
  /// How long it must stay so.
  public static let leastTime: Duration = .seconds(1)

  /// What was seen, in which session, by whom and when.
  public struct Impression: Hashable, Sendable {
    public var item: ItemID
    public var session: SessionID
    public var user: User
    /// When the second was full.
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
  /// The number of each item's stay on screen.
  private var onScreen: [ItemID: UInt64] = [:]
  private var counted: Set<ItemID> = []
  private var waiting = WaitingStays()
  private var lastNumber: UInt64 = 0

  public init() {}

  /// When the next item becomes an impression if nothing changes until then; nil where none is
  /// on its way. Call `advance(to:)` then.
  public var nextDeadline: Duration? {
    waiting.first.map { $0.since + Self.leastTime }
  }

  /// Takes note of how much of an item is visible, and returns the impressions that became due
  /// since the last call, this item's and others', the earliest first.
  ///
  /// Report changes; what is not reported stays as it was. A fraction that is no number is not
  /// visible; one below 0 counts as 0, one above 1 as 1. Calls `enter(session:user:at:)` first.
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

  /// Returns the impressions that became due up to that instant, the earliest first.
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

  /// Takes note of who uses the application in which session, and returns the impressions that
  /// became due before.
  ///
  /// In another session every item counts again; the second of those on screen begins at that
  /// instant. For another user everything is forgotten, also what was due: nothing of the former
  /// user comes out of here once another is known.
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

  /// Takes note that nothing is visible any more, as when the application leaves the foreground,
  /// and returns the impressions that became due before.
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

  /// So far from the ends of `Duration` that adding a second cannot overflow.
  private static func bounded(_ instant: Duration) -> Duration {
    min(max(instant, .seconds(Int64.min)), .seconds(Int64.max))
  }
}
