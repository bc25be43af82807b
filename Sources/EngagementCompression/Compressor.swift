public import EngagementModel

/// Compresses a stream of bytes. The same bytes give the same result, however they are cut into calls.
public final class Compressor {
  private let stream: any CompressionStream
  private var isFinished = false

  /// Compresses at the fastest level.
  public init(_ compression: Compression) throws(EngagementError) {
    stream =
      switch compression {
      case .gzip: try GzipStream()
      case .zstd: try ZstdStream()
      }
  }

  /// Takes more bytes and returns what can be written of the result.
  public func compress(_ bytes: [UInt8]) throws(EngagementError) -> [UInt8] {
    // Nothing is no block: with an empty one, the same bytes would be compressed in two ways.
    guard !bytes.isEmpty else { return [] }
    precondition(!isFinished, "The stream has been finished.")
    var output: [UInt8] = []
    unsafe try stream.compress(bytes.span.bytes, isLast: false, to: &output)
    return output
  }

  /// Returns the rest of the result.
  public func finish() throws(EngagementError) -> [UInt8] {
    precondition(!isFinished, "The stream has been finished.")
    isFinished = true
    var output: [UInt8] = []
    unsafe try stream.compress([UInt8]().span.bytes, isLast: true, to: &output)
    return output
  }

  /// Begins another stream, wherever this one is. It is faster than a new compressor.
  public func restart() throws(EngagementError) {
    try stream.restart()
    isFinished = false
  }
}

/// A C library's state of one stream that is being compressed.
protocol CompressionStream: AnyObject {
  func compress(
    _ input: RawSpan, isLast: Bool, to output: inout [UInt8]
  ) throws(EngagementError)

  /// Begins another stream.
  func restart() throws(EngagementError)
}
