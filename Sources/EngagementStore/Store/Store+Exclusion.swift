import EngagementFormats
package import EngagementModel

extension Store {
  /// Runs a body while no other process of the cache runs one for the same work. Throws `busy` if it
  /// has to wait for longer than it may.
  package nonisolated func excluding<Value>(
    _ work: String, within wait: Duration, _ body: () async -> Value
  ) async throws(EngagementError) -> Value {
    let name = SHA256.digest(of: work).description.prefix(8)
    let path = try "\(StoreFile(options.path).path).\(name).lock"
    var lock = try SideLock(at: path)
    try await lock.acquireAsleep(within: wait)
    defer {
      StoreFile.remove(path)
      lock.release()
    }
    return await body()
  }
}
