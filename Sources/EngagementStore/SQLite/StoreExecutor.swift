package import EngagementModel
import EngagementPlatform

/// A thread for the actor that owns the cache, so that no wait for the disk blocks the shared pool.
///
/// Jobs run one after the other, in order. The thread ends when the last reference is gone and the
/// last job is done.
package final class StoreExecutor: Sendable {
  private let worker: Worker

  package init() throws(EngagementError) {
    worker = Worker()
    let worker = worker
    try detachThread(for: "the cache") { worker.run() }
  }

  deinit { worker.close() }

  package var unowned: UnownedSerialExecutor { unsafe worker.asUnownedSerialExecutor() }
}

/// The thread and its queue. The thread keeps it alive: the job that drops the last reference to
/// the executor still runs on it.
// What changes is reached under the mutex alone.
@safe private final class Worker: SerialExecutor, @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let wakeUp: UnsafeMutablePointer<pthread_cond_t>
  private var jobs: [UnownedJob] = []
  private var isClosed = false
  private var thread: pthread_t?

  init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe wakeUp = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    unsafe wakeUp.initialize(to: pthread_cond_t())
    unsafe pthread_mutex_init(mutex, nil)
    unsafe pthread_cond_init(wakeUp, nil)
  }

  deinit {
    unsafe pthread_cond_destroy(wakeUp)
    unsafe pthread_mutex_destroy(mutex)
    unsafe wakeUp.deallocate()
    unsafe mutex.deallocate()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // The caller holds no reference, and the job may drop the last one before the signal.
    let reference = unsafe Unmanaged.passRetained(self)
    locked { jobs.append(job) }
    // Without the mutex, for which the thread would wait as soon as it wakes.
    unsafe pthread_cond_signal(wakeUp)
    unsafe reference.release()
  }

  func close() {
    locked { isClosed = true }
    unsafe pthread_cond_signal(wakeUp)
  }

  func run() {
    locked { thread = pthread_self() }
    while let batch = nextJobs() {
      for job in batch { unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
    }
  }

  func checkIsolated() {
    // The contract of this function: stop a caller that is not on the thread.
    precondition(isIsolatingCurrentContext() == true, "Not on the thread of the cache")
  }

  func isIsolatingCurrentContext() -> Bool? {
    locked { thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
  }

  /// All that waits, as soon as there is something; `nil` at the end.
  private func nextJobs() -> [UnownedJob]? {
    locked {
      while jobs.isEmpty && !isClosed { unsafe pthread_cond_wait(wakeUp, mutex) }
      defer { jobs = [] }
      return jobs.isEmpty ? nil : jobs
    }
  }

  private func locked<Value>(_ body: () -> Value) -> Value {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return body()
  }
}
