import EngagementModel
import EngagementPlatform

/// A thread for what happens later: delayed answers, slow bytes, the end.
///
/// The HTTP library's threads must not wait, and neither must Swift's shared pool.
// What changes is reached under the mutex alone.
@safe final class TimerThread: @unchecked Sendable {
  private struct Job {
    let due: ContinuousClock.Instant
    let work: @Sendable () -> Void
  }

  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let wakeUp: UnsafeMutablePointer<pthread_cond_t>
  private var jobs: [Job] = []
  private var last: (@Sendable () -> Void)?
  private var isHurrying = false

  init() throws(EngagementError) {
    unsafe mutex = .allocate(capacity: 1)
    unsafe wakeUp = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    unsafe wakeUp.initialize(to: pthread_cond_t())
    unsafe pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    unsafe pthread_condattr_init(&attributes)
    // A step of the wall clock must not hold up an answer.
    unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    unsafe pthread_cond_init(wakeUp, &attributes)
    unsafe pthread_condattr_destroy(&attributes)
    try detachThread(for: "the emulator") { self.run() }
  }

  deinit {
    unsafe pthread_cond_destroy(wakeUp)
    unsafe pthread_mutex_destroy(mutex)
    unsafe wakeUp.deallocate()
    unsafe mutex.deallocate()
  }

  /// Does the work after a while; at once, on this thread, when the end has begun.
  func after(_ delay: Duration, _ work: @escaping @Sendable () -> Void) {
    locked {
      jobs.append(Job(due: .now + delay, work: work))
      unsafe pthread_cond_signal(wakeUp)
    }
  }

  /// Does all that waits now, whatever comes up meanwhile, then this, and ends the thread.
  func end(_ work: @escaping @Sendable () -> Void) {
    locked {
      isHurrying = true
      last = work
      unsafe pthread_cond_signal(wakeUp)
    }
  }

  private func run() {
    while let work = next() { work() }
  }

  private func next() -> (@Sendable () -> Void)? {
    locked {
      while true {
        let first = jobs.indices.min { jobs[$0].due < jobs[$1].due }
        if let first, isHurrying || jobs[first].due <= .now { return jobs.remove(at: first).work }
        if isHurrying {
          defer { last = nil }
          return last
        }
        wait(until: first.map { jobs[$0].due })
      }
    }
  }

  private func wait(until due: ContinuousClock.Instant?) {
    guard let due else {
      unsafe pthread_cond_wait(wakeUp, mutex)
      return
    }
    let (seconds, attoseconds) = max(.zero, due - .now).components
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    let nanoseconds = time.tv_nsec + Int(attoseconds / 1_000_000_000) + 1
    time.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
    time.tv_nsec = nanoseconds % 1_000_000_000
    unsafe pthread_cond_timedwait(wakeUp, mutex, &time)
  }

  private func locked<Value>(_ body: () -> Value) -> Value {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return body()
  }
}
