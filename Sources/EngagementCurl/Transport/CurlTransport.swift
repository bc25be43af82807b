public import EngagementHTTP
public import EngagementModel

/// The transport of this library: libcurl, one thread that waits for all transfers, HTTP/2 where the
/// server speaks it. A request is begun on its caller's thread, which waits for nothing.
///
/// It does what `HTTPTransport` promises. Connections are kept and used again, by the requests of
/// one transport only; make one transport and share it. A request that fails because a kept
/// connection turns out to be dead is sent once more on a new one where it only reads; any other
/// fails with `unavailable`, since nobody knows whether it had an effect.
///
/// Beyond the errors of every transport, `invalidConfiguration` says that the file of certificate
/// authorities can't be used, and `internalFailure` that libcurl or its thread could not start.
public final class CurlTransport: HTTPTransport {
  private let policy: RequestPolicy
  private let proxy: ProxyChoice
  private let report: (@Sendable (PinMismatch) -> Void)?
  private let driver: Result<CurlDriver, EngagementError>

  /// Starts the thread. Nothing is connected before the first request.
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
    let order = try order(for: request)
    // The driver's thread ends with the transport.
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
}
