import COpenSSL
import EngagementFormats
import EngagementHTTP
import TestServers

extension TLSIdentity {
  /// The SHA-256 of the public key, computed by other code than the product's.
  var pin: Pin {
    get throws {
      var encoded: UnsafeMutablePointer<UInt8>?
      let count = Int(i2d_PUBKEY(key, &encoded))
      defer { CRYPTO_free(encoded, nil, 0) }
      return try Pin(
        sha256: SHA256.digest(of: Array(UnsafeBufferPointer(start: encoded, count: count))).bytes)
    }
  }
}
