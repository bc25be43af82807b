import EngagementModel

/// How the members of a route are read. Each fault names the member.
extension JSON {
  init(_ providers: [ProviderID]) { self = .array(providers.map { .string($0.rawValue) }) }

  func text(_ field: String) throws(EngagementError) -> String {
    guard let string else { throw .argumentFault("\(field) is no text.") }
    return string
  }

  func count(_ field: String) throws(EngagementError) -> Int {
    guard let count = integer.flatMap({ Int(exactly: $0) }) else {
      throw .argumentFault("\(field) is no whole number.")
    }
    return count
  }

  func providers(_ field: String) throws(EngagementError) -> [ProviderID] {
    let names = array?.compactMap(\.string)
    guard let names, names.count == array?.count else {
      throw .argumentFault("\(field) is no list of providers.")
    }
    return names.map(ProviderID.init)
  }

  /// The object, if it has no members but these.
  func members(_ field: String, among names: [String]) throws(EngagementError) -> JSONObject {
    guard let object else { throw .argumentFault("\(field) is no object.") }
    try object.allow(names)
    return object
  }
}

extension JSONObject {
  func allow(_ names: [String]) throws(EngagementError) {
    for key in members.map(\.key) where !names.contains(where: key.hasSameBytes) {
      throw .argumentFault("A route has \"\(key)\"" + NearestName.hint(for: key, among: names))
    }
  }

  /// The time of a member; nil if the member is absent.
  func time(_ field: String) throws(EngagementError) -> Duration? {
    guard let value = self[field] else { return nil }
    guard let time = value.string.flatMap(RouteTime.duration) else {
      throw .argumentFault("\(field) is no time; write one such as 30s, 5m or 2h.")
    }
    return time
  }
}
