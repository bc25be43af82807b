import EngagementFormats
import EngagementModel
import EngagementPlatform

/// A day as caps count it: until midnight of the device's time zone, by the machine's uptime. A wall
/// clock that is set changes nothing.
///
/// The last look is kept with both clocks. A lower uptime than then tells that the machine was started
/// again. One that has come further tells nothing by itself; then the wall clock does.
struct CountedDay: Hashable, Sendable {
  /// Counts up.
  let number: Int64
  /// When it ends, by the uptime.
  private(set) var end: Duration
  /// The clocks when it was last looked at, a few minutes late.
  private var seen: Look
  private var zoneOffset: Int

  private struct Look: Hashable {
    let date: Date
    let uptime: Duration

    /// In whole milliseconds, as it is stored.
    init(_ date: Date, _ uptime: Duration) {
      self.date = Epoch.milliseconds(of: date).flatMap(Epoch.date(milliseconds:)) ?? .distantPast
      self.uptime = .milliseconds(uptime.milliseconds)
    }
  }

  /// The clocks and the time zone.
  struct Moment: Hashable, Sendable {
    var date: Date
    var uptime: Duration
    /// The seconds that the time zone is ahead of UTC.
    var zoneOffset: Int
    /// Whether the machine may have been started again since the last look: false for a process that has
    /// looked before.
    var mayFollowStart = true

    /// The seconds since midnight, and the number of the day since 1970.
    var local: (seconds: Double, day: Int) {
      let seconds = date.timeIntervalSince1970 + Double(zoneOffset)
      let day = (seconds / Self.day).rounded(.down)
      return (seconds - day * Self.day, Int(exactly: day) ?? 0)
    }

    private static let day: Double = 86_400
  }

  /// Looks within this time are one, so that few of them are kept.
  static let granularity = Duration.seconds(300)
  /// Clocks that differ by less ran side by side.
  private static let tolerance = Duration.seconds(60)
  /// A machine is not switched off for longer; the clock was set.
  private static let longestRest = Duration.seconds(100 * 86_400)

  /// The first one, or the one after another.
  init(_ number: Int64 = 1, at moment: Moment) {
    self.number = number
    let end = moment.uptime + .seconds(86_400 - moment.local.seconds)
    self.end = .milliseconds(end.milliseconds)
    seen = Look(moment.date, moment.uptime)
    zoneOffset = moment.zoneOffset
  }

  /// The day at a later moment: this one or the next.
  func day(at moment: Moment) -> CountedDay {
    var day = self
    let uptime = moment.uptime - seen.uptime
    let wall = moment.date.span(since: seen.date)
    let isStarted = uptime < .zero
    let gap = wall - uptime
    if isStarted {
      // How long the machine was off only the wall clock says. It was on for as long as it is now.
      day.end = end - seen.uptime - max(wall, moment.uptime) + moment.uptime
    } else if moment.mayFollowStart, gap > Self.tolerance, gap <= Self.longestRest {
      // It was off, and is on for longer than it was at the last look.
      day.end -= gap
    }
    if isStarted || uptime >= Self.granularity || gap.magnitude > Self.tolerance {
      day.seen = Look(moment.date, moment.uptime)
    }
    day.end += .seconds(zoneOffset - moment.zoneOffset)
    day.end = .milliseconds(day.end.milliseconds)
    day.zoneOffset = moment.zoneOffset
    return moment.uptime < day.end ? day : CountedDay(number + 1, at: moment)
  }
}

extension Date {
  /// The time since another date, with a bound that any clock keeps.
  fileprivate func span(since other: Date) -> Duration {
    .seconds(min(max(timeIntervalSince(other), -1e12), 1e12))
  }
}

extension Duration {
  fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}

extension CountedDay {
  /// Nil for anything else than what `json` gives.
  init?(_ json: JSON) {
    guard let number = json["number"]?.integer, number > 0, let end = json["end"]?.integer,
      let uptime = json["seen"]?["uptime"]?.integer, let date = json["seen"]?["date"]?.integer,
      let zone = json["zoneOffset"]?.integer
    else { return nil }
    self.number = number
    self.end = .milliseconds(end)
    seen = Look(Date(timeIntervalSince1970: Double(date) / 1_000), .milliseconds(uptime))
    zoneOffset = Int(zone)
  }

  var json: JSON {
    [
      "number": .integer(number), "end": .integer(end.milliseconds),
      "seen": [
        "date": .integer(Epoch.milliseconds(of: seen.date) ?? 0),
        "uptime": .integer(seen.uptime.milliseconds),
      ],
      "zoneOffset": .integer(Int64(zoneOffset)),
    ]
  }
}
