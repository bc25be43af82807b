import EngagementPlatform

/// A value behind a lock, for short synchronous sections.
///
/// It uses a pthread mutex. On Linux the thread sanitizer cannot see the futex of
/// `Synchronization.Mutex` and reports races.
// The value is accessed only between lock and unlock, so any thread may use the object.
package final class Locked<Value>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var value: Value

  package init(_ value: sending Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs the body while holding the lock. The body must not wait for anything.
  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }

  /// Runs the body if the lock is free. Returns nil if any thread, also this one, holds it.
  package func withLockIfFree<Result>(
    _ body: (inout Value) -> sending Result
  ) -> sending Result? {
    guard pthread_mutex_trylock(mutex) == 0 else { return nil }
    defer { pthread_mutex_unlock(mutex) }
    return body(&value)
  }
}
