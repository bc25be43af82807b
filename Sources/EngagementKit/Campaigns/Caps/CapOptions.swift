public import EngagementModel

extension Engagement.Options {
  /// How often templates may interrupt one user, over all providers together. The caps of a vendor's own
  /// campaigns hold beside them. Cards and messages wait for the user, and no cap holds them back.
  ///
  /// A presentation counts when its presenter calls `presented()`. Functions that show nothing, what an
  /// action called, and previews neither count nor are held back.
  public struct Caps: Hashable, Sendable {
    /// In one day of the device's time zone; nil for any number.
    public var perDay: Int?
    /// In one session of use; nil for any number.
    public var perSession: Int?
    /// The same content, in one day; nil for any number. What is the same content `contentKeys` says;
    /// else each campaign is one.
    public var contentPerDay: Int?
    /// The same content, at all; nil for any number.
    public var contentEver: Int?
    /// When nothing is presented.
    public var quietTimes: [QuietTime]
    /// What becomes of a template that may not be presented when it is due.
    public var held: Held

    public init(
      perDay: Int? = nil, perSession: Int? = nil, contentPerDay: Int? = nil,
      contentEver: Int? = nil, quietTimes: [QuietTime] = [], held: Held = .later
    ) {
      self.perDay = perDay
      self.perSession = perSession
      self.contentPerDay = contentPerDay
      self.contentEver = contentEver
      self.quietTimes = quietTimes
      self.held = held
    }

    /// What becomes of a template that may not be presented when it is due.
    @nonexhaustive public enum Held: String, Hashable, Sendable, CaseIterable {
      /// It waits until it may be, or until it expires. Others go first.
      case later
      /// It is dropped.
      case never
    }
  }

  /// A time of day, by the device's clock and time zone.
  public struct QuietTime: Hashable, Sendable {
    /// In minutes after midnight.
    let start: Int
    /// In minutes after midnight, of the next day if that is not after the start.
    let end: Int
    /// The days on which it begins.
    public let days: Set<PersonUpdate.Day>

    /// From 22:00 to 7:00 every day: `QuietTime(fromHour: 22, toHour: 7)`. One that ends before it begins
    /// ends on the next day.
    ///
    /// Throws `invalidConfiguration` for an hour outside 0–23, a minute outside 0–59, no days, and an end
    /// that is the start.
    public init(
      fromHour: Int, fromMinute: Int = 0, toHour: Int, toMinute: Int = 0,
      on days: Set<PersonUpdate.Day> = [.everyDay]
    ) throws(EngagementError) {
      for (hour, minute) in [(fromHour, fromMinute), (toHour, toMinute)] {
        guard (0...23).contains(hour), (0...59).contains(minute) else {
          throw .configurationFault("A quiet time has \(hour):\(minute), which is no time of day.")
        }
      }
      guard !days.isEmpty else { throw .configurationFault("A quiet time has no days.") }
      start = fromHour * 60 + fromMinute
      end = toHour * 60 + toMinute
      guard start != end else {
        throw .configurationFault("A quiet time ends when it begins; give it another end.")
      }
      self.days = days
    }
  }
}

extension Options.Caps {
  /// Whether nothing is held back.
  var isEmpty: Bool { !counts && quietTimes.isEmpty }

  /// Whether presentations are counted.
  var counts: Bool { numbers.contains { $0.cap != nil } }

  private var numbers: [(name: String, cap: Int?)] {
    [
      ("perDay", perDay), ("perSession", perSession), ("contentPerDay", contentPerDay),
      ("contentEver", contentEver),
    ]
  }

  /// Throws `invalidConfiguration`, which names the field.
  func check() throws(EngagementError) {
    for (name, cap) in numbers {
      guard let cap, cap < 0 else { continue }
      throw .configurationFault(
        "options.presentations.caps.\(name) is \(cap), which is below zero; use nil for no cap, "
          + "and 0 to present nothing.")
    }
  }
}
