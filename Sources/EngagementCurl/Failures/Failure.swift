import CCurl
import EngagementHTTP
import EngagementModel
import EngagementPlatform

/// The known facts about a failed transfer.
struct Failure {
  /// The phase in which the transfer failed.
  enum Phase { case resolving, connecting, greeting, waiting, receiving }

  let code: CURLcode
  let refusal: Transfer.Refusal?
  let phase: Phase
  let wasSlow: Bool
  let systemError: Int32
  /// OpenSSL's verdict on the certificate; 0 if the certificate was not the cause.
  let verification: Int
  /// Whether the chunked framing was invalid; libcurl has no code of its own for that.
  let isBadChunk: Bool
  /// The proxy's status for a tunnel request; 0 without one.
  let proxyStatus: Int

  init(of transfer: Transfer, _ code: CURLcode) {
    self.init(
      code, of: transfer.easy, isEncrypted: transfer.order.url.scheme.isEncrypted,
      transfer.refusal)
  }

  init(
    _ code: CURLcode, of easy: EasyHandle, isEncrypted: Bool, _ refusal: Transfer.Refusal? = nil
  ) {
    self.code = code
    self.refusal = refusal
    let text = easy.errorText
    phase = Phase(of: easy, text, isEncrypted: isEncrypted)
    wasSlow = text.hasPrefix("Operation too slow")
    systemError = Int32(truncatingIfNeeded: easy.number(CURLINFO_OS_ERRNO))
    verification = easy.number(CURLINFO_SSL_VERIFYRESULT)
    isBadChunk = text.contains("chunked-encoding")
    proxyStatus = easy.number(CURLINFO_HTTP_CONNECTCODE)
  }

  /// The code says what to do; the message says what failed and what helps.
  var error: EngagementError {
    if case .receiver(let error) = refusal { return error }
    let (code, message) = refusal.map(Self.reason) ?? explained
    return EngagementError(code, message, underlying: underlying)
  }

  private var underlying: String {
    if refusal != nil { return "refused" }
    if code == CURLE_PEER_FAILED_VERIFICATION && verification != 0 {
      return "curl \(code.rawValue), X509 \(verification)"
    }
    return systemError == 0
      ? "curl \(code.rawValue)" : "curl \(code.rawValue), errno \(systemError)"
  }

  static func reason(
    of refusal: Transfer.Refusal
  ) -> (EngagementError.Code, String) {
    switch refusal {
    case .pins:
      (
        .permissionDenied,
        "No certificate of the server's chain has a pinned key, so nothing was sent: "
          + "check the pins, or who answers for the server."
      )
    case .lost:
      (.unavailable, "The connection was lost before the answer came: try again.")
    case .headTooLong: (.malformedResponse, "The head of the answer is too long.")
    case .bodyTooLong:
      (.malformedResponse, "The answer is larger than the limit for a decoded body.")
    case .receiver(let error): (error.code, error.message)
    }
  }
}

extension Failure.Phase {
  fileprivate init(of easy: EasyHandle, _ text: String, isEncrypted: Bool) {
    if easy.time(CURLINFO_STARTTRANSFER_TIME_T) > 0 {
      self = .receiving
    } else if easy.time(CURLINFO_PRETRANSFER_TIME_T) > 0 {
      self = .waiting
    } else if text.hasPrefix("Resolving timed out") {
      self = .resolving
    } else {
      self = isEncrypted && easy.number(CURLINFO_LOCAL_PORT) > 0 ? .greeting : .connecting
    }
  }
}
