public import EngagementModel

/// Decompresses a stream of bytes, a bounded block at a time, however large the result is.
///
/// Streams that follow one another in one file count as one, as `zcat` and `zstd` have it.
public final class Decompressor {
  private let stream: any DecompressionStream

  /// The most bytes of one block.
  public static let blockSize = 256 * 1_024

  public init(_ compression: Compression) throws(EngagementError) {
    stream =
      switch compression {
      case .gzip: try GunzipStream()
      case .zstd: try UnzstdStream()
      }
  }

  /// Takes more bytes and hands over each block of the result.
  ///
  /// Throws `unreadable` for bytes that are damaged.
  public func decompress(
    _ bytes: [UInt8], _ body: ([UInt8]) throws -> Void
  ) throws {
    var rest = bytes[...]
    while true {
      var block: [UInt8] = []
      let taken = unsafe try stream.decompress(rest.span.bytes, to: &block, limit: Self.blockSize)
      rest = rest.dropFirst(taken)
      if !block.isEmpty { try body(block) }
      if rest.isEmpty, block.count < Self.blockSize { return }
    }
  }

  /// Throws `unreadable` if the bytes ended before the stream did.
  public func finish() throws(EngagementError) {
    guard stream.isComplete else { throw Self.cut }
  }

  static let damaged = EngagementError(.unreadable, "The compressed data is damaged.")
  static let cut = EngagementError(.unreadable, "The compressed data ends too early.")
}

/// A C library's state of one stream that is being decompressed.
protocol DecompressionStream: AnyObject {
  /// Whether the bytes so far are whole streams, and at least one.
  var isComplete: Bool { get }

  /// Appends at most `limit` bytes and returns how many bytes of the input it took.
  func decompress(
    _ input: RawSpan, to output: inout [UInt8], limit: Int
  ) throws(EngagementError) -> Int
}
