import EngagementHTTP
import EngagementModel

/// A request that may be sent, and under which conditions.
struct Order: Sendable {
  let request: HTTPRequest
  let url: HTTPURL
  let pins: PinSet?
  let report: (@Sendable (PinMismatch) -> Void)?
  let proxy: ProxyChoice.Route
}

/// What cancelling names: one call of `send`.
final class Ticket: Sendable {}

/// What every transfer of a transport has to keep to.
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
  /// Within what libcurl takes, and never zero, which to libcurl is no limit at all.
  fileprivate var milliseconds: Int {
    let most = Duration.milliseconds(Int64(Int32.max))
    let clamped = max(.milliseconds(1), min(self, most)).components
    return Int(clamped.seconds * 1000 + clamped.attoseconds / 1_000_000_000_000_000)
  }
}
