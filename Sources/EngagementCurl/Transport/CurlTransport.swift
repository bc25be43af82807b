public import EngagementHTTP
public import EngagementModel

/// The transport of this library, based on libcurl: one thread waits for all transfers and web
/// sockets, with HTTP/2 for requests if the server supports it. The caller's thread starts a request
/// without blocking.
///
/// It keeps the guarantees of `HTTPTransport`. It reuses connections, but only within one
/// transport; make one transport and share it. If a kept connection turns out to be dead, the
/// transport sends a GET or HEAD request once more on a new one. Any other request fails with
/// `unavailable`, because it may have had an effect.
///
/// Besides the errors of every transport it throws `invalidConfiguration` if the file of
/// certificate authorities can't be used, and `internalFailure` if libcurl or its thread could not
/// start.
public final class CurlTransport: HTTPTransport {
  private let policy: RequestPolicy
  private let proxy: ProxyChoice
  private let report: (@Sendable (PinMismatch) -> Void)?
  let driver: Result<CurlDriver, EngagementError>

  /// Starts the thread. Does not connect before the first request.
  public init(_ configuration: Configuration = Configuration()) {
    policy = configuration.policy
    proxy = ProxyChoice(configuration.proxy)
    report = configuration.onPinMismatch
    driver = Result { () throws(EngagementError) in
      try CurlDriver.started(Limits(configuration))
    }
  }

  deinit { (try? driver.get())?.close() }

  public func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    try await response(to: try order(for: request))
  }

  /// Passes the response to the receiver while it arrives, on the thread that drives all transfers.
  /// The transport keeps nothing of the body: at most 64 KB wait in libcurl, the rest in the
  /// system's sockets or at the peer.
  public func receive(
    _ request: HTTPRequest, limit: Int, into receiver: any ResponseReceiver
  ) async throws(EngagementError) -> HTTPResponse {
    var order = try order(for: request)
    order.receiver = receiver
    order.bodyLimit = max(0, limit)
    return try await response(to: order)
  }

  private func response(to order: Order) async throws(EngagementError) -> HTTPResponse {
    // The driver's thread ends with the transport, so the transport must outlive the request.
    defer { withExtendedLifetime(self) {} }
    return try await driver.get().outcome(of: order).get().response
  }

  private func order(for request: HTTPRequest) throws(EngagementError) -> Order {
    let url = try request.target()
    guard !url.scheme.isSocket else {
      throw EngagementError(.invalidArgument, "A request is sent to an http or https URL.")
    }
    let pins = try policy.decision(on: url).get()
    return Order(
      request: request, url: url, pins: pins, report: report, proxy: proxy.route(to: url.host))
  }

  func socketOrder(
    for request: HTTPRequest, at url: HTTPURL
  ) throws(EngagementError) -> SocketOrder {
    // Pins are denied here: libcurl asks before it sends a request, and here it sends none.
    _ = try policy.decision(on: url).get()
    return try SocketOrder(request, to: url, by: proxy.route(to: url.host))
  }
}
