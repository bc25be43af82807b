import CMicrohttpd
import EngagementModel
import EngagementVendors

/// What a listener and the library's call-backs share: the open connections, and how a request
/// gets its answer.
final class RequestHandler: Sendable {
  /// No vendor takes more than a file of ten megabytes; a body beyond this is refused with 413.
  static let bodyLimit = 12 << 20

  private struct State {
    var sockets: Set<Int32> = []
    var isStopping = false
  }

  private let state = Locked(State())
  private let timer: TimerThread
  /// The web sockets of all listeners.
  let sockets: SocketGroup
  private let answer: @Sendable (VendorRequest) -> ResponseDelivery

  init(
    timer: TimerThread, sockets: SocketGroup,
    answer: @escaping @Sendable (VendorRequest) -> ResponseDelivery
  ) {
    self.timer = timer
    self.sockets = sockets
    self.answer = answer
  }

  func opened(_ socket: Int32) { state.withLock { _ = $0.sockets.insert(socket) } }

  /// Called before the library closes the socket, so a reset never meets another's descriptor.
  func closed(_ socket: Int32) { state.withLock { _ = $0.sockets.remove(socket) } }

  func resetAll() {
    state.withLock { state in
      for socket in state.sockets { LoopbackSocket.reset(socket) }
    }
  }

  func prepareToStop() { state.withLock { $0.isStopping = true } }

  var isStopping: Bool { state.withLock { $0.isStopping } }

  /// Answers a request whose body is complete; the library comes back here after a suspension.
  func serve(_ pending: PendingRequest, _ connection: HTTPConnection) -> MHD_Result {
    let (outcome, method, body, isTooLong) = pending.state.withLock { state in
      defer { state.body = [] }
      return (state.outcome, state.method ?? "", state.body, state.isTooLong)
    }
    switch outcome {
    case .answer(let reply): return connection.queue(reply)
    case .over: return .NO
    case nil: break
    }
    if isTooLong {
      return connection.queue(VendorReply(413, json: ["error": "The body is too long"]))
    }
    let call = VendorRequest(
      method: method, target: pending.target, headers: connection.headers, body: body)
    switch answer(call) {
    case .answer(let reply): return connection.queue(reply)
    case .wire(let steps): return perform(steps, pending, connection)
    }
  }

  private func perform(
    _ steps: [ResponseStep], _ pending: PendingRequest, _ connection: HTTPConnection
  ) -> MHD_Result {
    // Under the lock: what is suspended before the stop has its job before the timer's end.
    state.withLock { state in
      guard !state.isStopping else { return .NO }
      connection.suspend()
      let run = ManualResponse(
        steps: steps, pending: pending, connection: connection, handler: self, timer: timer)
      timer.after(.zero) { run.go() }
      return .YES
    }
  }
}
