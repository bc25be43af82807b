import EngagementModel

extension FeedPublisher {
  /// Values of a container, computed when they are read.
  func cardUpdates<Feed: Hashable & Sendable>(
    in container: ContainerID, matching filters: [CardFilter] = [], every interval: Duration,
    _ feed: @escaping @Sendable (ContainerSnapshot) -> Feed
  ) -> FeedUpdates<Feed> {
    updates(every: interval) { updates in
      .cards(container, matching: filters) { snapshot in
        updates.yield(.init(epoch: snapshot.epoch) { feed(snapshot) })
      } finish: {
        updates.finish()
      }
    }
  }

  /// Values of the inbox.
  func inboxUpdates() -> FeedUpdates<InboxFeed> {
    updates(every: .zero) { updates in
      .inbox { snapshot in
        updates.yield(.init(epoch: snapshot.epoch) { snapshot.feed })
      } finish: {
        updates.finish()
      }
    }
  }

  private func updates<Feed: Hashable & Sendable>(
    every interval: Duration,
    _ observer:
      @escaping @Sendable (AsyncStream<FeedUpdates<Feed>.Update>.Continuation) -> FeedObserver
  ) -> FeedUpdates<Feed> {
    let subscribe = { @Sendable in
      let (stream, updates) = AsyncStream.makeStream(
        of: FeedUpdates<Feed>.Update.self, bufferingPolicy: .bufferingNewest(1))
      let observer = observer(updates)
      if let number = self.add(observer) {
        updates.onTermination = { [weak self] _ in self?.removeObserver(number) }
      } else {
        observer.finish()
      }
      return stream
    }
    return FeedUpdates(
      interval: interval, clock: clock, isCurrent: { self.isCurrent($0) }, subscribe: subscribe)
  }
}
