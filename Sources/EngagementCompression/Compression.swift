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
    } else if bytes.starts(with: [0x28, 0xb5, 0x2f, 0xfd]) || Self.isSkippable(bytes) {
      self = .zstd
    } else {
      return nil
    }
  }

  /// Whether they begin a frame of zstd that readers skip, as parallel compressors write them.
  private static func isSkippable(_ bytes: some Collection<UInt8>) -> Bool {
    guard let first = bytes.first else { return false }
    return first & 0xf0 == 0x50 && bytes.dropFirst().starts(with: [0x2a, 0x4d, 0x18])
  }
}
