import EngagementKit
import EngagementModel
import EngagementVendors

extension ConfigurationReader {
  /// How often templates may interrupt one user.
  func caps(_ field: ConfigurationField) throws(EngagementError) -> Engagement.Options.Caps {
    let members = try field.members(among: [
      "perDay", "perSession", "contentPerDay", "contentEver", "quietTimes", "held",
    ])
    var caps = Engagement.Options.Caps()
    caps.perDay = try members["perDay"]?.cap()
    caps.perSession = try members["perSession"]?.cap()
    caps.contentPerDay = try members["contentPerDay"]?.cap()
    caps.contentEver = try members["contentEver"]?.cap()
    if let field = members["quietTimes"] {
      for element in try field.elements() { caps.quietTimes.append(try quietTime(element)) }
    }
    if let field = members["held"] {
      let known = Engagement.Options.Caps.Held.allCases.map(\.rawValue)
      let name = try field.name("way to hold back", among: known)
      caps.held = Engagement.Options.Caps.Held(rawValue: name) ?? .later
    }
    return caps
  }

  private func quietTime(
    _ field: ConfigurationField
  ) throws(EngagementError) -> Engagement.Options.QuietTime {
    let members = try field.members(among: ["from", "to", "days"])
    guard let from = members["from"] else { throw field.missing("from") }
    guard let to = members["to"] else { throw field.missing("to") }
    let (start, end) = (try from.timeOfDay(), try to.timeOfDay())
    var days: Set<PersonUpdate.Day> = [.everyDay]
    if let field = members["days"] {
      days = []
      let known = PersonUpdate.Day.allCases.filter { $0 != .everyDay }
      for element in try field.strings() {
        let name = try element.name("day", among: known.map(\.rawValue))
        if let day = PersonUpdate.Day(rawValue: name) { days.insert(day) }
      }
    }
    do throws(EngagementError) {
      return try Engagement.Options.QuietTime(
        fromHour: start.hour, fromMinute: start.minute, toHour: end.hour, toMinute: end.minute,
        on: days)
    } catch {
      throw EngagementError(.invalidConfiguration, "\(field.path): \(error.message)")
    }
  }
}

extension ConfigurationField {
  /// A whole number from 0 on.
  fileprivate func cap() throws(EngagementError) -> Int {
    guard case .integer(let number) = value else { throw wrongType("a whole number") }
    guard number >= 0 else { throw fault("is \(number), which is below zero") }
    return Int(clamping: number)
  }

  fileprivate func elements() throws(EngagementError) -> [ConfigurationField] {
    guard case .array(let values) = value else { throw wrongType("an array of objects") }
    return values.enumerated().map {
      ConfigurationField(value: $0.element, path: "\(path)[\($0.offset)]")
    }
  }

  /// Such as `22:00`.
  fileprivate func timeOfDay() throws(EngagementError) -> (hour: Int, minute: Int) {
    let text = try string()
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ (1...2).contains($0.utf8.count) }),
      let hour = Int(parts[0]), let minute = Int(parts[1]), (0...23).contains(hour),
      (0...59).contains(minute)
    else { throw fault("is \"\(text)\", which is no time of day; write one such as 22:00") }
    return (hour, minute)
  }
}
