public import EngagementModel

/// Sends one request and returns the response. A transport does not retry, follow redirects, cache,
/// keep cookies or log.
///
/// Every transport guarantees:
/// - It calls `HTTPRequest.target()` first, sends to the text of that URL and never to the original
///   string, and refuses `ws` and `wss` with `invalidArgument`.
/// - It asks its `RequestPolicy` before it resolves a name or sends a byte. If the decision has
///   pins, it compares them with the chain before it sends a byte of the request.
/// - It always verifies the certificate and the host name, with TLS 1.2 or later.
/// - A response with any status is returned and not thrown, including redirects.
/// - It sends the headers unchanged and adds only those that frame and route the message.
/// - It keeps repeated response headers and drops fields that `HTTPHeaders` refuses.
/// - It limits the size of the decoded body, so that a small answer can't expand without end. A
///   larger body throws `malformedResponse`.
/// - Cancelling the task ends the transfer at once.
///
/// The codes of its errors: `invalidArgument` for a request that can't be sent; `permissionDenied`
/// if the policy or the pins refuse; `unavailable` if the peer was not reached, failed verification
/// or disconnected; `deadlineExceeded` after a time limit; `malformedResponse` if the answer is not
/// HTTP or too large; `cancelled` if the task was cancelled.
public protocol HTTPTransport: Sendable {
  /// Sends the request and returns the response. An error status is a response too.
  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse

  /// Sends the request, passes the response to the receiver while it arrives, and returns it
  /// without its body.
  ///
  /// The guarantees and codes are those of `send`; an error of the receiver is thrown unchanged.
  /// The default implementation calls `send`, so it keeps the whole body and the limit of `send`
  /// holds too.
  ///
  /// - Parameter limit: The greatest size of the decoded body, in bytes, in place of the limit that
  ///   the transport has for `send`.
  func receive(
    _ request: HTTPRequest, limit: Int, into receiver: any ResponseReceiver
  ) async throws(EngagementError) -> HTTPResponse
}

extension HTTPTransport {
  public func receive(
    _ request: HTTPRequest, limit: Int, into receiver: any ResponseReceiver
  ) async throws(EngagementError) -> HTTPResponse {
    let response = try await send(request)
    let head = HTTPResponse(response.status, headers: response.headers)
    try receiver.begin(head)
    guard response.body.count <= limit else {
      throw EngagementError(
        .malformedResponse, "The answer is larger than the limit for a decoded body.")
    }
    if !response.body.isEmpty { try receiver.take(response.body.span.bytes) }
    return head
  }
}
