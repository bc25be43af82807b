extension Engagement {
  /// The values of a feed: the current one first, then one for each change.
  ///
  /// A slow reader misses values, but never the newest. When another user signs in, that user's
  /// values follow. The sequence ends when the user signs out and when the engagement is closed.
  public struct FeedUpdates<Feed: Hashable & Sendable>: AsyncSequence, Sendable {
    let interval: Duration
    let clock: any EngagementClock
    let isCurrent: @Sendable (_ epoch: Int) -> Bool
    let subscribe: @Sendable () -> AsyncStream<Update>
    /// Completes each value before it is given; nil for values that are complete.
    var complete: (@Sendable (Feed) async -> Feed)?

    /// A value that is computed when it is read.
    struct Update: Sendable {
      /// Changes with the user and with the routes.
      let epoch: Int
      let feed: @Sendable () -> Feed
    }

    /// Each iterator observes by itself, from when it is made.
    public func makeAsyncIterator() -> Iterator {
      Iterator(
        interval: interval, clock: clock, isCurrent: isCurrent,
        updates: subscribe().makeAsyncIterator(), complete: complete)
    }

    public struct Iterator: AsyncIteratorProtocol {
      let interval: Duration
      let clock: any EngagementClock
      let isCurrent: @Sendable (Int) -> Bool
      var updates: AsyncStream<Update>.Iterator
      let complete: (@Sendable (Feed) async -> Feed)?
      private var last: (feed: Feed, at: Duration)?

      init(
        interval: Duration, clock: any EngagementClock,
        isCurrent: @escaping @Sendable (Int) -> Bool,
        updates: AsyncStream<Update>.Iterator, complete: (@Sendable (Feed) async -> Feed)?
      ) {
        self.interval = interval
        self.clock = clock
        self.isCurrent = isCurrent
        self.updates = updates
        self.complete = complete
      }

      public mutating func next() async -> Feed? { await next(isolation: #isolation) }

      public mutating func next(isolation actor: isolated (any Actor)?) async -> Feed? {
        if let last, interval > .zero { await clock.sleep(until: last.at + interval) }
        while let update = await updates.next(isolation: actor) {
          var feed = update.feed()
          if let complete { feed = await complete(feed) }
          // Checked last: the user may have changed since the update was taken.
          guard isCurrent(update.epoch), feed != last?.feed else { continue }
          last = (feed, clock.uptime)
          return feed
        }
        return nil
      }
    }
  }
}
