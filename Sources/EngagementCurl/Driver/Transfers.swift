import CCurl
import EngagementModel

/// The running transfers: starts them, ends them and resumes their callers.
struct Transfers {
  /// The most handles that are kept for later transfers.
  private static let keptHandles = 64

  private let multi: MultiHandle
  private let limits: Limits
  private var running: [ObjectIdentifier: Transfer] = [:]
  private var idle: [EasyHandle] = []

  init(_ multi: MultiHandle, _ limits: Limits) {
    self.multi = multi
    self.limits = limits
  }

  mutating func begin(
    _ order: Order, _ ticket: Ticket, _ continuation: CheckedContinuation<Transfer.Outcome, Never>
  ) {
    do throws(EngagementError) {
      let easy: EasyHandle
      if let used = idle.popLast() { easy = used } else { easy = try EasyHandle() }
      let transfer = Transfer(
        order, ticket, on: easy, maximumBodyBytes: order.bodyLimit ?? limits.maximumBodyBytes,
        continuation)
      try easy.prepare(for: transfer, within: limits)
      try multi.add(easy)
      running[ObjectIdentifier(ticket)] = transfer
    } catch {
      continuation.resume(returning: .failure(error))
    }
  }

  mutating func cancel(_ ticket: Ticket) {
    guard let transfer = running[ObjectIdentifier(ticket)] else { return }
    end(transfer, .failure(EngagementError(.cancelled, "The task was cancelled.")))
  }

  /// Handles the events of sockets and a due alarm, then ends the transfers that are done.
  mutating func act(on news: [Poller.News]) {
    multi.act(on: news)
    while let (transfer, code) = multi.nextDone() { end(transfer, outcome(of: transfer, code)) }
  }

  /// How many milliseconds the thread may wait for events; negative for no limit.
  func pause() -> Int32 { multi.pause() }

  /// Wakes the thread if it would sleep past the alarm.
  func keepAlarm() { multi.keepAlarm() }

  private func outcome(of transfer: Transfer, _ code: CURLcode) -> Transfer.Outcome {
    // A response without a body has not begun for its receiver.
    guard code == CURLE_OK, transfer.begin() else {
      return .failure(Failure(of: transfer, code).error)
    }
    return .success(transfer.received)
  }

  private mutating func end(_ transfer: Transfer, _ outcome: Transfer.Outcome) {
    running[ObjectIdentifier(transfer.ticket)] = nil
    multi.remove(transfer.easy)
    transfer.easy.reset()
    if idle.count < Self.keptHandles { idle.append(transfer.easy) }
    transfer.continuation.resume(returning: outcome)
  }
}
