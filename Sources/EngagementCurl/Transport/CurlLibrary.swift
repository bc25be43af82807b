import CCurl
import COpenSSL

/// The libraries that vendors are reached by, as they are at run time.
package enum CurlLibrary {
  /// Such as `7.88.1`.
  package static var version: String {
    guard let text = unsafe curl_version() else { return "unknown" }
    let words = unsafe String(cString: text).split(separator: " ")
    return words.first.flatMap { $0.split(separator: "/").last }.map(String.init) ?? "unknown"
  }

  /// What TLS is made of, such as `3.0.17`.
  package static var tlsVersion: String {
    guard let text = unsafe OpenSSL_version(OPENSSL_VERSION_STRING) else { return "unknown" }
    return unsafe String(cString: text)
  }

  /// Whether a write to a peer that has gone never raises a signal, so that any thread may do it.
  /// Before 7.87, OpenSSL wrote to the socket by itself, which does.
  static let writesWithoutSignals =
    unsafe curl_version_info(CURLVERSION_FIRST).pointee.version_num >= 0x075700
}
