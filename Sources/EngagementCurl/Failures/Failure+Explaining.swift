import CCurl
import COpenSSL
import EngagementModel
import EngagementPlatform

extension Failure {
  /// The error code and the message for libcurl's code.
  var explained: (EngagementError.Code, String) {
    switch code {
    case CURLE_OPERATION_TIMEDOUT: (.deadlineExceeded, timeout)
    case CURLE_PEER_FAILED_VERIFICATION: (.unavailable, certificate)
    case CURLE_SSL_CACERT_BADFILE:
      (
        .invalidConfiguration,
        "The file of certificate authorities can't be used: "
          + "check that certificateAuthorities names a readable PEM file."
      )
    case CURLE_URL_MALFORMAT: (.invalidArgument, "The network library does not take the URL.")
    case CURLE_RECV_ERROR where isBadChunk: (.malformedResponse, malformed)
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING,
      CURLE_WRITE_ERROR:
      (.malformedResponse, malformed)
    // libcurl also reports this if a line of the head is longer than its buffer.
    case CURLE_OUT_OF_MEMORY where isUnderWay: Self.reason(of: .headTooLong)
    case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT:
      (.internalFailure, "libcurl could not begin: it is out of memory.")
    default: (.unavailable, unreached)
    }
  }

  /// Whether the request was sent, so that the vendor may have received it.
  private var isUnderWay: Bool { phase == .waiting || phase == .receiving }

  private var timeout: String {
    switch phase {
    case .resolving: "The host's name was not found in time: check the network and its resolver."
    case .connecting: "The server was not reached in time: check the endpoint and the network."
    case .greeting: "The server did not finish the TLS handshake in time: try again later."
    case .waiting where wasSlow: "The server began no answer in time: try again later."
    case .waiting: "The server did not answer in time: try again later."
    case .receiving where wasSlow: "The answer came too slowly: try again later."
    case .receiving: "The answer was not complete in time: try again later."
    }
  }

  private var certificate: String {
    switch Int32(truncatingIfNeeded: verification) {
    // libcurl checks the name itself before it asks OpenSSL, and then reports "unspecified".
    case X509_V_OK, X509_V_ERR_UNSPECIFIED:
      "The certificate is for another host: check the endpoint, or who answers for it."
    case X509_V_ERR_CERT_HAS_EXPIRED:
      "The certificate has expired: check this machine's clock, else the server has to renew it."
    case X509_V_ERR_CERT_NOT_YET_VALID:
      "The certificate is not valid yet: check this machine's clock."
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
      "The certificate is self-signed, so the server cannot be verified. "
        + "If it is yours, name its certificate in certificateAuthorities."
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
      X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      "The certificate comes from an authority that is not trusted. "
        + "If it is your company's, name its file in certificateAuthorities."
    default: "The certificate can't be verified: check the endpoint, or who answers for it."
    }
  }

  private var malformed: String {
    code == CURLE_BAD_CONTENT_ENCODING || code == CURLE_WRITE_ERROR
      ? "The body of the answer can't be decoded: something on the way may have damaged it."
      : "The answer is no HTTP: check that the endpoint's port is the right one."
  }

  private var unreached: String {
    if proxyStatus != 0 && proxyStatus / 100 != 2 {
      return "The proxy refused the connection with \(proxyStatus): check the proxy's settings."
    }
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST:
      return "The host's name was not found: check the endpoint and the network."
    case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY:
      return "The proxy was not reached: check https_proxy, or the proxy that is configured."
    case CURLE_COULDNT_CONNECT where systemError == ECONNREFUSED:
      return "The connection was refused: check the endpoint's port and that the server runs."
    case CURLE_COULDNT_CONNECT: return "The server was not reached: check the network."
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_CERTPROBLEM, CURLE_SSL_ISSUER_ERROR:
      return "There was no agreement on TLS 1.2 or later: check that the port speaks TLS."
    case CURLE_GOT_NOTHING: return "The server closed the connection without an answer: try again."
    case CURLE_PARTIAL_FILE: return "The answer was cut short: try again."
    default: return "The connection broke off: try again."
    }
  }
}
