import CCurl
import EngagementModel

/// The running transfers and the open sockets: starts them, ends them and resumes their callers.
struct Transfers {
  /// The most handles that are kept for later transfers.
  private static let keptHandles = 64

  private let multi: MultiHandle
  private let limits: Limits
  private var wakeUp: WakeUp
  private var running: [ObjectIdentifier: Transfer] = [:]
  private var sockets: OpenSockets
  private var idle: [EasyHandle] = []

  init(_ poller: Poller, _ limits: Limits) throws(EngagementError) {
    multi = try MultiHandle(poller)
    sockets = try OpenSockets(poller)
    wakeUp = WakeUp(poller)
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

  mutating func connect(
    _ order: SocketOrder, _ ticket: Ticket,
    _ continuation: CheckedContinuation<Result<Void, EngagementError>, Never>
  ) {
    do throws(EngagementError) {
      let channel = SocketChannel(order, ticket, on: try EasyHandle(), within: limits, continuation)
      try channel.easy.prepare(for: channel, within: limits)
      try sockets.add(channel)
    } catch {
      continuation.resume(returning: .failure(error))
    }
  }

  mutating func command(_ command: CurlDriver.SocketCommand, of ticket: Ticket) {
    sockets.take(command, of: ticket)
  }

  mutating func cancel(_ ticket: Ticket) {
    let error = EngagementError(.cancelled, "The task was cancelled.")
    if let transfer = running[ObjectIdentifier(ticket)] { return end(transfer, .failure(error)) }
    sockets.abandon(ticket, error)
  }

  /// Handles the events of connections and a due alarm, then ends the transfers that are done.
  mutating func act(on news: [Poller.News]) {
    multi.act(on: sockets.act(on: news))
    while let (transfer, code) = multi.nextDone(Transfer.self) {
      end(transfer, outcome(of: transfer, code))
    }
  }

  /// How many milliseconds the thread may wait for events; negative for no limit.
  mutating func pause() -> Int32 { wakeUp.pause(until: alarm) }

  /// Ends the sockets, except those that only wait for their peer's end.
  mutating func abandonSockets() {
    sockets.abandonAll(EngagementError(.cancelled, "The transport is gone."))
  }

  /// As `pause()`; nil if no socket is left.
  mutating func pauseForSockets() -> Int32? { sockets.isEmpty ? nil : pause() }

  /// Wakes the thread if it would sleep past the alarm.
  mutating func keepAlarm() { wakeUp.keep(alarm) }

  private var alarm: SuspendingClock.Instant? {
    if sockets.hasMore { return .now }
    return [multi.alarm, sockets.alarm].compactMap(\.self).min()
  }

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
