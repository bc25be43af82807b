import EngagementHTTP
import EngagementKit
import EngagementModel

/// Notes what passes over another transport, and when by the application's clock.
final class WatchedTransport: HTTPTransport {
  /// A request that was sent, and what came of it.
  struct Passage: Sendable {
    var sentAt: Duration
    /// Whether it carries what was accepted: events or attributes.
    var carries: Bool
    var status: Int?
    /// Why there was no answer.
    var error: EngagementError?
    /// What the vendor asked for.
    var retryAfter: Duration?

    /// The status, or why there is none.
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

  /// What has passed, in order.
  var passages: [Passage] { log.withLock { $0 } }

  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    let body = request.body ?? []
    var passage = Passage(
      sentAt: clock.uptime,
      carries: body.contains(Array(#""events":["#.utf8))
        || body.contains(Array(#""attributes":["#.utf8)))
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
