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

  fileprivate struct State {
    /// What the client has not received yet.
    var receipts: [SocketReceipt] = []
    /// How many messages there were, and how many the client has taken.
    var saidCount = 0
    var takenCount = 0
    var receiver: CheckedContinuation<SocketReceipt?, Never>?
    var heard: [String] = []
    var end: SocketClose?
    /// How the client closed it.
    var clientClose: SocketClose?
  }

  init(_ request: HTTPRequest) { self.request = request }

  public var isOpen: Bool { state.withLock { $0.end == nil } }

  /// What the client has sent, in order.
  public var heard: [String] { state.withLock { $0.heard } }

  /// How the client has closed the socket; nil if it has not.
  public var clientClose: SocketClose? { state.withLock { $0.clientClose } }

  /// Sends a text to the client.
  public func say(_ text: String) {
    deliver { state in
      guard state.end == nil else { return }
      state.receipts.append(.message(.text(text)))
      state.saidCount += 1
    }
  }

  /// Closes the socket from the server's side; by default as a connection that breaks.
  public func drop(_ close: SocketClose = .abnormal) {
    deliver { state in
      guard state.end == nil else { return }
      state.end = close
      state.receipts.append(.closed(close))
    }
  }

  /// Whether the client waits for a message, after it has handled every earlier one.
  public var isIdle: Bool {
    state.withLock { $0.end != nil || $0.receiver != nil && $0.takenCount == $0.saidCount }
  }

  private func deliver(_ change: (inout State) -> Void) {
    let woken = state.withLock { state in
      change(&state)
      return state.wake()
    }
    if let (receiver, receipt) = woken { receiver.resume(returning: receipt) }
  }

  private func endByClient(_ close: SocketClose) {
    deliver { state in
      guard state.end == nil else { return }
      (state.end, state.clientClose) = (close, close)
      state.receipts.append(.closed(close))
    }
  }

  /// The client's side. Releasing it closes the socket.
  final class Client: SocketConnection {
    private let socket: ScriptedSocket

    init(_ socket: ScriptedSocket) { self.socket = socket }

    deinit { socket.endByClient(.abnormal) }

    func send(_ message: SocketMessage) async throws(EngagementError) {
      let isOpen = socket.state.withLock { state in
        if case .text(let text) = message, state.end == nil { state.heard.append(text) }
        return state.end == nil
      }
      if !isOpen { throw EngagementError(.unavailable, "The web socket is closed.") }
    }

    func receive() async throws(EngagementError) -> SocketReceipt {
      let receipt = await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let woken = socket.state.withLock { state -> State.Woken? in
            if Task.isCancelled { return (continuation, nil) }
            state.receiver = continuation
            return state.wake()
          }
          if let (receiver, receipt) = woken { receiver.resume(returning: receipt) }
        }
      } onCancel: {
        let receiver = socket.state.withLock { $0.receiver.take() }
        receiver?.resume(returning: nil)
      }
      guard let receipt else {
        socket.endByClient(.abnormal)
        throw EngagementError(.cancelled, "The task was cancelled.")
      }
      return receipt
    }

    func close(_ close: SocketClose) async { socket.endByClient(close) }
  }
}

extension ScriptedSocket.State {
  fileprivate typealias Woken = (
    receiver: CheckedContinuation<SocketReceipt?, Never>, receipt: SocketReceipt?
  )

  /// The waiting receiver and what it gets, if there is both.
  fileprivate mutating func wake() -> Woken? {
    guard receiver != nil, let receipt = receipts.first else { return nil }
    // The end stays for every later call.
    if case .message = receipt {
      receipts.removeFirst()
      takenCount += 1
    }
    return receiver.take().map { ($0, receipt) }
  }
}
