import EngagementAdapterAPI
import EngagementKit
import EngagementModel
import EngagementVendors

extension ConfigurationReader {
  /// What the application's containers are called at each provider.
  func containers(
    _ field: ConfigurationField, _ providers: [ConfiguredProvider]
  ) throws(EngagementError) -> [(ContainerID, [ProviderID: Engagement.ContainerMap.Place])] {
    var containers: [(ContainerID, [ProviderID: Engagement.ContainerMap.Place])] = []
    for (name, field) in try field.members() {
      guard !name.isEmpty else { throw field.fault("is a container without a name") }
      var places: [ProviderID: Engagement.ContainerMap.Place] = [:]
      for (provider, place) in try field.members() {
        let id = try self.provider(
          ConfigurationField(value: .string(provider), path: place.path), providers)
        places[id] = try self.place(place)
        let hasContainers = providers.contains { $0.id == id && $0.hasContainers }
        guard hasContainers, case .extra = places[id] else { continue }
        throw place.fault(
          "picks cards by an extra, and the vendor has containers; give the name of one of its own")
      }
      containers.append((ContainerID(name), places))
    }
    return containers
  }

  private func place(_ field: ConfigurationField) throws(EngagementError)
    -> Engagement.ContainerMap.Place
  {
    if case .string = field.value { return .container(ContainerID(try field.string())) }
    guard case .object = field.value else {
      throw field.wrongType("a container's name or {\"extra\": NAME, \"is\": VALUE}")
    }
    let members = try field.members(among: ["extra", "is"])
    guard let extra = members["extra"] else { throw field.missing("extra") }
    guard let value = members["is"] else { throw field.missing("is") }
    return .extra(try extra.string(), is: try value.string())
  }
}
