import EngagementHTTP
import EngagementModel
import Testing

/// A transport that can only send.
private struct SendingTransport: HTTPTransport {
  let result: Result<HTTPResponse, EngagementError>

  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    try result.get()
  }
}

private final class ListingReceiver: ResponseReceiver {
  let calls = Locked<[String]>([])
  let refusal: EngagementError?

  init(refusal: EngagementError? = nil) { self.refusal = refusal }

  func begin(_ head: HTTPResponse) throws(EngagementError) {
    calls.withLock { $0.append("\(head), \(head.headers)") }
    if let refusal { throw refusal }
  }

  func take(_ bytes: RawSpan) throws(EngagementError) {
    let text = bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    calls.withLock { $0.append(text) }
  }
}

@Suite struct ReceivingByDefaultTests {
  private func received(
    _ body: String, limit: Int, into receiver: ListingReceiver
  ) async -> Result<HTTPResponse, EngagementError> {
    do throws(EngagementError) {
      let response = HTTPResponse(
        200, headers: try HTTPHeaders(["X-A": "1"]), body: Array(body.utf8))
      let transport = SendingTransport(result: .success(response))
      return .success(
        try await transport.receive(
          HTTPRequest(.get, "https://example.com/"), limit: limit, into: receiver))
    } catch {
      return .failure(error)
    }
  }

  @Test("C8: a transport that only sends passes on the head, then the body")
  func passed() async throws {
    let receiver = ListingReceiver()
    let response = try await received("hello", limit: 5, into: receiver).get()
    #expect(response == HTTPResponse(200, headers: try HTTPHeaders(["X-A": "1"])))
    #expect(receiver.calls.withLock { $0 } == ["200, 0 bytes, X-A: 1", "hello"])
  }

  @Test("C8: an empty body is not passed on")
  func empty() async throws {
    let receiver = ListingReceiver()
    _ = try await received("", limit: 0, into: receiver).get()
    #expect(receiver.calls.withLock { $0 }.count == 1)
  }

  @Test("C8: a body above the limit is malformed and not passed on")
  func tooLong() async {
    let receiver = ListingReceiver()
    let result = await received("hello", limit: 4, into: receiver)
    #expect(throws: EngagementError.self) { try result.get() }
    if case .failure(let error) = result { #expect(error.code == .malformedResponse) }
    #expect(receiver.calls.withLock { $0 }.count == 1)
  }

  @Test("C8: an error of the receiver, or of sending, is thrown unchanged")
  func errors() async {
    let own = EngagementError(.storage, "No room.", underlying: "here")
    let refused = await received("hello", limit: 5, into: ListingReceiver(refusal: own))
    #expect(refused == .failure(own))
    let transport = SendingTransport(result: .failure(own))
    await #expect(throws: own) {
      try await transport.receive(
        HTTPRequest(.get, "https://example.com/"), limit: 5, into: ListingReceiver())
    }
  }
}
