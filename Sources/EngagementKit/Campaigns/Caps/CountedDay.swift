import EngagementModel
import EngagementPlatform

/// A day as caps count it: until midnight of the device's time zone, by the machine's uptime. A wall
/// clock that is set changes nothing.
struct CountedDay: Hashable, Sendable {
  /// Counts up.
  let number: Int64
  /// When it ends, by the uptime.
  private(set) var end: Duration
  /// An uptime of this day. If the uptime is below it, the machine was started again.
  private var known: Duration
  /// When it ends, by the wall clock as it was.
  private var endDate: Date
  private var zoneOffset: Int

  /// The clocks and the time zone.
  struct Moment: Hashable, Sendable {
    var date: Date
    var uptime: Duration
    /// The seconds that the time zone is ahead of UTC.
    var zoneOffset: Int

    /// The seconds since midnight, and the number of the day since 1970.
    var local: (seconds: Double, day: Int) {
      let seconds = date.timeIntervalSince1970 + Double(zoneOffset)
      let day = (seconds / Self.day).rounded(.down)
      return (seconds - day * Self.day, Int(exactly: day) ?? 0)
    }

    private static let day: Double = 86_400
  }

  /// The first one, or the one after another.
  init(_ number: Int64 = 1, at moment: Moment) {
    self.number = number
    let rest = 86_400 - moment.local.seconds
    end = moment.uptime + .seconds(rest)
    known = moment.uptime
    endDate = moment.date.addingTimeInterval(rest)
    zoneOffset = moment.zoneOffset
  }

  /// The day at a later moment: this one or the next.
  func day(at moment: Moment) -> CountedDay {
    var day = self
    if moment.uptime < known {
      // How long the machine was off only the wall clock says.
      let rest = min(endDate.timeIntervalSince(moment.date), 86_400)
      day.end = moment.uptime + .seconds(rest)
      day.known = moment.uptime
    }
    let shift = Double(zoneOffset - moment.zoneOffset)
    day.end += .seconds(shift)
    day.endDate = endDate.addingTimeInterval(shift)
    day.zoneOffset = moment.zoneOffset
    return moment.uptime < day.end ? day : CountedDay(number + 1, at: moment)
  }
}

extension CountedDay {
  /// Nil for anything else than what `json` gives.
  init?(_ json: JSON) {
    guard let number = json["number"]?.integer, number > 0, let end = json["end"]?.integer,
      let known = json["known"]?.integer, let date = json["endDate"]?.integer,
      let zone = json["zoneOffset"]?.integer
    else { return nil }
    self.number = number
    self.end = .milliseconds(end)
    self.known = .milliseconds(known)
    endDate = Date(timeIntervalSince1970: Double(date) / 1_000)
    zoneOffset = Int(zone)
  }

  var json: JSON {
    [
      "number": .integer(number), "end": .integer(end.milliseconds),
      "known": .integer(known.milliseconds),
      "endDate": .integer(Int64((endDate.timeIntervalSince1970 * 1_000).rounded())),
      "zoneOffset": .integer(Int64(zoneOffset)),
    ]
  }
}
