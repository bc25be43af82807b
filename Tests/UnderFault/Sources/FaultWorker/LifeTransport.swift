import EngagementCurl
import EngagementHTTP
import EngagementModel

/// The library's own transport; the servers are told which life of the worker asks.
struct LifeTransport: HTTPTransport {
  let life: Int
  private let curl = CurlTransport()

  init(life: Int) { self.life = life }

  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    var request = request
    try request.headers.append("X-Fault-Life", String(life))
    return try await curl.send(request)
  }
}
