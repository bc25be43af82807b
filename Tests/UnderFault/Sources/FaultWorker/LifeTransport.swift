import EngagementCurl
import EngagementHTTP
import EngagementModel

/// The library's own transport. It sends the life and the number of each request to the servers,
/// and reports cancelled requests to the driver.
struct LifeTransport: HTTPTransport, SocketTransport {
  let life: Int
  private let numbers = Counter()
  private let curl = CurlTransport()

  init(life: Int) { self.life = life }

  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    try await numbered(request) { (request) async throws(EngagementError) in
      try await curl.send(request)
    }
  }

  func receive(
    _ request: HTTPRequest, limit: Int, into receiver: any ResponseReceiver
  ) async throws(EngagementError) -> HTTPResponse {
    try await numbered(request) { (request) async throws(EngagementError) in
      try await curl.receive(request, limit: limit, into: receiver)
    }
  }

  func connect(_ request: HTTPRequest) async throws(EngagementError) -> any SocketConnection {
    try await curl.connect(request)
  }

  private func numbered(
    _ request: HTTPRequest, _ send: (HTTPRequest) async throws(EngagementError) -> HTTPResponse
  ) async throws(EngagementError) -> HTTPResponse {
    var request = request
    let name = "\(life).\(numbers.next())"
    try request.headers.append("X-Fault-Request", name)
    do throws(EngagementError) {
      return try await send(request)
    } catch {
      if error.code == .cancelled, !Self.isPoll(request) { say("abandoned \(name)") }
      throw error
    }
  }

  /// A poll has no effect. The live channel cancels it when its socket is open.
  private static func isPoll(_ request: HTTPRequest) -> Bool {
    request.method == .get && request.url.contains("/atomic/")
  }
}
