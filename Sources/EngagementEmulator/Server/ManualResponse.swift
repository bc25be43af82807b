import EngagementModel

/// An answer by hand: one step after the other, on the timer's thread, while the library has the
/// connection suspended.
struct ManualResponse: Sendable {
  var steps: [ResponseStep]
  let pending: PendingRequest
  let connection: HTTPConnection
  let handler: RequestHandler
  let timer: TimerThread
  /// How often the client has not taken a byte.
  var refusals = 0

  /// A client that reads nothing for this many attempts is given up: about half a minute.
  private static let patience = 6_000
  private static let attemptPause = Duration.milliseconds(5)

  /// Does what can be done now and comes back for the rest.
  func go() {
    var rest = self
    while !handler.isStopping, let step = rest.steps.first {
      rest.steps.removeFirst()
      switch step {
      case .wait(let duration):
        return timer.after(duration) { [rest] in rest.go() }
      case .send(let bytes):
        guard let sent = LoopbackSocket.transmit(bytes[...], to: connection.socket) else {
          return finish(.over)
        }
        if sent < bytes.count {
          return rest.goOn(with: Array(bytes[sent...]), progress: sent > 0)
        }
      case .answer(let reply): return finish(.answer(reply))
      case .close: return close()
      case .reset: return reset()
      case .open(let socket, let reply): return open(socket, reply.upgradeHead)
      }
    }
    close()
  }

  private func goOn(with bytes: [UInt8], progress: Bool) {
    var rest = self
    rest.steps.insert(.send(bytes), at: 0)
    rest.refusals = progress ? 0 : refusals + 1
    guard rest.refusals < Self.patience else { return reset() }
    timer.after(Self.attemptPause) { [rest] in rest.go() }
  }

  private func open(_ socket: SocketThread, _ head: [UInt8]) {
    do throws(EngagementError) {
      try handler.sockets.start(socket, on: connection.socket, head: head) { finish(.over) }
    } catch {
      socket.abandon()
      reset()
    }
  }

  private func close() {
    LoopbackSocket.finish(connection.socket)
    finish(.over)
  }

  private func reset() {
    LoopbackSocket.reset(connection.socket)
    finish(.over)
  }

  private func finish(_ outcome: PendingRequest.Outcome) {
    pending.state.withLock { $0.outcome = outcome }
    connection.resume()
  }
}
