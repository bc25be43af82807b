import COpenSSL
import Foundation

/// A certificate and its key, made for one test.
// `init` completes the object; afterwards it is only read, which OpenSSL allows on any thread.
package final class TLSIdentity: @unchecked Sendable {
  package let certificate: OpaquePointer
  package let key: OpaquePointer
  /// The identity that signed the certificate; nil if it is self-signed.
  package let issuer: TLSIdentity?

  package enum Validity: Sendable { case now, past, future }

  package init(
    _ name: String, isAuthority: Bool = false, hosts: String? = nil, validity: Validity = .now,
    issuer: TLSIdentity? = nil
  ) throws {
    key = try Self.newKey()
    certificate = X509_new()
    self.issuer = issuer
    X509_set_version(certificate, 2)
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), Int.random(in: 1..<(1 << 40)))
    let day = 86_400
    let days = [Validity.now: -1...30, .past: -20 ... -10, .future: 10...20][validity] ?? -1...1
    X509_gmtime_adj(X509_getm_notBefore(certificate), days.lowerBound * day)
    X509_gmtime_adj(X509_getm_notAfter(certificate), days.upperBound * day)
    X509_set_pubkey(certificate, key)
    X509_NAME_add_entry_by_txt(
      X509_get_subject_name(certificate), "CN", MBSTRING_ASC, name, -1, -1, 0)
    let signer = issuer ?? self
    X509_set_issuer_name(certificate, X509_get_subject_name(signer.certificate))
    add(NID_basic_constraints, isAuthority ? "critical,CA:TRUE" : "CA:FALSE")
    if let hosts { add(NID_subject_alt_name, hosts) }
    guard X509_sign(certificate, signer.key, nil) > 0 else { throw TestFailure("no signature") }
  }

  deinit {
    X509_free(certificate)
    EVP_PKEY_free(key)
  }

  /// Writes the certificate, and the key if that is wanted, to a temporary file and passes its path to
  /// the body. Deletes the file afterwards.
  package func withFile<Value>(
    withKey: Bool = false, _ body: (String) async throws -> Value
  ) async throws -> Value {
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).pem").path
    guard let file = BIO_new_file(path, "w"), PEM_write_bio_X509(file, certificate) == 1,
      !withKey || PEM_write_bio_PrivateKey(file, key, nil, nil, 0, nil, nil) == 1
    else { throw TestFailure("no file") }
    BIO_free(file)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await body(path)
  }

  private static func newKey() throws -> OpaquePointer {
    let context = EVP_PKEY_CTX_new_id(EVP_PKEY_ED25519, nil)
    defer { EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_keygen(context, &key) == 1, let key else {
      throw TestFailure("no key")
    }
    return key
  }

  private func add(_ kind: Int32, _ value: String) {
    let `extension` = X509V3_EXT_conf_nid(nil, nil, kind, value)
    X509_add_ext(certificate, `extension`, -1)
    X509_EXTENSION_free(`extension`)
  }
}

/// A server's settings for TLS handshakes.
// `init` completes the object; OpenSSL locks a context that several connections share.
final class TLSContext: @unchecked Sendable {
  let raw: OpaquePointer
  private let protocols: [UInt8]

  /// `protocols` are the supported ones (ALPN), the preferred one first. Without any, the server
  /// does not negotiate.
  init(_ identity: TLSIdentity, protocols: [String], maximum: Int = 0) throws {
    raw = SSL_CTX_new(TLS_server_method())
    self.protocols = protocols.flatMap { [UInt8($0.utf8.count)] + $0.utf8 }
    SSL_CTX_use_certificate(raw, identity.certificate)
    SSL_CTX_use_PrivateKey(raw, identity.key)
    // The server sends the intermediate certificates; its clients know only the root authority.
    var link = identity.issuer
    while let authority = link, authority.issuer != nil {
      X509_up_ref(authority.certificate)
      SSL_CTX_ctrl(
        raw, SSL_CTRL_EXTRA_CHAIN_CERT, 0, UnsafeMutableRawPointer(authority.certificate))
      link = authority.issuer
    }
    guard !protocols.isEmpty else { return }
    SSL_CTX_set_alpn_select_cb(raw, chooseProtocol, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit { SSL_CTX_free(raw) }

  fileprivate func choose(
    _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>, _ count: UnsafeMutablePointer<UInt8>,
    from offered: UnsafeBufferPointer<UInt8>
  ) -> Int32 {
    var found: UnsafeMutablePointer<UInt8>?
    let code = SSL_select_next_proto(
      &found, count, protocols, UInt32(protocols.count), offered.baseAddress,
      UInt32(offered.count))
    chosen.pointee = UnsafePointer(found)
    return code == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL
  }
}

private let chooseProtocol: SSL_CTX_alpn_select_cb_func = {
  _, chosen, count, offered, offeredCount, context in
  guard let chosen, let count, let context else { return SSL_TLSEXT_ERR_ALERT_FATAL }
  return Unmanaged<TLSContext>.fromOpaque(context).takeUnretainedValue().choose(
    chosen, count, from: UnsafeBufferPointer(start: offered, count: Int(offeredCount)))
}
