public import EngagementModel

extension Engagement.Route {
  /// The route as a configuration writes it, such as `{"merge": ["a", "b"]}`, `{"only": "a"}` or
  /// `"none"`.
  public var json: JSON {
    let parts = parts
    guard parts.strategy != .none else { return "none" }
    var object: JSONObject = [parts.strategy.rawValue: body(of: parts)]
    if let failOver = parts.failOver { failOver.write(to: &object) }
    return .object(object)
  }

  private func body(of parts: Parts) -> JSON {
    if let split = parts.split { return split.json }
    if let inner = parts.inner, let shadow = parts.shadow { return shadow.json(beside: inner) }
    return parts.strategy == .only
      ? .string(parts.named.first?.rawValue ?? "") : JSON(parts.named)
  }

  /// Reads what `json` writes; throws `invalidArgument` for anything else.
  public init(json: JSON) throws(EngagementError) {
    guard json != "none" else {
      self = .none
      return
    }
    guard let object = json.object, let strategy = RouteStrategy(in: object),
      let body = object[strategy.rawValue],
      let route = Self(try Self.parts(strategy, body, object))
    else {
      throw .argumentFault(
        "A route is only, merge, none, firstReady, mirror, shadow or split, with its providers.")
    }
    self = route
  }

  private static func parts(
    _ strategy: RouteStrategy, _ body: JSON, _ object: JSONObject
  ) throws(EngagementError) -> Parts {
    var parts = Parts(strategy: strategy)
    if strategy == .firstReady {
      parts.failOver = try FailOver(members: object)
    } else {
      try object.allow([strategy.rawValue])
    }
    if strategy == .split {
      parts.split = try Split(json: body)
    } else if strategy == .shadow {
      (parts.inner, parts.shadow) = try Shadow.read(body)
    } else if strategy == .only {
      parts.named = [ProviderID(try body.text(strategy.rawValue))]
    } else {
      parts.named = try body.providers(strategy.rawValue)
    }
    return parts
  }
}

extension RouteStrategy {
  /// The strategy that an object names with a member; nil for none.
  fileprivate init?(in object: JSONObject) {
    guard let found = Self.allCases.first(where: { $0 != .none && object[$0.rawValue] != nil })
    else { return nil }
    self = found
  }
}

extension Engagement.FailOver {
  fileprivate func write(to object: inout JSONObject) {
    object["failures"] = .integer(Int64(failures))
    object["within"] = .string(RouteTime.text(of: window))
    object["coolDown"] = .string(RouteTime.text(of: coolDown))
    object["return"] =
      switch returning {
      case .atOnce: "atOnce"
      case .byHand: "byHand"
      case .afterRest(let rest): ["afterRest": .string(RouteTime.text(of: rest))]
      }
  }

  /// Reads the members beside `firstReady`; those that are absent are standard.
  fileprivate init(members object: JSONObject) throws(EngagementError) {
    try object.allow(["firstReady", "failures", "within", "coolDown", "return"])
    let standard = Self.standard
    try self.init(
      failures: try object["failures"].map { (value) throws(EngagementError) in
        try value.count("failures")
      } ?? standard.failures,
      within: try object.time("within") ?? standard.window,
      coolDown: try object.time("coolDown") ?? standard.coolDown,
      returning: try object["return"].map(Self.returning) ?? standard.returning)
  }

  private static func returning(_ value: JSON) throws(EngagementError) -> Returning {
    if value == "atOnce" { return .atOnce }
    if value == "byHand" { return .byHand }
    if let object = value.object, object.count == 1, let rest = try object.time("afterRest") {
      return .afterRest(rest)
    }
    let said = value.string.map { "\"\($0)\"" } ?? "no such word"
    throw .argumentFault("return is \(said); use atOnce, byHand or afterRest with a time.")
  }
}

extension Engagement.Shadow {
  fileprivate func json(beside route: Route) -> JSON {
    [
      "route": route.json, "candidates": JSON(candidates),
      "every": .string(RouteTime.text(of: interval)),
    ]
  }

  fileprivate static func read(_ body: JSON) throws(EngagementError) -> (Route, Self) {
    let object = try body.members("shadow", among: ["route", "candidates", "every"])
    let route = try Route(json: object["route"] ?? .null)
    let candidates = try (object["candidates"] ?? .null).providers("candidates")
    guard let interval = try object.time("every") else { return (route, try Self(candidates)) }
    return (route, try Self(candidates, every: interval))
  }
}
