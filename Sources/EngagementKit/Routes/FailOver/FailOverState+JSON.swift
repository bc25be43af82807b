import EngagementModel

extension FailOverState.Kept {
  var json: JSON {
    var object: JSONObject = [:]
    object["shown"] = shown.map { .string($0.rawValue) }
    if !breakers.isEmpty { object["breakers"] = Self.object(breakers) { $0.json } }
    if !answering.isEmpty { object["answering"] = Self.object(answering) { JSON($0) } }
    object["seenAt"] = seenAt.map { JSON($0) }
    return .object(object)
  }

  private static func object<Value>(
    _ values: [ProviderID: Value], _ json: (Value) -> JSON
  ) -> JSON {
    var object: JSONObject = [:]
    for (provider, value) in values.sorted(by: { $0.key < $1.key }) {
      object[provider.rawValue] = json(value)
    }
    return .object(object)
  }

  /// Reads what `json` writes, and passes over the rest.
  init(json: JSON) {
    shown = json["shown"]?.string.map { ProviderID($0) }
    for member in json["breakers"]?.object?.members ?? [] {
      breakers[ProviderID(member.key)] = Breaker(json: member.value)
    }
    for member in json["answering"]?.object?.members ?? [] {
      answering[ProviderID(member.key)] = member.value.integer.map { .milliseconds($0) }
    }
    seenAt = json["seenAt"]?.uptime
  }
}

extension Breaker {
  fileprivate var json: JSON {
    var object: JSONObject = [:]
    if !failures.isEmpty { object["failures"] = .array(failures.map { JSON($0) }) }
    object["openedAt"] = openedAt.map { JSON($0) }
    object["probedAt"] = probedAt.map { JSON($0) }
    return .object(object)
  }

  fileprivate init(json: JSON) {
    self.init(
      failures: (json["failures"]?.array ?? []).compactMap(\.uptime),
      openedAt: json["openedAt"]?.uptime, probedAt: json["probedAt"]?.uptime)
  }
}

extension JSON {
  /// An uptime in milliseconds, not rounded up: a moment that has been is never one to come.
  fileprivate init(_ uptime: Duration) { self = .integer(uptime.milliseconds) }

  fileprivate var uptime: Duration? {
    guard let integer, integer >= 0 else { return nil }
    return .milliseconds(integer)
  }
}
