import EngagementAdapterAPI
import EngagementModel
import EngagementStore

// MARK: Arms of experiments

extension FeedState {
  /// Whether any of the provider's feeds is that of the container.
  func fills(_ container: ContainerID, with feeds: [Feed], of provider: ProviderID) -> Bool {
    guard !isBridged(provider, to: .cards) else { return feeds.contains(.inbox) }
    let source = source(of: container, at: provider)
    return feeds.contains { $0 == source.feed || source.isAnswer($0) }
  }

  /// The same of the inbox.
  func fillsInbox(with feeds: [Feed], of provider: ProviderID) -> Bool {
    isBridged(provider, to: .inbox)
      ? feeds.contains { $0.isWholeContainer } : feeds.contains(.inbox)
  }

  /// Whether the container shows what one of its providers has, if only that it is nothing.
  func showsArm(in container: ContainerID) -> Bool {
    let shown = plans.plan(of: container).shown
    return shown.isEmpty
      || shown.contains { isBridged($0, to: .cards) && inboxes[$0]?.view.isKnown == true }
      || feeds.contains { key, loaded in
        shown.contains(key.provider) && fills(container, with: [key.feed], of: key.provider)
          && loaded.view.isKnown
      }
  }

  /// The same of the inbox.
  var showsArmInInbox: Bool {
    let shown = plans.inbox.shown
    return shown.isEmpty || shown.contains { messages(of: $0).isKnown }
  }
}

extension FeedView {
  /// Whether the vendor has spoken of the feed.
  fileprivate var isKnown: Bool { refreshedAt != nil || !items.isEmpty }
}
