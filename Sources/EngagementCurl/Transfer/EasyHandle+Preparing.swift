import CCurl
import EngagementHTTP
import EngagementModel

extension EasyHandle {
  /// Sets all options of a transfer. The handle must be new or reset.
  func prepare(for transfer: Transfer, within limits: Limits) throws(EngagementError) {
    try setTarget(transfer.order.url.text, by: transfer.order.proxy)
    try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    // Waiting for a connection that HTTP/2 may share is cheaper than opening a second one. Without
    // encryption there is no HTTP/2, and libcurl would wait for the whole of the first answer.
    try set(CURLOPT_PIPEWAIT, transfer.order.url.scheme.isEncrypted ? 1 : 0)
    try setRequest(transfer.order.request)
    try setLimits(limits)
    try setTrust(limits)
    // A resumed session has no chain to compare with the pins.
    if transfer.order.pins != nil { try set(CURLOPT_SSL_SESSIONID_CACHE, 0) }
    try setCallbacks(transfer)
  }

  func setTarget(_ url: String, by proxy: ProxyChoice.Route) throws(EngagementError) {
    try setErrorText()
    try setWebOnly()
    try set(CURLOPT_URL, url)
    // The check was on this exact URL, so libcurl must not normalise it.
    try set(CURLOPT_PATH_AS_IS, 1)
    try set(CURLOPT_FOLLOWLOCATION, 0)
    try set(CURLOPT_PROXY, proxy.server.revealed)
    try set(CURLOPT_NOPROXY, proxy.exceptions)
    try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    // A proxy must not see the headers for the server.
    try set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
  }

  private func setRequest(_ request: HTTPRequest) throws(EngagementError) {
    if request.method == .head && request.body == nil {
      try set(CURLOPT_NOBODY, 1)
    } else if let body = request.body ?? (Self.expectBody.contains(request.method) ? [] : nil) {
      try set(CURLOPT_POST, 1)
      try setBody(body)
    }
    try set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
    // An empty value allows every coding that this libcurl can decode.
    try set(CURLOPT_ACCEPT_ENCODING, "")
    try setHeaders(Self.lines(of: request.headers))
  }

  /// These methods send an empty body with its length (RFC 9110 §8.6).
  private static let expectBody: [HTTPMethod] = [.post, .put, .patch]

  /// A header line without a value keeps libcurl from adding its own.
  private static func lines(of headers: HTTPHeaders) -> [String] {
    let own = ["Accept", "Content-Type", "Expect"].filter { !headers.contains($0) }
    return own.map { "\($0):" }
      + headers.fields.map { field in
        let value = field.value.revealed
        return value.isEmpty ? "\(field.name);" : "\(field.name): \(value)"
      }
  }

  func setLimits(_ limits: Limits) throws(EngagementError) {
    // Otherwise libcurl uses signals for time-outs, which affect the whole process.
    try set(CURLOPT_NOSIGNAL, 1)
    try set(CURLOPT_CONNECTTIMEOUT_MS, limits.connect)
    try set(CURLOPT_TIMEOUT_MS, limits.total)
    try set(CURLOPT_LOW_SPEED_LIMIT, limits.lowSpeed)
    try set(CURLOPT_LOW_SPEED_TIME, limits.lowSpeedSeconds)
    try set(CURLOPT_MAXAGE_CONN, limits.idleSeconds)
  }

  func setTrust(_ limits: Limits) throws(EngagementError) {
    try set(CURLOPT_SSL_VERIFYPEER, 1)
    try set(CURLOPT_SSL_VERIFYHOST, 2)
    try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    try set(CURLOPT_PROXY_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    if let file = limits.certificateAuthorities {
      // The file replaces the system's file; the system's directory stays in use.
      try set(CURLOPT_CAINFO, file)
      try set(CURLOPT_PROXY_CAINFO, file)
    }
  }

  private func setCallbacks(_ transfer: Transfer) throws(EngagementError) {
    try set(CURLOPT_PRIVATE, unretained: transfer)
    unsafe try set(CURLOPT_HEADERFUNCTION, takeHeadLine)
    try set(CURLOPT_HEADERDATA, unretained: transfer)
    unsafe try set(CURLOPT_WRITEFUNCTION, takeBody)
    try set(CURLOPT_WRITEDATA, unretained: transfer)
    unsafe try setBeforeRequest(beforeRequest)
    try set(CURLOPT_PREREQDATA, unretained: transfer)
  }
}
