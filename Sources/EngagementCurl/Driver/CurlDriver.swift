import EngagementModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Drives all transfers of one transport, on one thread at a time.
///
/// A thread of its own waits for the network. A request is begun by its caller, which spares
/// waking that thread; where somebody drives just then, it is left to whoever that is.
final class CurlDriver: Sendable {
  private enum Work {
    case begin(Order, Ticket, CheckedContinuation<Transfer.Outcome, Never>)
    case cancel(Ticket)
  }

  private struct Inbox {
    var work: [Work] = []
    var isClosed = false
  }

  private let poller: Poller
  private let inbox = Locked(Inbox())
  private let transfers: Locked<Transfers>

  private init(_ limits: Limits) throws(EngagementError) {
    poller = try Poller()
    transfers = Locked(try Transfers(MultiHandle(poller), limits))
  }

  static func started(_ limits: Limits) throws(EngagementError) -> CurlDriver {
    let driver = try CurlDriver(limits)
    try detachThread(for: "the network") { driver.run() }
    return driver
  }

  /// What became of the order. Whoever asks keeps the driver from being closed meanwhile.
  func outcome(of order: Order) async -> Transfer.Outcome {
    let ticket = Ticket()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        inbox.withLock { inbox in
          inbox.work.append(.begin(order, ticket, continuation))
          // The handler may have run before this, and so in vain.
          if Task.isCancelled { inbox.work.append(.cancel(ticket)) }
        }
        if CurlLibrary.writesWithoutSignals { work() } else { poller.ring() }
      }
    } onCancel: {
      inbox.withLock { $0.work.append(.cancel(ticket)) }
      // The task is locked meanwhile, so the work is left to the thread.
      poller.ring()
    }
  }

  /// Ends the thread.
  func close() {
    inbox.withLock { $0.isClosed = true }
    poller.ring()
  }

  private func run() {
    // A peer that has gone must not end the process; with the signal blocked, writing fails.
    blockBrokenPipes()
    while !inbox.withLock({ $0.isClosed }) {
      let pause = transfers.withLock { $0.pause() }
      // After the lock was held for the last time: who found it taken has left his work here.
      work()
      let news = poller.wait(pause)
      transfers.withLock { $0.act(on: news) }
    }
  }

  /// Does what there is to do, unless another thread drives: it looks here again afterwards.
  private func work() {
    while inbox.withLock({ !$0.work.isEmpty }) {
      guard transfers.withLockIfFree({ work(on: &$0) }) != nil else { return }
    }
  }

  private func work(on transfers: inout Transfers) {
    let work = inbox.withLock { inbox in
      defer { inbox.work = [] }
      return inbox.work
    }
    for piece in work {
      switch piece {
      case .begin(let order, let ticket, let continuation):
        transfers.begin(order, ticket, continuation)
      case .cancel(let ticket): transfers.cancel(ticket)
      }
    }
    transfers.act(on: [])
    transfers.keepAlarm()
  }
}

private func blockBrokenPipes() {
  var signals = sigset_t()
  unsafe sigemptyset(&signals)
  unsafe sigaddset(&signals, SIGPIPE)
  unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
}
