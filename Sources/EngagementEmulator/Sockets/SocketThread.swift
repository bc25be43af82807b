import EngagementHTTP
import EngagementModel
import EngagementPlatform

/// The thread of one web socket. It reads and writes the connection while the HTTP library has the
/// connection suspended. An idle socket wakes nothing.
final class SocketThread: Sendable {
  /// What the thread is to do; it obeys in order.
  enum Order: Sendable {
    case say(String)
    case close(SocketClose)
    /// Ends the connection without a close frame.
    case drop
    /// The peer sees its connection reset.
    case reset
    /// The connection stays, and nothing is read, written or answered on it.
    case silence
    /// The emulator ends, so nothing waits any more.
    case stop
  }

  let number: Int
  private let fault: EmulatorFaults.Fault?
  private let bell: SocketBell
  private let orders = Locked<[Order]>([])
  private let hear: @Sendable (String) -> Void
  private let end: @Sendable () -> Void

  /// `hear` gets each text of the client, `end` is called once when the socket has ended. Throws
  /// `unavailable` if the system has no descriptor left.
  init(
    _ number: Int, fault: EmulatorFaults.Fault?, hear: @escaping @Sendable (String) -> Void,
    end: @escaping @Sendable () -> Void
  ) throws(EngagementError) {
    self.number = number
    self.fault = fault
    self.hear = hear
    self.end = end
    bell = try SocketBell()
  }

  /// Gives an order, also before the thread runs.
  func order(_ order: Order) {
    orders.withLock { $0.append(order) }
    bell.ring()
  }

  /// Sends the head and speaks on the socket until it ends, then calls `finish`. Throws
  /// `internalFailure` if the system has no thread left.
  func start(
    on socket: Int32, head: [UInt8], finish: @escaping @Sendable () -> Void
  ) throws(EngagementError) {
    try detachThread(for: "a web socket") { [self] in
      run(on: socket, SocketTraffic(head: head, fault: fault, at: .now))
      end()
      finish()
    }
  }

  /// Ends a socket whose connection was gone before it opened.
  func abandon() { end() }

  private func run(on socket: Int32, _ traffic: SocketTraffic) {
    var traffic = traffic
    LoopbackSocket.sendAtOnce(socket)
    while true {
      guard obey(&traffic, on: socket) else { return }
      traffic.advance(to: .now)
      guard let sent = LoopbackSocket.transmit(traffic.output[...], to: socket) else { return }
      traffic.sent(sent)
      if traffic.isOver(at: .now) { return LoopbackSocket.finish(socket) }
      let isReadable = bell.wait(
        with: traffic.isSilent ? nil : socket, reading: traffic.isReading,
        writing: !traffic.output.isEmpty, until: traffic.due)
      if isReadable { read(from: socket, &traffic) }
    }
  }

  /// Obeys the orders so far. Returns false if one has ended the connection.
  private func obey(_ traffic: inout SocketTraffic, on socket: Int32) -> Bool {
    let orders = orders.withLock { orders in
      defer { orders = [] }
      return orders
    }
    for order in orders {
      switch order {
      case .say(let text): traffic.say(text, at: .now)
      case .close(let close): traffic.close(close, at: .now)
      case .drop: traffic.drop(at: .now)
      case .reset:
        LoopbackSocket.reset(socket)
        return false
      case .silence: traffic.fallSilent(at: .now)
      case .stop:
        traffic.stop()
        _ = LoopbackSocket.transmit(traffic.output[...], to: socket)
        LoopbackSocket.finish(socket)
        return false
      }
      // What is due now happens before the next order.
      traffic.advance(to: .now)
    }
    return true
  }

  private func read(from socket: Int32, _ traffic: inout SocketTraffic) {
    switch LoopbackSocket.receive(from: socket) {
    case .bytes(let bytes): traffic.receive(bytes)
    case .nothing: return
    case .end: traffic.endInput()
    }
    while let text = traffic.nextText(at: .now) { hear(text) }
  }
}
