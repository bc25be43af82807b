import EngagementModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Ctrl-C and the polite request to end, as something to wait for.
///
/// What runs when a signal comes writes one byte into a pipe, which a thread of ours reads: nothing
/// else of ours runs where only a few calls are allowed. The signals are not blocked instead: the
/// system's own threads unblock them again. As long as nobody has waited a signal ends the process
/// as it ends any; afterwards one for which nobody waits, or a second one, ends it at once.
public final class Interrupts: Sendable {
  private struct State {
    var isPrepared = false
    var count = 0
    var nextWaiter = 0
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
  }

  private let state = Locked(State())

  /// There is one in a process: its signals are taken over once.
  public static let ofProcess = Interrupts()

  private init() {}

  /// Takes the signals over, the first time: a command that is done at once needs no thread for
  /// them.
  ///
  /// A shell has a job in the background ignore Ctrl-C; whoever sends the signal to it by name
  /// means it, so it is heard there too.
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
  }

  /// Returns once a signal has come, or when the task is cancelled.
  public func wait() async {
    prepare()
    let waiter = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if state.count > 0 || Task.isCancelled { return true }
          state.waiters[waiter] = continuation
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: waiter) }?.resume()
    }
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

  /// Wakes who waits; nobody who could end in order, or somebody who was asked already, is not
  /// waited for.
  private func take(_ number: UInt8) {
    let (count, waiters) = state.withLock { state in
      state.count += 1
      defer { state.waiters = [:] }
      return (state.count, state.waiters.values.map { $0 })
    }
    if waiters.isEmpty || count > 1 { _exit(128 + Int32(number)) }
    for waiter in waiters { waiter.resume() }
  }
}

// Set once, before the first signal can come.
private nonisolated(unsafe) var writingEnd: Int32 = -1

// What runs when a signal comes: `write` is among the calls that are allowed there.
private let passOn: @convention(c) (Int32) -> Void = { number in
  let code = errno
  var byte = UInt8(truncatingIfNeeded: number)
  _ = write(writingEnd, &byte, 1)
  errno = code
}
