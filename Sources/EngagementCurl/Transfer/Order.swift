import EngagementHTTP
import EngagementModel

/// A checked request with its pins and its proxy, and who takes the body.
struct Order: Sendable {
  let request: HTTPRequest
  let url: HTTPURL
  let pins: PinSet?
  let report: (@Sendable (PinMismatch) -> Void)?
  let proxy: ProxyChoice.Route
  /// Nil if the response keeps its body.
  var receiver: (any ResponseReceiver)?
  /// The greatest size of the decoded body; nil for the transport's own limit.
  var bodyLimit: Int?
}

/// Identifies one call of the transport, for cancellation.
final class Ticket: Sendable {}

/// The limits for every transfer of a transport.
struct Limits: Sendable {
  let connect: Int
  let total: Int
  let lowSpeed: Int
  let lowSpeedSeconds: Int
  let idleSeconds: Int
  let maximumBodyBytes: Int
  let certificateAuthorities: String?

  init(_ configuration: CurlTransport.Configuration) {
    connect = configuration.connectTimeout.milliseconds
    total = configuration.totalTimeout.milliseconds
    lowSpeed = max(0, min(configuration.lowSpeed, Int(Int32.max)))
    lowSpeedSeconds = max(1, configuration.lowSpeedTime.milliseconds / 1000)
    idleSeconds = max(1, configuration.idleTime.milliseconds / 1000)
    maximumBodyBytes = max(0, configuration.maximumBodyBytes)
    certificateAuthorities = configuration.certificateAuthorities
  }
}

extension Duration {
  /// Clamped to the range of libcurl, and never zero, which would mean no limit.
  fileprivate var milliseconds: Int {
    let most = Duration.milliseconds(Int64(Int32.max))
    let clamped = max(.milliseconds(1), min(self, most)).components
    return Int(clamped.seconds * 1000 + clamped.attoseconds / 1_000_000_000_000_000)
  }
}
