import EngagementModel

extension Showcase {
  /// Values of a container, worked out by whoever reads them.
  func cardUpdates<Feed: Hashable & Sendable>(
    in container: ContainerID, every interval: Duration,
    _ feed: @escaping @Sendable (CardExhibit) -> Feed
  ) -> FeedUpdates<Feed> {
    updates(every: interval) { updates in
      .cards(container) { exhibit in
        updates.yield(.init(epoch: exhibit.epoch) { feed(exhibit) })
      } finish: {
        updates.finish()
      }
    }
  }

  /// Values of the inbox.
  func inboxUpdates() -> FeedUpdates<InboxFeed> {
    updates(every: .zero) { updates in
      .inbox { exhibit in
        updates.yield(.init(epoch: exhibit.epoch) { exhibit.feed })
      } finish: {
        updates.finish()
      }
    }
  }

  private func updates<Feed: Hashable & Sendable>(
    every interval: Duration,
    _ observer:
      @escaping @Sendable (AsyncStream<FeedUpdates<Feed>.Update>.Continuation) -> Observer
  ) -> FeedUpdates<Feed> {
    let subscribe = { @Sendable in
      let (stream, updates) = AsyncStream.makeStream(
        of: FeedUpdates<Feed>.Update.self, bufferingPolicy: .bufferingNewest(1))
      let number = self.add(observer(updates))
      updates.onTermination = { [weak self] _ in self?.removeObserver(number) }
      return stream
    }
    return FeedUpdates(
      interval: interval, clock: clock, isCurrent: { self.isCurrent($0) }, subscribe: subscribe)
  }
}
