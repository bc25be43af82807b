public import EngagementHTTP
public import EngagementModel

/// An open web socket of a `CurlTransport`.
final class CurlSocket: SocketConnection {
  /// The driver's thread ends with the transport.
  private let transport: CurlTransport
  private let driver: CurlDriver
  private let ticket: Ticket
  private let mailbox: SocketMailbox

  init(_ transport: CurlTransport, _ driver: CurlDriver, _ ticket: Ticket, _ mailbox: SocketMailbox)
  {
    self.transport = transport
    self.driver = driver
    self.ticket = ticket
    self.mailbox = mailbox
  }

  deinit { driver.cancel(ticket) }

  func send(_ message: SocketMessage) async throws(EngagementError) {
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { driver.post(.socket(ticket, .send(message, $0))) }
    } onCancel: {
      driver.cancel(ticket)
    }
    if Task.isCancelled { throw Self.cancelled }
    try result.get()
  }

  func receive() async throws(EngagementError) -> SocketReceipt {
    guard let receipt = await mailbox.next() else {
      driver.cancel(ticket)
      throw Self.cancelled
    }
    if mailbox.resumesReading() { driver.post(.socket(ticket, .read)) }
    return receipt
  }

  func close(_ close: SocketClose) async {
    driver.post(.socket(ticket, .close(close)))
    await mailbox.waitForEnd()
  }

  private static let cancelled = EngagementError(.cancelled, "The task was cancelled.")
}

extension CurlTransport: SocketTransport {
  public func connect(_ request: HTTPRequest) async throws(EngagementError) -> any SocketConnection
  {
    let url = try request.target()
    guard url.scheme.isSocket else {
      throw EngagementError(.invalidArgument, "A web socket is opened at a ws or wss URL.")
    }
    let order = try socketOrder(for: request, at: url)
    let (driver, ticket) = (try driver.get(), Ticket())
    // The driver's thread ends with the transport, so the transport must outlive the handshake.
    defer { withExtendedLifetime(self) {} }
    try await driver.connect(order, ticket).get()
    return CurlSocket(self, driver, ticket, order.mailbox)
  }
}
