import EngagementAdapterAPI
import EngagementModel

/// The arguments of `Engagement.open`, checked before anything is opened.
struct Configuration: Sendable {
  let cache: Cache
  /// Nil for a reader, which contacts no vendor.
  let device: Device?
  let providers: [Provider]
  let routes: Routes
  let containers: ContainerMap
  var templates: Templates = [:]
  var contentKeys: ContentKeys = [:]
  let options: Options

  /// Throws `invalidConfiguration` naming the first field that is wrong.
  func check() throws(EngagementError) {
    if case .file(let path) = cache { try require(path, "cache") }
    if let device {
      try require(device.appID, "device.appID")
    }
    try checkOptions()
    try checkProviders()
    try RouteRules(providers: providers, containers: containers).check(routes)
    try checkContainers()
    try templates.check(providers)
    try contentKeys.check(providers)
  }

  private func checkOptions() throws(EngagementError) {
    try require(options.environment, "options.environment")
    guard options.limits.rows > 0 else {
      throw .configurationFault("options.limits.rows is not above zero.")
    }
    guard options.limits.bytes > 0 else {
      throw .configurationFault("options.limits.bytes is not above zero.")
    }
    guard options.ledgerRetention.maximumAge.map({ $0 > .zero }) ?? true else {
      throw .configurationFault("options.ledgerRetention.maximumAge is not above zero.")
    }
    guard options.ledgerRetention.maximumEvents.map({ $0 > 0 }) ?? true else {
      throw .configurationFault("options.ledgerRetention.maximumEvents is not above zero.")
    }
    guard options.ledgerRetention.maximumPayload.map({ $0 > 0 }) ?? true else {
      throw .configurationFault("options.ledgerRetention.maximumPayload is not above zero.")
    }
    try options.checkHosts()
    try options.presentations.caps.check()
  }

  private func checkProviders() throws(EngagementError) {
    guard !providers.isEmpty else {
      throw .configurationFault("providers is empty; name at least one.")
    }
    var seen: Set<ProviderID> = []
    for (index, provider) in providers.enumerated() {
      try require(provider.id.rawValue, "providers[\(index)].id")
      guard seen.insert(provider.id).inserted else {
        throw .configurationFault(
          "providers[\(index)].id \"\(provider.id)\" is there twice; name them apart.")
      }
    }
  }

  private func checkContainers() throws(EngagementError) {
    for (container, places) in containers.places.sorted(by: { $0.key < $1.key }) {
      let field = "containers[\"\(container)\"]"
      guard !container.rawValue.isEmpty else {
        throw .configurationFault("containers has an empty name.")
      }
      for (id, place) in places.sorted(by: { $0.key < $1.key }) {
        let provider = try providers.configured(id, field)
        try check(place, "\(field)[\"\(id)\"]", provider.adapter.capabilities)
      }
    }
  }

  private func check(
    _ place: ContainerMap.Place, _ field: String, _ capabilities: AdapterCapabilities
  ) throws(EngagementError) {
    switch place {
    case .container(let own):
      try require(own.rawValue, field)
      guard capabilities.hasContainers else {
        throw .configurationFault("\(field) is a container, and the vendor has none; use an extra.")
      }
    case .extra(let name, _): try require(name, "\(field).extra")
    }
  }

  private func require(_ text: String, _ field: String) throws(EngagementError) {
    guard !text.isEmpty else { throw .configurationFault("\(field) is empty.") }
  }
}
