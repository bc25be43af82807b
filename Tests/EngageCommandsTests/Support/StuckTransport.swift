import EngagementHTTP
import EngagementKit
import EngagementModel

/// A vendor that never answers. A test can wait for its first request.
final class StuckTransport: HTTPTransport {
  private let asked = AsyncStream.makeStream(of: Void.self)

  func wasAsked() async {
    var iterator = asked.stream.makeAsyncIterator()
    await iterator.next()
  }

  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    asked.continuation.yield()
    // Ends only when the task is cancelled.
    try? await Task.sleep(for: .seconds(86_400))
    throw EngagementError(.cancelled, "The request was cancelled.")
  }
}
