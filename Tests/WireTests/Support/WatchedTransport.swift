import EngagementCurl
import EngagementHTTP
import EngagementKit
import EngagementModel

/// Records the requests over another transport, with times of the application's clock.
final class WatchedTransport: HTTPTransport {
  /// A request with its result.
  struct Passage: Sendable {
    var sentAt: Duration
    /// Whether it contains accepted rows: events or attributes.
    var carries: Bool
    var status: Int?
    /// The error in place of an answer.
    var error: EngagementError?
    /// The delay that the vendor requested.
    var retryAfter: Duration?

    /// The status, or the error.
    var outcome: String {
      error.map { "\($0), \($0.underlying ?? "")" } ?? status.map { "\($0)" } ?? ""
    }
  }

  private let inner: any HTTPTransport
  private let clock: any EngagementClock
  private let log = Locked<[Passage]>([])

  init(_ inner: any HTTPTransport, _ clock: any EngagementClock) {
    self.inner = inner
    self.clock = clock
  }

  /// All requests, in order.
  var passages: [Passage] { log.withLock { $0 } }

  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    let body = request.body ?? []
    var passage = Passage(
      sentAt: clock.uptime,
      carries: body.contains(Array(#""events":["#.utf8))
        || body.contains(Array(#""attributes":["#.utf8))
        // CleverTap's, without what it fetches.
        || body.contains(Array(#""evtName":"n"#.utf8))
        || body.contains(Array(#""type":"profile""#.utf8)))
    do throws(EngagementError) {
      let response = try await inner.send(request)
      passage.status = response.status
      passage.retryAfter = response.retryAfter(now: clock.now)
      log.withLock { $0.append(passage) }
      return response
    } catch {
      passage.error = error
      log.withLock { $0.append(passage) }
      throw error
    }
  }
}

extension CurlTransport.Configuration {
  /// Long limits, so that a slow machine causes no failure. Bodies are small, so that one over the
  /// limit costs little; idle connections end early, before the vendor closes them.
  static func patient() -> CurlTransport.Configuration {
    var limits = CurlTransport.Configuration()
    limits.maximumBodyBytes = 128 << 10
    limits.connectTimeout = .seconds(3_000)
    limits.totalTimeout = .seconds(3_000)
    limits.lowSpeedTime = .seconds(3_000)
    limits.idleTime = .seconds(1)
    return limits
  }
}
