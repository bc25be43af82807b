import EngagementModel
import EngagementPlatform

/// SIGINT (Ctrl-C), SIGTERM and SIGHUP (the terminal has gone), as something to wait for.
///
/// The signal handler writes one byte into a pipe, because only a few calls are allowed in it. A
/// thread of our own reads the pipe. Blocking the signals does not work: the system's own threads
/// unblock them again. Before the first `wait()`, a signal ends the process as usual. After it, a
/// signal ends the process at once if no task waits, or if it is the second one.
public final class Interrupts: Sendable {
  private struct State {
    var isPrepared = false
    var count = 0
    var waiters = Waiters<Void>()
  }

  private let state = Locked(State())

  /// The only one: a process has one handler for each signal.
  public static let ofProcess = Interrupts()

  private init() {}

  /// Installs the signal handler, the first time. A command that ends at once needs no thread.
  ///
  /// A shell makes a background job ignore Ctrl-C. The handler is installed there too: a process
  /// that sends the signal to the job by its number means it. SIGHUP stays ignored where it is:
  /// who starts the program with `nohup` wants it to outlive the terminal.
  private func prepare() {
    let isFirst = state.withLock { state in
      defer { state.isPrepared = true }
      return !state.isPrepared
    }
    guard isFirst else { return }
    var ends: [Int32] = [-1, -1]
    // Without a pipe or a thread the signals end the process, as they do by themselves.
    guard pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let readingEnd = ends[0]
    guard (try? detachThread(for: "signals") { self.listen(to: readingEnd) }) != nil else { return }
    writingEnd = ends[1]
    for number in [SIGINT, SIGTERM] { signal(number, passOn) }
    let former = signal(SIGHUP, passOn)
    if unsafeBitCast(former, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
      signal(SIGHUP, SIG_IGN)
    }
  }

  /// Returns once a signal has come, or when the task is cancelled.
  public func wait() async {
    prepare()
    _ = await state.wait(in: \.waiters) { $0.count > 0 ? () : nil }
  }

  /// Reads the pipe, for as long as the process lives.
  private func listen(to readingEnd: Int32) {
    var number: UInt8 = 0
    while true {
      switch read(readingEnd, &number, 1) {
      case 1: take(number)
      case -1 where errno == EINTR: continue
      default: return
      }
    }
  }

  /// Resumes the tasks that wait. Ends the process if there is none, or if it was asked before.
  private func take(_ number: UInt8) {
    let (count, hasWaiters, woken) = state.withLock { state in
      state.count += 1
      return (state.count, state.waiters.count > 0, state.waiters.removeAll())
    }
    if !hasWaiters || count > 1 { _exit(128 + Int32(number)) }
    woken.resume()
  }
}

// Set once, before the first signal can come.
private nonisolated(unsafe) var writingEnd: Int32 = -1

// The signal handler. `write` is among the calls that are allowed in it.
private let passOn: @convention(c) (Int32) -> Void = { number in
  let code = errno
  var byte = UInt8(truncatingIfNeeded: number)
  _ = write(writingEnd, &byte, 1)
  errno = code
}
