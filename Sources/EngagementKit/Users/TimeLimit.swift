/// Runs the body, cancels it when the time is up, and says whether it was; no limit waits for as
/// long as it takes. A body that goes on although it is cancelled is waited for.
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
