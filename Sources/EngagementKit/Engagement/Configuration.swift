import EngagementAdapterAPI
import EngagementModel

/// What an application opens a cache with, checked before anything is opened.
struct Configuration: Sendable {
  let cache: Cache
  /// Nil for one that only reads: no vendor is told of it.
  let device: Device?
  let providers: [Provider]
  let routes: Routes
  let containers: ContainerMap
  let options: Options

  /// Throws `invalidConfiguration` naming the first field that is wrong.
  func check() throws(EngagementError) {
    if case .file(let path) = cache { try require(path, "cache") }
    if let device {
      try require(device.id, "device.id")
      try require(device.appID, "device.appID")
    }
    try checkOptions()
    try checkProviders()
    try check(routes.cards, "routes.cards", .cards)
    try check(routes.inbox, "routes.inbox", .inbox)
    try checkContainers()
  }

  private func checkOptions() throws(EngagementError) {
    try require(options.environment, "options.environment")
    guard options.limits.rows > 0 else { throw fault("options.limits.rows is not above zero.") }
    guard options.limits.bytes > 0 else { throw fault("options.limits.bytes is not above zero.") }
  }

  private func checkProviders() throws(EngagementError) {
    guard !providers.isEmpty else { throw fault("providers is empty; name at least one.") }
    var seen: Set<ProviderID> = []
    for (index, provider) in providers.enumerated() {
      try require(provider.id.text, "providers[\(index)].id")
      guard seen.insert(provider.id).inserted else {
        throw fault("providers[\(index)].id \"\(provider.id)\" is there twice; name them apart.")
      }
    }
  }

  /// Whether the route leads to providers that are there and can do it.
  func check(
    _ route: Route, _ field: String, _ verb: Operation.Verb
  ) throws(EngagementError) {
    if case .merge(let named) = route, named.isEmpty {
      throw fault("\(field) merges nothing; name at least one provider.")
    }
    var seen: Set<ProviderID> = []
    for id in route.names {
      let provider = try provider(id, field)
      guard seen.insert(id).inserted else { throw fault("\(field) names \"\(id)\" twice.") }
      guard provider.adapter.capabilities.ability(verb).travel != .unsupported else {
        let able = providers.filter {
          $0.adapter.capabilities.ability(verb).travel != .unsupported
        }
        throw fault(
          "\(field) names \"\(id)\", which has no \(verb); "
            + (able.isEmpty
              ? "no provider has; use none."
              : "use " + able.map { "\"\($0.id)\"" }.joined(separator: " or ") + "."))
      }
    }
  }

  private func checkContainers() throws(EngagementError) {
    for (container, places) in containers.places.sorted(by: { $0.key < $1.key }) {
      let field = "containers[\"\(container)\"]"
      guard !container.text.isEmpty else { throw fault("containers has an empty name.") }
      for (id, place) in places.sorted(by: { $0.key < $1.key }) {
        let provider = try provider(id, field)
        try check(place, "\(field)[\"\(id)\"]", provider.adapter.capabilities)
      }
    }
  }

  private func check(
    _ place: ContainerMap.Place, _ field: String, _ capabilities: AdapterCapabilities
  ) throws(EngagementError) {
    switch place {
    case .container(let own):
      try require(own.text, field)
      guard capabilities.hasContainers else {
        throw fault("\(field) is a container, and the vendor has none; use an extra.")
      }
    case .extra(let name, _): try require(name, "\(field).extra")
    }
  }

  private func provider(_ id: ProviderID, _ field: String) throws(EngagementError) -> Provider {
    guard let provider = providers.first(where: { $0.id == id }) else {
      throw fault(
        "\(field) names \"\(id)\", which is no provider"
          + NearestName.hint(for: id.text, among: providers.map(\.id.text)))
    }
    return provider
  }

  private func require(_ text: String, _ field: String) throws(EngagementError) {
    guard !text.isEmpty else { throw fault("\(field) is empty.") }
  }

  private func fault(_ message: String) -> EngagementError {
    EngagementError(.invalidConfiguration, message)
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
