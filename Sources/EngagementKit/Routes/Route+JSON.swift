public import EngagementModel

extension Engagement.Route {
  /// The route as a configuration writes it: `{"merge": ["a", "b"]}`, `{"only": "a"}`, `"none"`.
  public var json: JSON {
    switch self {
    case .only(let provider): ["only": .string(provider.rawValue)]
    case .merge(let providers): ["merge": .array(providers.map { .string($0.rawValue) })]
    case .none: "none"
    }
  }

  /// Reads what `json` writes; throws `invalidArgument` for anything else.
  public init(json: JSON) throws(EngagementError) {
    if json == "none" {
      self = .none
      return
    }
    guard let object = json.object, object.count == 1, let member = object.members.first,
      let route = Self.read(member)
    else {
      throw EngagementError(.invalidArgument, "A route is only, merge or none, with its providers.")
    }
    self = route
  }

  private static func read(_ member: JSONObject.Member) -> Route? {
    switch (member.key, member.value) {
    case ("only", .string(let provider)): return .only(ProviderID(provider))
    case ("merge", .array(let values)):
      let names = values.compactMap(\.string)
      return names.count == values.count ? .merge(names.map(ProviderID.init)) : nil
    default: return nil
    }
  }
}
