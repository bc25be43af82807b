import CCurl
import COpenSSL

/// The versions of the network libraries at run time.
package enum CurlLibrary {
  /// The version of libcurl, such as `7.88.1`.
  package static var version: String {
    guard let text = unsafe curl_version() else { return "unknown" }
    let words = unsafe String(cString: text).split(separator: " ")
    return words.first.flatMap { $0.split(separator: "/").last }.map(String.init) ?? "unknown"
  }

  /// The version of OpenSSL, such as `3.0.17`.
  package static var tlsVersion: String {
    guard let text = unsafe OpenSSL_version(OPENSSL_VERSION_STRING) else { return "unknown" }
    return unsafe String(cString: text)
  }

  /// Whether writing to a closed connection never raises a signal, so that any thread may write.
  /// Before curl 7.87, OpenSSL wrote to the socket itself, which raises one.
  static let writesWithoutSignals =
    unsafe curl_version_info(CURLVERSION_FIRST).pointee.version_num >= 0x075700
}
