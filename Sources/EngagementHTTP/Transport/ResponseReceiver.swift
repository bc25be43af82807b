public import EngagementModel

/// Takes a response while it arrives, so that no transport has to keep its body.
///
/// A transport calls it for one response, never twice at the same time, and not any more when
/// `receive` has returned or thrown. An error from either method ends the transfer at once.
///
/// The calls hold up the transport's other transfers, and the peer has to wait for them. They may
/// write to a file, but must not wait for anything else.
public protocol ResponseReceiver: Sendable {
  /// Takes the status and the headers, before the first byte of the body. Interim responses are
  /// left out.
  func begin(_ head: HTTPResponse) throws(EngagementError)

  /// Takes the next bytes of the decoded body. They are there only during the call.
  func take(_ bytes: RawSpan) throws(EngagementError)
}
