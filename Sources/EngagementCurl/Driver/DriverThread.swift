import EngagementModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The thread that libcurl runs on, and the executor of the driver: its jobs run there between
/// libcurl's own work.
///
/// It ends when it has been closed and the last transfer is done.
final class DriverThread: SerialExecutor {
  fileprivate enum Work {
    case job(UnownedJob)
    case cancel(Ticket)
  }

  fileprivate struct State {
    var work: [Work] = []
    var isClosed = false
    /// Whether the thread looks at its work no more before it waits.
    var isWaiting = false
    var thread: pthread_t?
  }

  let multi: MultiHandle
  private let state = Locked(State())

  init() throws(EngagementError) { multi = try MultiHandle() }

  func start(_ driver: CurlDriver) throws(EngagementError) {
    let own = unsafe Unmanaged.passRetained(driver)
    var thread = pthread_t(bitPattern: 0)
    let code = unsafe pthread_create(&thread, nil, threadMain, own.toOpaque())
    guard code == 0 else {
      unsafe own.release()
      throw EngagementError(
        .internalFailure, "There is no thread for the network: the system has too many.",
        underlying: "errno \(code)")
    }
    // Nobody can join it: the last reference to a transport may be dropped anywhere.
    pthread_detach(thread)
  }

  func enqueue(_ job: consuming ExecutorJob) { add(.job(UnownedJob(job))) }

  /// Ends the transfer with that ticket, after whatever was enqueued before.
  func cancel(_ ticket: Ticket) { add(.cancel(ticket)) }

  func close() {
    state.withLock { $0.isClosed = true }
    multi.wake()
  }

  func checkIsolated() {
    // What this is for: whoever is not on the thread must not go on.
    precondition(isIsolatingCurrentContext() == true, "Not on the thread of the network")
  }

  func isIsolatingCurrentContext() -> Bool? { state.withLock { $0.isCurrent } }

  fileprivate func run(_ driver: CurlDriver) {
    // A peer that has gone must not end the process; with the signal blocked, writing fails.
    blockBrokenPipes()
    state.withLock { $0.thread = pthread_self() }
    repeat {
      while let work = nextWork() { run(work, driver) }
      driver.assumeIsolated { $0.turn() }
    } while !isOver(driver)
  }

  private func run(_ work: [Work], _ driver: CurlDriver) {
    for piece in work {
      switch piece {
      case .job(let job): unsafe job.runSynchronously(on: asUnownedSerialExecutor())
      case .cancel(let ticket): driver.assumeIsolated { $0.cancel(ticket) }
      }
    }
  }

  private func add(_ piece: Work) {
    let mustWake = state.withLock { state in
      state.work.append(piece)
      defer { state.isWaiting = false }
      return state.isWaiting && !state.isCurrent
    }
    if mustWake { multi.wake() }
  }

  /// All that waits; nil where there is nothing, and then whoever adds something wakes the thread.
  private func nextWork() -> [Work]? {
    state.withLock { state in
      state.isWaiting = state.work.isEmpty
      guard !state.isWaiting else { return nil }
      defer { state.work = [] }
      return state.work
    }
  }

  private func isOver(_ driver: CurlDriver) -> Bool {
    let isClosed = state.withLock { $0.isClosed && $0.work.isEmpty }
    return isClosed && driver.assumeIsolated { $0.isIdle }
  }
}

extension DriverThread.State {
  fileprivate var isCurrent: Bool { thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
}

private func blockBrokenPipes() {
  var signals = sigset_t()
  unsafe sigemptyset(&signals)
  unsafe sigaddset(&signals, SIGPIPE)
  unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
}

// At file scope: formed in an actor's context, it would check for that actor and trap.
private let threadMain: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
  // The reference that `start` handed over.
  if let own = unsafe $0 {
    let driver = unsafe Unmanaged<CurlDriver>.fromOpaque(own).takeRetainedValue()
    driver.thread.run(driver)
  }
  return nil
}
