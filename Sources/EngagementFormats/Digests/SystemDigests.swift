#if canImport(CommonCrypto)
  import CommonCrypto

  /// The hashes of Apple's systems.
  enum SystemDigests {
    typealias SHA256Context = CC_SHA256_CTX

    static func begun() -> SHA256Context {
      var context = SHA256Context()
      _ = unsafe CC_SHA256_Init(&context)
      return context
    }

    static func update(_ context: inout SHA256Context, _ bytes: UnsafeRawBufferPointer) {
      _ = unsafe CC_SHA256_Update(&context, bytes.baseAddress, CC_LONG(bytes.count))
    }

    static func end(_ context: inout SHA256Context, _ digest: UnsafeMutableBufferPointer<UInt8>) {
      _ = unsafe CC_SHA256_Final(digest.baseAddress, &context)
    }

    static func sha1(_ bytes: UnsafeRawBufferPointer, _ digest: UnsafeMutableBufferPointer<UInt8>) {
      _ = unsafe CC_SHA1(bytes.baseAddress, CC_LONG(bytes.count), digest.baseAddress)
    }
  }
#else
  import CCrypto

  /// The hashes of libcrypto.
  enum SystemDigests {
    typealias SHA256Context = SHA256_CTX

    static func begun() -> SHA256Context {
      var context = SHA256Context()
      _ = unsafe SHA256_Init(&context)
      return context
    }

    static func update(_ context: inout SHA256Context, _ bytes: UnsafeRawBufferPointer) {
      _ = unsafe SHA256_Update(&context, bytes.baseAddress, bytes.count)
    }

    static func end(_ context: inout SHA256Context, _ digest: UnsafeMutableBufferPointer<UInt8>) {
      _ = unsafe SHA256_Final(digest.baseAddress, &context)
    }

    static func sha1(_ bytes: UnsafeRawBufferPointer, _ digest: UnsafeMutableBufferPointer<UInt8>) {
      _ = unsafe CCrypto.SHA1(
        bytes.assumingMemoryBound(to: UInt8.self).baseAddress, bytes.count, digest.baseAddress)
    }
  }
#endif
