import EngagementFormats

/// Hides the id of a person: HMAC-SHA-256 of its UTF-8, in hexadecimal digits. Devices that use the same key
/// give a person the same hash. Without the key, nobody can compute the hash of an id.
public struct PersonHash: Sendable {
  private let inner: [UInt8]
  private let outer: [UInt8]

  public init(key: [UInt8]) {
    let short = key.count > Self.blockSize ? Array(SHA256.digest(of: key).bytes) : key
    let block = short + Array(repeating: 0, count: Self.blockSize - short.count)
    inner = block.map { $0 ^ 0x36 }
    outer = block.map { $0 ^ 0x5c }
  }

  public func text(of id: String) -> String {
    let hash = SHA256.digest(of: inner + Array(id.utf8))
    return SHA256.digest(of: outer + Array(hash.bytes)).description
  }

  private static let blockSize = 64
  /// The digits of a hash.
  static let length = 64
}
