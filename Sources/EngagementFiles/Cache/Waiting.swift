import EngagementModel

/// Runs work that blocks on the disk on a thread of its own, so that it holds up no thread of
/// Swift's shared pool.
func onOwnThread<Value: Sendable>(
  _ work: @escaping @Sendable () throws(EngagementError) -> Value
) async throws(EngagementError) -> Value {
  let result: Result<Value, EngagementError> = await withCheckedContinuation { continuation in
    do throws(EngagementError) {
      try detachThread(for: "the files") { continuation.resume(returning: Result(catching: work)) }
    } catch {
      continuation.resume(returning: .failure(error))
    }
  }
  return try result.get()
}

/// Runs the work and cancels it after the time; that throws `deadlineExceeded`.
func withinTime<Value: Sendable>(
  _ limit: Duration, _ work: @escaping @Sendable () async throws(EngagementError) -> Value
) async throws(EngagementError) -> Value {
  let first = await withTaskGroup(of: Result<Value, EngagementError>?.self) { group in
    group.addTask {
      do throws(EngagementError) { return .success(try await work()) } catch {
        return .failure(error)
      }
    }
    group.addTask {
      // Without a result, too, when the work ends first.
      try? await Task.sleep(for: limit)
      return nil
    }
    defer { group.cancelAll() }
    return await group.next().flatMap { $0 }
  }
  guard let first else {
    guard !Task.isCancelled else { throw FileCache.cancelled }
    throw EngagementError(
      .deadlineExceeded, "The file was not complete in time: try again later.")
  }
  return try first.get()
}
