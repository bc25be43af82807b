import CCurl
import EngagementModel

/// The owner of all transfers: starts them, ends them, tells who waits.
actor CurlDriver {
  /// Handles that are kept for later transfers.
  private static let keptHandles = 64

  let thread: DriverThread
  private let limits: Limits
  private var transfers: [ObjectIdentifier: Transfer] = [:]
  private var idle: [EasyHandle] = []

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe thread.asUnownedSerialExecutor()
  }

  private init(_ thread: DriverThread, _ limits: Limits) {
    self.thread = thread
    self.limits = limits
  }

  static func started(_ limits: Limits) throws(EngagementError) -> CurlDriver {
    let driver = CurlDriver(try DriverThread(), limits)
    try driver.thread.start(driver)
    return driver
  }

  var isIdle: Bool { transfers.isEmpty }

  /// What became of the order. Cancelling the ticket ends it; a task that is cancelled already
  /// does not begin, since its ticket may have been looked for before this.
  func outcome(of order: Order, _ ticket: Ticket) async -> Transfer.Outcome {
    if Task.isCancelled { return .failure(Self.cancelled) }
    return await withCheckedContinuation { begin(order, ticket, $0) }
  }

  func cancel(_ ticket: Ticket) {
    guard let transfer = transfers[ObjectIdentifier(ticket)] else { return }
    end(transfer, .failure(Self.cancelled))
  }

  /// Waits for something to do and does it.
  func turn() {
    thread.multi.turn()
    while let (transfer, code) = thread.multi.nextDone() {
      end(transfer, outcome(of: transfer, code))
    }
  }

  private func begin(
    _ order: Order, _ ticket: Ticket, _ continuation: CheckedContinuation<Transfer.Outcome, Never>
  ) {
    do throws(EngagementError) {
      let easy: EasyHandle
      if let used = idle.popLast() { easy = used } else { easy = try EasyHandle() }
      let transfer = Transfer(
        order, ticket, on: easy, maximumBodyBytes: limits.maximumBodyBytes, continuation)
      try easy.prepare(for: transfer, within: limits)
      try thread.multi.add(easy)
      transfers[ObjectIdentifier(ticket)] = transfer
    } catch {
      continuation.resume(returning: .failure(error))
    }
  }

  private func outcome(of transfer: Transfer, _ code: CURLcode) -> Transfer.Outcome {
    guard code == CURLE_OK else { return .failure(Failure(of: transfer, code).error) }
    transfer.received.status = transfer.easy.number(CURLINFO_RESPONSE_CODE)
    return .success(transfer.received)
  }

  private func end(_ transfer: Transfer, _ outcome: Transfer.Outcome) {
    transfers[ObjectIdentifier(transfer.ticket)] = nil
    thread.multi.remove(transfer.easy)
    transfer.easy.reset()
    if idle.count < Self.keptHandles { idle.append(transfer.easy) }
    transfer.continuation.resume(returning: outcome)
  }

  private static let cancelled = EngagementError(.cancelled, "The task was cancelled.")
}
