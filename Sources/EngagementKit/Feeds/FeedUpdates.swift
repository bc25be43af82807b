extension Engagement {
  /// What is seen and what it becomes: the present value first, then one for each change.
  ///
  /// A slow reader misses values, never the newest. When another user signs in, the values go on
  /// with that user's; when the user signs out, they end.
  public struct FeedUpdates<Feed: Hashable & Sendable>: AsyncSequence, Sendable {
    let interval: Duration
    let clock: any EngagementClock
    let isCurrent: @Sendable (_ epoch: Int) -> Bool
    let subscribe: @Sendable () -> AsyncStream<Update>

    /// A value that is worked out only where somebody reads it.
    struct Update: Sendable {
      /// Under which user and which route it is shown.
      let epoch: Int
      let feed: @Sendable () -> Feed
    }

    /// Each iterator observes by itself, from when it is made.
    public func makeAsyncIterator() -> Iterator {
      Iterator(
        interval: interval, clock: clock, isCurrent: isCurrent,
        updates: subscribe().makeAsyncIterator())
    }

    public struct Iterator: AsyncIteratorProtocol {
      let interval: Duration
      let clock: any EngagementClock
      let isCurrent: @Sendable (Int) -> Bool
      var updates: AsyncStream<Update>.Iterator
      private var last: (feed: Feed, at: Duration)?

      init(
        interval: Duration, clock: any EngagementClock,
        isCurrent: @escaping @Sendable (Int) -> Bool,
        updates: AsyncStream<Update>.Iterator
      ) {
        self.interval = interval
        self.clock = clock
        self.isCurrent = isCurrent
        self.updates = updates
      }

      public mutating func next() async -> Feed? { await next(isolation: #isolation) }

      public mutating func next(isolation actor: isolated (any Actor)?) async -> Feed? {
        if let last, interval > .zero { await clock.sleep(until: last.at + interval) }
        while let update = await updates.next(isolation: actor) {
          let feed = update.feed()
          // Asked last: what was taken out before another user came is not handed out after.
          guard isCurrent(update.epoch), feed != last?.feed else { continue }
          last = (feed, clock.uptime)
          return feed
        }
        return nil
      }
    }
  }
}
