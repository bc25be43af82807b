import CCurl
import EngagementHTTP
import EngagementModel
import EngagementPlatform

/// One web socket: the connection, the handshake, the messages and the end.
///
/// libcurl makes the connection and encrypts it. Only the thread that drives uses this object.
final class SocketChannel {
  typealias Sending = CheckedContinuation<Result<Void, EngagementError>, Never>

  let order: SocketOrder
  let ticket: Ticket
  let easy: EasyHandle
  /// The connection's descriptor; nil until there is one.
  private(set) var descriptor: Int32?
  /// Whether the connection is to be given back.
  private(set) var isOver = false
  /// Whether more bytes may be there of which the descriptor shows nothing.
  private(set) var hasMore = false
  /// Until when the handshake, or the closing handshake, has to be done.
  private(set) var deadline: SuspendingClock.Instant?

  private let limits: Limits
  private var opening: CheckedContinuation<Result<Void, EngagementError>, Never>?
  private var head = HTTPHeadReader()
  private var session = WebSocketSession(role: .client)
  private var isOpen = false
  private var output = SocketOutput()
  /// Whether the peer may still send.
  private var isReadable = true
  private var ending: WebSocketSession.Ending?
  /// Whether the end was told, and only the peer's is waited for. What it still sends is dropped: a
  /// connection that is closed before all of it is read loses the code that the peer is to learn.
  private var isLingering = false
  /// Whether this side has begun to close. Nobody reads what still comes.
  private var isClosing = false

  init(
    _ order: SocketOrder, _ ticket: Ticket, on easy: EasyHandle, within limits: Limits,
    _ opening: CheckedContinuation<Result<Void, EngagementError>, Never>
  ) {
    self.order = order
    self.ticket = ticket
    self.easy = easy
    self.limits = limits
    self.opening = opening
  }

  // MARK: Opening

  /// Takes the connection over, and sends the request of the handshake.
  func connect(_ code: CURLcode) {
    guard code == CURLE_OK, let socket = easy.activeSocket else {
      return fail(Failure(code, of: easy, isEncrypted: order.url.scheme.isEncrypted).error)
    }
    descriptor = socket
    deadline = SuspendingClock.now.advanced(by: .milliseconds(limits.total))
    output.append(order.request)
    pump()
  }

  private func read(head bytes: ArraySlice<UInt8>) {
    do throws(EngagementError) {
      guard let response = try head.feed(bytes) else { return }
      _ = try order.handshake.subprotocol(acceptedBy: response)
      isOpen = true
      deadline = nil
      session.feed(head.rest)
      opening?.resume(returning: .success(()))
      opening = nil
    } catch {
      fail(error)
    }
  }

  // MARK: Commands of the connection's owner

  /// Queues a message, and resumes the sender when there is room for another.
  func send(_ message: SocketMessage, _ sender: Sending) {
    do throws(EngagementError) {
      guard isOpen, !isOver else { throw OpenSockets.closed }
      output.append(try session.send(message))
      output.wait(sender)
      pump()
    } catch {
      sender.resume(returning: .failure(error))
    }
  }

  /// Begins the closing handshake.
  func close(_ close: SocketClose) {
    guard isOpen, let frame = session.close(close) else { return }
    isClosing = true
    output.append(frame)
    deadline = SuspendingClock.now.advanced(by: Self.closingTime)
    pump()
  }

  /// Ends the socket at once, unless its end was told and only the peer's is waited for.
  func abandon(_ error: EngagementError) { if !isLingering { fail(error) } }

  /// The peer has the close then, or is too slow to be waited for.
  private static let closingTime: Duration = .seconds(1)

  // MARK: Driving

  /// What to watch the descriptor for.
  var interest: UInt32 {
    (isReading ? EPOLLIN.rawValue : 0) | (output.isBlocked ? EPOLLOUT.rawValue : 0)
  }

  /// Reads, interprets and writes as far as possible without waiting.
  func pump() {
    guard !isOver, descriptor != nil else { return }
    hasMore = false
    interpret()
    for turn in 1...Self.turns {
      guard isReading, let received = easy.receive() else { break }
      take(received)
      hasMore = turn == Self.turns
    }
    flush()
  }

  /// Whether bytes are wanted: not while what came before waits for the application or the network.
  private var isReading: Bool {
    isReadable && !isOver && (ending == nil ? !output.isFull && hasRoom : isLingering)
  }

  /// The peer's close is behind all that it has sent, so what has no reader is dropped.
  private var hasRoom: Bool { isClosing || !order.mailbox.pausesReading }

  /// How often one call reads, so that a busy peer holds up no other.
  private static let turns = 16

  private func take(_ bytes: EasyHandle.Received) {
    switch bytes {
    case .bytes where isLingering: return
    case .bytes(let bytes):
      if isOpen { session.feed(bytes) } else { read(head: bytes[...]) }
    case .end:
      isReadable = false
      if isLingering { return finish(.abnormal) }
      guard isOpen else {
        return fail(
          EngagementError(
            .unavailable, "The server closed the connection within the handshake: try again."))
      }
      session.endInput()
    }
    interpret()
  }

  private func interpret() {
    guard isOpen, !isOver else { return }
    while ending == nil, !output.isFull, hasRoom, let step = session.next() {
      switch step {
      case .deliver(let message): if !isClosing { order.mailbox.deliver(message) }
      case .send(let frame): output.append(frame)
      case .pong: break
      case .end(let ending):
        self.ending = ending
        deadline = SuspendingClock.now.advanced(by: Self.closingTime)
      }
    }
  }

  private func flush() {
    guard !isOver else { return }
    output.flush { easy.send($0) }
    guard let ending, output.isDone else { return }
    if ending.fault == nil || !isReadable { return finish(ending.close) }
    tellEnd(ending.close)
    isLingering = true
  }

  /// Ends a handshake, at the beginning or at the end, that has lasted longer than it may.
  func expire() {
    if let ending { return finish(ending.close) }
    fail(
      EngagementError(
        .deadlineExceeded, "The server did not finish the web socket's handshake in time."))
  }

  // MARK: The end

  private func fail(_ error: EngagementError) {
    guard !isOver else { return }
    opening?.resume(returning: .failure(error))
    opening = nil
    finish(.abnormal)
  }

  private func finish(_ close: SocketClose) {
    isOver = true
    tellEnd(close)
  }

  private func tellEnd(_ close: SocketClose) {
    output.end(OpenSockets.closed)
    order.mailbox.end(close)
  }
}
