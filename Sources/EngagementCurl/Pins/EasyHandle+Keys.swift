import CCurl
import COpenSSL

extension EasyHandle {
  /// The SHA-256 of each key of the verified chain, the server's own first; empty without such a
  /// chain.
  ///
  /// The transport reads it for each request and not at the handshake. So it compares a reused
  /// connection with the pins again, and never takes a proxy's certificate for the server's.
  func verifiedKeys() -> [[UInt8]] {
    guard let connection = unsafe ccurl_openssl(raw).map({ OpaquePointer($0) }) else {
      return []
    }
    var keys: [[UInt8]] = []
    while let certificate = unsafe copenssl_verified(connection, Int32(keys.count)) {
      guard let key = unsafe Self.sha256(ofKeyIn: certificate) else { return [] }
      keys.append(key)
    }
    return keys
  }

  private static func sha256(ofKeyIn certificate: OpaquePointer) -> [UInt8]? {
    var encoded: UnsafeMutablePointer<UInt8>?
    let count = unsafe i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &encoded)
    guard count > 0, let bytes = unsafe encoded else { return nil }
    defer { unsafe CRYPTO_free(bytes, nil, 0) }
    var hash = [UInt8](repeating: 0, count: 32)
    let code = unsafe EVP_Digest(bytes, Int(count), &hash, nil, EVP_sha256(), nil)
    return code == 1 ? hash : nil
  }
}
