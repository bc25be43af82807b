public import EngagementHTTP
public import EngagementModel

/// Web sockets whose server is a test, beside a transport for requests.
public final class ScriptedSockets: HTTPTransport, SocketTransport {
  private let requests: any HTTPTransport
  private let state = Locked(State())

  private struct State {
    var sockets: [ScriptedSocket] = []
    var refusal: EngagementError?
  }

  /// - Parameter requests: Answers what is no socket.
  public init(_ requests: any HTTPTransport) { self.requests = requests }

  public func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    try await requests.send(request)
  }

  public func connect(_ request: HTTPRequest) async throws(EngagementError) -> any SocketConnection
  {
    let socket = ScriptedSocket(request)
    let refusal = state.withLock { state in
      if state.refusal == nil { state.sockets.append(socket) }
      return state.refusal
    }
    if let refusal { throw refusal }
    return ScriptedSocket.Client(socket)
  }

  /// Refuses every socket from now on with this error; nil opens them again.
  public func refuse(with error: EngagementError?) { state.withLock { $0.refusal = error } }

  /// Every socket that was opened, in order.
  public var all: [ScriptedSocket] { state.withLock { $0.sockets } }

  /// The sockets that are open.
  public var open: [ScriptedSocket] { all.filter(\.isOpen) }
}

/// One web socket, as its server sees it.
public final class ScriptedSocket: Sendable {
  public let request: HTTPRequest
  private let state = Locked(State())

  private struct State {
    /// The messages that the client has not received yet.
    var messages: [String] = []
    var receivers = Waiters<SocketReceipt>()
    var isStalled = false
    var senders = Waiters<Void>()
    var heard: [String] = []
    var end: SocketClose?
    var clientClose: SocketClose?

    /// The oldest message, or the end where no message is left.
    mutating func next() -> SocketReceipt? {
      messages.isEmpty
        ? end.map(SocketReceipt.closed) : .message(.text(messages.removeFirst()))
    }
  }

  init(_ request: HTTPRequest) { self.request = request }

  public var isOpen: Bool { state.withLock { $0.end == nil } }

  /// What the client has sent, in order.
  public var heard: [String] { state.withLock { $0.heard } }

  /// How the client has closed the socket; nil if it has not.
  public var clientClose: SocketClose? { state.withLock { $0.clientClose } }

  /// Whether the client waits for a message, after it has taken every earlier one.
  public var isIdle: Bool {
    state.withLock { $0.end != nil || $0.receivers.count > 0 && $0.messages.isEmpty }
  }

  /// Sends a text to the client.
  public func say(_ text: String) { deliver { $0.messages.append(text) } }

  /// Closes the socket from the server's side; by default as a connection that breaks.
  public func drop(_ close: SocketClose = .abnormal) { deliver { $0.end = close } }

  /// Reads nothing more. What the client sends now waits until the socket has ended.
  public func stopReading() { state.withLock { $0.isStalled = true } }

  /// Makes the change unless the socket has ended, and wakes the receiver.
  private func deliver(_ change: (inout State) -> Void) {
    let woken = state.withLock { state -> (WokenTasks<SocketReceipt>, SocketReceipt)? in
      guard state.end == nil else { return nil }
      change(&state)
      guard state.receivers.count > 0, let next = state.next() else { return nil }
      return (state.receivers.removeAll(), next)
    }
    if let (tasks, receipt) = woken { tasks.resume(with: receipt) }
    let senders = state.withLock { $0.end == nil ? nil : $0.senders.removeAll() }
    senders?.resume()
  }

  private func endByClient(_ close: SocketClose) {
    deliver { ($0.end, $0.clientClose) = (close, close) }
  }

  /// The client's side. Releasing it closes the socket.
  final class Client: SocketConnection {
    private let socket: ScriptedSocket

    init(_ socket: ScriptedSocket) { self.socket = socket }

    deinit { socket.endByClient(.abnormal) }

    func send(_ message: SocketMessage) async throws(EngagementError) {
      let isRead: Void? = await socket.state.wait(in: \.senders) {
        $0.isStalled && $0.end == nil ? nil : ()
      }
      guard isRead != nil else {
        socket.endByClient(.abnormal)
        throw EngagementError(.cancelled, "The task was cancelled.")
      }
      let isOpen = socket.state.withLock { state in
        if case .text(let text) = message, state.end == nil { state.heard.append(text) }
        return state.end == nil
      }
      if !isOpen { throw EngagementError(.unavailable, "The web socket is closed.") }
    }

    func receive() async throws(EngagementError) -> SocketReceipt {
      guard let receipt = await socket.state.wait(in: \.receivers, until: { $0.next() }) else {
        socket.endByClient(.abnormal)
        throw EngagementError(.cancelled, "The task was cancelled.")
      }
      return receipt
    }

    func close(_ close: SocketClose) async { socket.endByClient(close) }
  }
}
