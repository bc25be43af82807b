public import EngagementModel

/// Sends one request and gives back what came, and does nothing else: no retry, no redirect, no
/// cache, no cookie, no log.
///
/// What every transport guarantees:
/// - it begins with `HTTPRequest.target()`, hands on the text of that URL and never the string it
///   was given, and refuses `ws` and `wss` with `invalidArgument`;
/// - it asks its `RequestPolicy` before it resolves a name or sends a byte, and where the answer
///   brings pins, it checks them against the chain before it sends a byte of the request;
/// - certificate and host name are always verified, with TLS 1.2 or later;
/// - any status is a response and not an error, a redirect too: it is returned, never followed;
/// - it sends the headers as they are and adds only what frames and routes the message;
/// - it keeps repeated response headers and drops fields that `HTTPHeaders` refuses;
/// - it caps the bytes of the body as they are after decoding, so that a small answer can't
///   grow without end; more is `malformedResponse`;
/// - cancelling the task ends the transfer at once.
///
/// Its errors' codes: `invalidArgument` for a request that can't be sent, `permissionDenied` where
/// the policy or the pins refuse, `unavailable` where the peer was not reached, was not who it
/// claims to be, or went away, `deadlineExceeded` where it took too long, `malformedResponse` for
/// an answer that is no HTTP or too large, `cancelled` for a cancelled task.
public protocol HTTPTransport: Sendable {
  /// The response to the request, whatever its status.
  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse
}
