import EngagementModel

/// Runs the body and cancels it when the time is up; nil sets no limit. Returns when the body has
/// returned, and whether the time was up.
func withTimeLimit<Value: Sendable>(
  _ limit: Duration?, on clock: any EngagementClock,
  _ body: @escaping @Sendable () async -> Value
) async -> (value: Value, isLate: Bool) {
  guard let limit else { return (await body(), false) }
  let end = clock.uptime + limit
  return await withTaskGroup(of: Value?.self) { group in
    group.addTask { await body() }
    group.addTask {
      await clock.sleep(until: end)
      return nil
    }
    var isLate = false
    while let ended = await group.next() {
      group.cancelAll()
      if let value = ended { return (value, isLate) }
      isLate = true
    }
    // One of the two children always has the value.
    return (await body(), isLate)
  }
}

extension AsyncSignal {
  /// Waits until it was fired more often than that, the uptime is reached or the task is cancelled.
  func wait(after count: Int, until end: Duration, by clock: any EngagementClock) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.wait(after: count) }
      group.addTask { await clock.sleep(until: end) }
      await group.next()
      group.cancelAll()
    }
  }
}
