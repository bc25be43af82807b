import EngagementHTTP
import EngagementModel
import EngagementPlatform

/// Drives all transfers of one transport, on one thread at a time.
///
/// The driver's own thread waits for the network. The calling thread starts a request itself, which
/// saves waking that thread. If another thread is driving at that moment, that thread starts the
/// request.
final class CurlDriver: Sendable {
  enum Work {
    case begin(Order, Ticket, CheckedContinuation<Transfer.Outcome, Never>)
    case connect(SocketOrder, Ticket, CheckedContinuation<Result<Void, EngagementError>, Never>)
    case socket(Ticket, SocketCommand)
    case cancel(Ticket)
  }

  /// What the owner of an open socket wants of it.
  enum SocketCommand {
    case send(SocketMessage, CheckedContinuation<Result<Void, EngagementError>, Never>)
    case close(SocketClose)
    /// Go on reading: there is room again.
    case read
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
    transfers = Locked(try Transfers(poller, limits))
  }

  static func started(_ limits: Limits) throws(EngagementError) -> CurlDriver {
    let driver = try CurlDriver(limits)
    try detachThread(for: "the network") { driver.run() }
    return driver
  }

  /// Runs the order and returns its outcome. The caller keeps the driver open until then.
  func outcome(of order: Order) async -> Transfer.Outcome {
    let ticket = Ticket()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { begin(.begin(order, ticket, $0), ticket) }
    } onCancel: {
      cancel(ticket)
    }
  }

  /// Opens a web socket. The caller keeps the driver open as long as the socket is.
  func connect(_ order: SocketOrder, _ ticket: Ticket) async -> Result<Void, EngagementError> {
    await withTaskCancellationHandler {
      await withCheckedContinuation { begin(.connect(order, ticket, $0), ticket) }
    } onCancel: {
      cancel(ticket)
    }
  }

  private func begin(_ work: Work, _ ticket: Ticket) {
    inbox.withLock { inbox in
      inbox.work.append(work)
      // The cancellation handler may have run before the append above; then its work had no effect.
      if Task.isCancelled { inbox.work.append(.cancel(ticket)) }
    }
    actOnInbox()
  }

  /// Does the work on this thread or on that which drives.
  func post(_ work: Work) {
    inbox.withLock { $0.work.append(work) }
    actOnInbox()
  }

  /// Ends what the ticket stands for. Callable where a lock is held, also the task's own: the driver's
  /// thread does the work.
  func cancel(_ ticket: Ticket) {
    inbox.withLock { $0.work.append(.cancel(ticket)) }
    poller.ring()
  }

  private func actOnInbox() {
    if CurlLibrary.writesWithoutSignals { work() } else { poller.ring() }
  }

  /// Ends the thread.
  func close() {
    inbox.withLock { $0.isClosed = true }
    poller.ring()
  }

  private func run() {
    // Writing to a closed connection must not end the process: with the signal blocked, it only
    // fails.
    blockBrokenPipes()
    while !inbox.withLock({ $0.isClosed }) {
      let pause = transfers.withLock { $0.pause() }
      // This must follow the last use of the lock. A caller that found it taken has left its work
      // in the inbox.
      work()
      let news = poller.wait(pause)
      transfers.withLock { $0.act(on: news) }
    }
    // A socket that is released last gives its connection back. One whose end was told waits for its
    // peer's, for a second at most: what libcurl still had then it would neither free nor close.
    transfers.withLock { transfers in
      work(on: &transfers)
      transfers.abandonSockets()
    }
    while let pause = transfers.withLock({ $0.pauseForSockets() }) {
      let news = poller.wait(pause)
      transfers.withLock { $0.act(on: news) }
    }
  }

  /// Does the waiting work, unless another thread drives. That thread checks the inbox again
  /// afterwards.
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
      case .connect(let order, let ticket, let continuation):
        transfers.connect(order, ticket, continuation)
      case .socket(let ticket, let command): transfers.command(command, of: ticket)
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
