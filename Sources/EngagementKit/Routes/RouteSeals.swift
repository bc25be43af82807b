import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// Digests of the routes that were set at run time. They tell a route that was never set from one whose row
/// is lost or damaged: data would go to vendors that it left out.
struct RouteSeals: Sendable {
  /// What stands for a route that cannot be known.
  static let damaged: JSON = "damaged"

  private let seals: ValueSeals

  init(_ memory: ProviderMemory) { seals = ValueSeals("route.seals", in: memory) }

  /// The places whose stored route is gone, another one than was stored, or no JSON.
  func broken(in memory: ProviderMemory) -> Set<RoutePlace> {
    let unreadable = memory.values.all(.installation).compactMap { RoutePlace(key: $0.key) }
      .filter { memory.json(.installation, $0.key) == nil }
    return Set(seals.broken(in: memory).compactMap(RoutePlace.init(key:)) + unreadable)
  }

  /// The change that seals what is stored for the place.
  func change(_ place: RoutePlace, in memory: ProviderMemory) -> Change {
    seals.change([place.key], in: memory)
  }
}
