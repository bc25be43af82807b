import EngagementAdapterAPI
import EngagementFormats
import EngagementModel
import EngagementStore

/// Digests of the routes that were set at run time. They tell a route that was never set from one whose row
/// is lost or damaged: data would go to vendors that it left out.
struct RouteSeals: Sendable {
  /// What stands for a route that cannot be known.
  static let damaged: JSON = "damaged"

  private static let name = "route.seals"
  private let seals: JSONObject

  init(_ memory: ProviderMemory) {
    seals = memory.json(.installation, Self.name)?.object ?? [:]
  }

  /// The places whose stored route is gone or another one than was stored. Caches of an earlier release have
  /// no seals.
  func broken(in memory: ProviderMemory) -> Set<RoutePlace> {
    Set(
      seals.members.compactMap { member in
        guard let place = RoutePlace(key: member.key) else { return nil }
        return Self.seal(of: place, in: memory) == member.value ? nil : place
      })
  }

  /// The change that seals what is stored for the place.
  func change(_ place: RoutePlace, in memory: ProviderMemory) -> Change {
    var seals = seals
    seals[place.key] = Self.seal(of: place, in: memory)
    return KitState.change(.installation, Self.name, seals.members.isEmpty ? nil : .object(seals))
  }

  private static func seal(of place: RoutePlace, in memory: ProviderMemory) -> JSON? {
    memory.values[.installation, place.key].map { text in
      .string(String(SHA256.digest(of: place.key + "\n" + text).description.prefix(16)))
    }
  }
}
