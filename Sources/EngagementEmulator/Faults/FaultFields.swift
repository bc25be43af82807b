import EngagementModel

/// The members of a part of a fault script, with its place for the error message.
struct FaultFields {
  private let json: JSON
  private let name: String

  init(_ json: JSON, _ name: String, allowed: [String]) throws(EngagementError) {
    self.json = json
    self.name = name
    guard let object = json.object else {
      throw EngagementError(.invalidConfiguration, "In the fault script, \(name) is no object")
    }
    for member in object.members where !allowed.contains(member.key) {
      throw EngagementError(
        .invalidConfiguration,
        "In the fault script, \(name) has an unknown field \"\(member.key)\""
          + NearestName.hint(for: member.key, among: allowed))
    }
  }

  func text(_ key: String) throws(EngagementError) -> String? {
    guard let value = json[key] else { return nil }
    guard let text = value.string else { throw wrong(key, "a text") }
    return text
  }

  func number(_ key: String, _ range: ClosedRange<Int>) throws(EngagementError) -> Int? {
    guard let value = json[key] else { return nil }
    guard let number = value.integer.flatMap(Int.init(exactly:)), range.contains(number) else {
      let end = range.upperBound == .max ? "" : " to \(range.upperBound)"
      throw wrong(key, "a whole number from \(range.lowerBound)\(end)")
    }
    return number
  }

  func probability() throws(EngagementError) -> Double? {
    guard let value = json["probability"] else { return nil }
    guard let number = value.number, (0...1).contains(number) else {
      throw wrong("probability", "a number from 0 to 1")
    }
    return number
  }

  func wrong(_ key: String, _ expected: String) -> EngagementError {
    EngagementError(
      .invalidConfiguration, "In the fault script, \(name).\(key) is not \(expected)")
  }
}
