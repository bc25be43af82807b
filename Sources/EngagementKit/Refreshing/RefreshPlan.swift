import EngagementAdapterAPI
import EngagementModel

/// The requests of a refresh to one provider.
struct RefreshPlan: Sendable {
  let provider: Provider
  /// The operations with the feeds that they fill; empty if the vendor does not have the target.
  let requests: [Request]

  struct Request: Hashable, Sendable {
    var operation: Operation
    var feed: Feed?
  }

  init(
    _ target: RefreshTarget, at provider: Provider, _ containers: ContainerMap,
    _ plans: RoutePlans, known: [Feed]
  ) {
    self.provider = provider
    let capabilities = provider.adapter.capabilities
    let requests: [Request] =
      switch target {
      case .cards(in: let container?, let filters):
        [
          Request(
            containers.feed(of: container, at: provider.id, capabilities), filters, capabilities)
        ]
      case .cards(in: nil, let filters):
        containers.feeds(at: provider.id, capabilities, plans, known: known)
          .map { Request($0, filters, capabilities) }
      case .inbox:
        containers.inboxFeeds(at: provider.id, capabilities, plans.routes, known: known)
          .map { Request($0) }
      case .message(let id): [Request(operation: .message(id.value), feed: nil)]
      case .person: [Request(operation: .person, feed: nil)]
      case .metrics: [Request(operation: .metrics, feed: nil)]
      case .campaigns: [Request(operation: .campaigns, feed: .campaigns)]
      case .settings: [Request(operation: .settings, feed: nil)]
      }
    self.requests = requests.filter {
      capabilities.ability($0.operation.verb).travel != .unsupported
    }
  }
}

extension RefreshPlan.Request {
  fileprivate init(_ feed: Feed, _ filters: [CardFilter], _ capabilities: AdapterCapabilities) {
    var feed = feed
    feed.filters = capabilities.filters.split(filters).asked
    self.init(feed)
  }

  /// The request for a feed of cards or for the inbox.
  init(_ feed: Feed) {
    let isInbox = feed.surface == .inbox
    self.init(
      operation: isInbox ? .inbox : .cards(in: feed.container, matching: feed.filters), feed: feed)
  }
}

extension ContainerMap {
  /// The vendor's feed behind the application's container.
  fileprivate func feed(
    of container: ContainerID, at provider: ProviderID, _ capabilities: AdapterCapabilities
  ) -> Feed {
    source(
      of: container, at: provider, hasContainers: capabilities.hasContainers,
      isBridged: RoutedSurface.cards.isBridged(to: capabilities)
    ).feed
  }

  /// Every feed of cards that the application has configured or refreshed before, without those of
  /// containers that other providers fill.
  fileprivate func feeds(
    at provider: ProviderID, _ capabilities: AdapterCapabilities, _ plans: RoutePlans,
    known: [Feed]
  ) -> [Feed] {
    if RoutedSurface.cards.isBridged(to: capabilities) { return [.inbox] }
    guard capabilities.hasContainers else { return [.cards] }
    var (named, foreign): ([Feed], Set<Feed>) = ([], [])
    for container in Set(places.keys).union(plans.routes.containers.keys).sorted() {
      let feed = feed(of: container, at: provider, capabilities)
      if plans.plan(of: container).shows(provider) {
        named.append(feed)
      } else {
        foreign.insert(feed)
      }
    }
    let known = known.filter {
      $0.surface == .cards && $0.filters.isEmpty && !foreign.contains($0)
        && plans.cards.shows(provider)
    }
    var seen: Set<Feed> = []
    return (named + known).filter { seen.insert($0).inserted }
  }
}
