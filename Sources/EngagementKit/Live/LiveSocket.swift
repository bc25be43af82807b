import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel

/// One web socket of a live channel: opens it, passes on what it hears, and sends.
///
/// A message is received after the one before was handled, and no more of them than `MessageAllowance`
/// allows. So a server that sends faster has to wait.
final class LiveSocket: Sendable {
  let number: Int
  private let orders: AsyncStream<Order>.Continuation
  private let state: Locked<State>
  private let events: LiveEvents
  private let clock: any EngagementClock
  private let task: Task<Void, Never>

  private enum Order: Sendable {
    case send([UInt8])
    case close(SocketClose)
  }

  private struct State {
    var isOpen = false
    var isClosing = false
    var isOver = false
  }

  /// - Parameter transport: Nil if no socket can be opened at all.
  init(
    _ number: Int, _ request: HTTPRequest, by transport: (any SocketTransport)?,
    to events: LiveEvents, on clock: any EngagementClock,
    _ log: @escaping @Sendable (String) -> Void
  ) {
    let (stream, orders) = AsyncStream.makeStream(of: Order.self)
    let state = Locked(State())
    (self.number, self.orders, self.state, self.events) = (number, orders, state, events)
    self.clock = clock
    // A task of its own: when `run()` is cancelled, the socket is still closed with its code.
    task = Task {
      await Self.run(number, request, by: transport, orders: stream, state, to: events, clock, log)
      let wasClosing = state.withLock { state in
        state.isOver = true
        return state.isClosing
      }
      if wasClosing { events.noteClosing(false) }
    }
  }

  deinit { task.cancel() }

  /// Whether the socket is closed and nothing of it will follow.
  var isOver: Bool { state.withLock { $0.isOver } }

  func send(_ bytes: [UInt8]) { orders.yield(.send(bytes)) }

  /// How long a message that is not read may hold up the close behind it.
  private static let closingTime = Duration.seconds(2)

  /// Closes the socket after what was sent before; one that is not open yet is given up, and so is one
  /// whose peer reads nothing.
  func close(_ close: SocketClose) {
    let isOpen = state.withLock { state in
      if !state.isOver {
        state.isClosing = true
        events.noteClosing(true)
      }
      return state.isOpen
    }
    orders.yield(.close(close))
    orders.finish()
    guard isOpen else { return task.cancel() }
    let (task, clock, end) = (task, clock, clock.uptime + Self.closingTime)
    Task {
      await withDiscardingTaskGroup { group in
        group.addTask {
          await clock.sleep(until: end)
          task.cancel()
        }
        await task.value
        group.cancelAll()
      }
    }
  }

  /// Lets go of a socket that the peer has closed.
  func release() { orders.finish() }

  /// Returns when the socket is closed.
  func waitForEnd() async { await task.value }

  // MARK: The task

  private static func run(
    _ number: Int, _ request: HTTPRequest, by transport: (any SocketTransport)?,
    orders: AsyncStream<Order>, _ state: Locked<State>, to events: LiveEvents,
    _ clock: any EngagementClock, _ log: @escaping @Sendable (String) -> Void
  ) async {
    let connection: any SocketConnection
    do throws(EngagementError) {
      guard let transport else {
        throw EngagementError(.unsupported, "The transport opens no web sockets.")
      }
      connection = try await transport.connect(request)
    } catch {
      log("The live channel could not be opened: \(error.code)")
      return events.add(.socket(number, .closed(code: SocketCloseCode.abnormal.rawValue)))
    }
    state.withLock { $0.isOpen = true }
    log("The live channel is open.")
    events.add(.socket(number, .opened))
    await withDiscardingTaskGroup { group in
      group.addTask { await receive(from: connection, as: number, to: events, clock, log) }
      for await order in orders {
        switch order {
        case .send(let bytes): await send(bytes, on: connection)
        case .close(let close): await connection.close(close)
        }
      }
      group.cancelAll()
    }
  }

  private static func send(_ bytes: [UInt8], on connection: any SocketConnection) async {
    // The end of a broken socket is received.
    try? await connection.send(.text(String(decoding: bytes, as: UTF8.self)))
  }

  private static func receive(
    from connection: any SocketConnection, as number: Int, to events: LiveEvents,
    _ clock: any EngagementClock, _ log: @escaping @Sendable (String) -> Void
  ) async {
    var allowance = MessageAllowance()
    while let receipt = try? await connection.receive() {
      switch receipt {
      case .message(let message):
        if case .text(let text) = message {
          await events.addAndWait(.socket(number, .message(Array(text.utf8))))
        }
        if let end = allowance.note(byteCount: message.count, at: clock.uptime) {
          await clock.sleep(until: end)
        }
      case .closed(let close):
        events.add(.socket(number, .closed(code: close.code.rawValue)))
        return log("The live channel is closed with \(close.code).")
      }
    }
  }
}
