import EngagementAdapterAPI
import EngagementModel

extension ContainerMap {
  /// The feeds of the provider that make the inbox: its messages, or else all of its cards.
  ///
  /// Of a vendor with containers these are the containers that the map names at this provider, or that
  /// the application has at all if it names none, and those that were refreshed before.
  ///
  /// - Parameter known: The provider's feeds that were refreshed before.
  func inboxFeeds(
    at provider: ProviderID, _ capabilities: AdapterCapabilities, _ routes: Routes, known: [Feed]
  ) -> [Feed] {
    guard RoutedSurface.inbox.isBridged(to: capabilities) else { return [.inbox] }
    guard capabilities.hasContainers else { return [.cards] }
    let all = Set(places.keys).union(routes.containers.keys).sorted()
    let own = all.filter { places[$0]?[provider] != nil }
    let named = (own.isEmpty ? all : own).map {
      source(of: $0, at: provider, hasContainers: true).feed
    }
    var seen: Set<Feed> = []
    return (named + known.filter(\.isWholeContainer)).filter { seen.insert($0).inserted }
  }
}

extension Feed {
  /// Whether it has every card of a container, and not those alone that meet conditions.
  var isWholeContainer: Bool { surface == .cards && filters.isEmpty }
}

extension RefreshTarget {
  /// Whether every feed is asked for that was refreshed before.
  func isOfKnownFeeds(at provider: Provider) -> Bool {
    isOfAllContainers || self == .inbox && provider.adapter.capabilities.hasContainers
  }

  /// Throws for an inbox that is to show cards of containers, of which none is known.
  func checkContainers(of provider: Provider) throws(EngagementError) {
    guard self == .inbox, RoutedSurface.inbox.isBridged(to: provider.adapter.capabilities) else {
      return
    }
    throw .noContainer(for: provider.id)
  }
}

extension EngagementError {
  /// The error of an inbox that is to show cards of containers, of which none is known.
  fileprivate static func noContainer(for inbox: ProviderID) -> EngagementError {
    EngagementError(
      .invalidConfiguration,
      "The cards of \"\(inbox)\" are in containers, and containers names none for the inbox.",
      provider: inbox, operation: RoutedSurface.inbox.rawValue)
  }
}
