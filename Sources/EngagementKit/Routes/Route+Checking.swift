import EngagementAdapterAPI
import EngagementFormats
import EngagementModel

extension [Provider] {
  /// Throws `invalidConfiguration`, naming the field, for a route that merges nothing, names a
  /// provider twice, or names one that is not there or lacks the surface.
  func check(_ route: Route, of surface: RoutedSurface) throws(EngagementError) {
    let (field, verb) = ("routes.\(surface.rawValue)", surface.verb)
    if case .merge(let named) = route, named.isEmpty {
      throw .configurationFault("\(field) merges nothing; name at least one provider.")
    }
    var seen: Set<ProviderID> = []
    for id in route.names {
      let provider = try configured(id, field)
      guard seen.insert(id).inserted else {
        throw .configurationFault("\(field) names \"\(id)\" twice.")
      }
      guard !provider.has(verb) else { continue }
      let able = filter { $0.has(verb) }.map { "\"\($0.id)\"" }
      throw .configurationFault(
        "\(field) names \"\(id)\", which has no \(verb); "
          + (able.isEmpty
            ? "no provider has; use none." : "use " + able.joined(separator: " or ") + "."))
    }
  }

  /// The provider that a field names; throws `invalidConfiguration` if there is none.
  func configured(_ id: ProviderID, _ field: String) throws(EngagementError) -> Provider {
    guard let provider = first(where: { $0.id == id }) else {
      throw .configurationFault(
        "\(field) names \"\(id)\", which is no provider"
          + NearestName.hint(for: id.rawValue, among: map(\.id.rawValue)))
    }
    return provider
  }
}

extension EngagementError {
  /// An error in the arguments of `Engagement.open`.
  static func configurationFault(_ message: String) -> EngagementError {
    EngagementError(.invalidConfiguration, message)
  }
}

extension Provider {
  fileprivate func has(_ verb: Operation.Verb) -> Bool {
    adapter.capabilities.ability(verb).travel != .unsupported
  }
}

extension Route {
  /// The providers that it names, as often as it does.
  fileprivate var names: [ProviderID] {
    switch self {
    case .only(let provider): [provider]
    case .merge(let providers): providers
    case .none: []
    }
  }
}
