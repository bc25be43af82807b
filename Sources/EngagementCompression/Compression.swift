/// A format of compressed files.
public enum Compression: String, CaseIterable, Hashable, Sendable {
  /// RFC 1952. Every program reads it.
  case gzip
  /// RFC 8878. Smaller, and faster on both sides.
  case zstd

  /// What a file's name ends with, such as `.gz`.
  public var suffix: String {
    switch self {
    case .gzip: ".gz"
    case .zstd: ".zst"
    }
  }

  /// The compression of a file that begins with the bytes; nil for a file that is not compressed.
  public init?(ofFileBeginningWith bytes: some Collection<UInt8>) {
    if bytes.starts(with: [0x1f, 0x8b]) {
      self = .gzip
    } else if bytes.starts(with: [0x28, 0xb5, 0x2f, 0xfd]) {
      self = .zstd
    } else {
      return nil
    }
  }
}
