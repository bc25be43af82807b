import EngagementHTTP
import EngagementKit
import EngagementModel

/// A vendor that never answers; it says when it was asked.
final class StuckTransport: HTTPTransport {
  private let asked = AsyncStream.makeStream(of: Void.self)

  func wasAsked() async {
    var iterator = asked.stream.makeAsyncIterator()
    await iterator.next()
  }

  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    asked.continuation.yield()
    // Ends only by cancellation.
    try? await Task.sleep(for: .seconds(86_400))
    throw EngagementError(.cancelled, "The request was cancelled.")
  }
}
