import EngagementModel
import EngagementStore
import Foundation
import Testing

@testable import EngagementKit

@Suite("days of caps") struct CountedDayTests {
  /// 2026-10-01T09:00:00Z, a Thursday.
  private static let start = 1_790_845_200.0

  private func moment(
    _ hours: Double, uptime: Double? = nil, zone: Double = 3, mayFollowStart: Bool = true
  ) -> CountedDay.Moment {
    CountedDay.Moment(
      date: Date(timeIntervalSince1970: Self.start + hours * 3_600),
      uptime: .seconds(((uptime ?? hours) + 100) * 3_600), zoneOffset: Int(zone * 3_600),
      mayFollowStart: mayFollowStart)
  }

  private func number(_ moments: CountedDay.Moment...) -> Int64 {
    moments.reduce(CountedDay(at: moment(0))) { day, moment in
      let next = day.day(at: moment)
      #expect(CountedDay(next.json) == next)
      return next
    }.number
  }

  @Test("X17: a day ends at midnight of the zone, and the next one a day later")
  func midnight() {
    #expect(number(moment(11.99)) == 1)
    #expect(number(moment(12)) == 2)
    #expect(number(moment(12), moment(35.99)) == 2)
    #expect(number(moment(12), moment(36)) == 3)
    // Nobody looked for ten days.
    #expect(number(moment(240)) == 2)
  }

  @Test("X17: a clock that is set ends no day and prolongs none")
  func jumps() {
    for years in [-20.0, -1, 1, 20] {
      let hours = years * 8_760
      #expect(number(moment(hours, uptime: 1)) == 1)
      #expect(number(moment(hours, uptime: 11.99)) == 1)
      #expect(number(moment(hours, uptime: 12)) == 2)
    }
  }

  @Test("X17: a journey to another zone ends the day at that zone's midnight")
  func zones() {
    #expect(number(moment(6, zone: 8), moment(6.99, zone: 8)) == 1)
    #expect(number(moment(6, zone: 8), moment(7, zone: 8)) == 2)
    #expect(number(moment(6, zone: -5), moment(19.99, zone: -5)) == 1)
    #expect(number(moment(6, zone: -5), moment(20, zone: -5)) == 2)
  }

  @Test("X17: after the machine started again the wall clock says whether the day is over")
  func restart() {
    #expect(number(moment(5, uptime: -90)) == 1)
    #expect(number(moment(5, uptime: -90), moment(12, uptime: -83)) == 2)
    #expect(number(moment(13, uptime: -90)) == 2)
    // A clock that was set back meanwhile does not make the day longer than a day.
    #expect(number(moment(-9_000, uptime: -90), moment(-8_970, uptime: -60)) == 2)
  }

  @Test("X17: a machine that is started each day and switched off stays on no day for ever")
  func dailyStarts() {
    // Each day the first look comes as long after the start as on the day before.
    #expect(number(moment(24, uptime: 1)) == 2)
    #expect(number(moment(24, uptime: 1), moment(48, uptime: 1), moment(72, uptime: 1)) == 4)
    // Each day it is used for eight hours.
    var day = CountedDay(at: moment(0))
    for start in [0.0, 24, 48] {
      for hour in [0.0, 4, 8] {
        day = day.day(at: moment(start + hour, uptime: hour + start / 240))
      }
    }
    #expect(day.number == 3)
  }

  @Test("X17: while a process runs, a clock that is set by any time ends no day and prolongs none")
  func oneProcess() {
    for hours in [-40.0, -1, 1, 13, 40, 9_000] {
      let (set, later) = (
        moment(hours, uptime: 1, mayFollowStart: false),
        moment(hours + 10.9, uptime: 11.9, mayFollowStart: false)
      )
      #expect(number(set, later) == 1)
      // The next process finds the clocks as they were left.
      #expect(number(set, moment(hours + 10.9, uptime: 11.9)) == 1)
      #expect(number(set, later, moment(hours + 11, uptime: 12)) == 2)
    }
  }

  @Test("X17: looks within five minutes change nothing that is stored")
  func fewLooks() {
    let day = CountedDay(at: moment(0))
    for seconds in 1..<300 { #expect(day.day(at: moment(Double(seconds) / 3_600)) == day) }
    #expect(day.day(at: moment(300 / 3_600.0)) != day)
  }

  @Test("X17: a clock that is wrong after each start makes no day longer than a day of use")
  func lostClock() {
    // The clock begins in 1970 with each start, and is put right after a minute.
    var day = CountedDay(at: moment(0))
    for run in 0..<4 {
      let start = Double(run) * 24
      day = day.day(at: moment(-400_000, uptime: -99.9))
      for hour in [0.1, 2, 4, 6, 8] { day = day.day(at: moment(start + hour, uptime: hour - 99.9)) }
    }
    #expect(day.number > 1)
  }

  @Test(
    "X17: a quiet time is of the days on which it begins",
    arguments: [
      (PersonUpdate.Day.thursday, 9.9, nil as Double?), (.thursday, 10, 19), (.thursday, 18, 19),
      (.thursday, 19, nil), (.friday, 18, nil), (.friday, 34, 43), (.everyDay, 42.5, 43),
    ])
  func quietTimes(day: PersonUpdate.Day, hours: Double, end: Double?) throws {
    let now = moment(hours)
    let rules = CapRules(
      caps: .init(quietTimes: [try Options.QuietTime(fromHour: 22, toHour: 7, on: [day])]),
      counts: ShowingCounts(), day: CountedDay(at: now), moment: now)
    let hold = rules.hold(ContentKey(of: ItemID("p", "1"), on: .campaigns))
    #expect(hold?.until == end.map { moment($0).date })
  }
}
