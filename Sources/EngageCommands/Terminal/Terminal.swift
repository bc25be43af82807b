import EngagementModel

/// Where a command's words go, and what is known of who reads them.
public struct Terminal: Sendable {
  /// Writes all of the bytes, or throws.
  public typealias Sink = @Sendable ([UInt8]) throws(OutputError) -> Void

  /// Results.
  public var output: Sink
  /// Everything else: errors, warnings, progress.
  public var errors: Sink
  /// The columns that a line of results may take; nil where nothing is cut.
  public var width: Int?
  /// Whether results may be coloured.
  public var isColoured: Bool
  /// Whether progress may be shown beside the results and taken away again.
  public var showsProgress: Bool
  /// Whether there is still a reader. A command that runs until Ctrl-C ends without one.
  public var hasReader: @Sendable () -> Bool

  public init(
    output: @escaping Sink, errors: @escaping Sink, width: Int? = nil, isColoured: Bool = false,
    showsProgress: Bool = false, hasReader: @escaping @Sendable () -> Bool = { true }
  ) {
    self.output = output
    self.errors = errors
    self.width = width
    self.isColoured = isColoured
    self.showsProgress = showsProgress
    self.hasReader = hasReader
  }
}

/// Why output could not be written.
public enum OutputError: Error {
  /// The reader has closed the pipe, as after `engage events | head -1`.
  case closedPipe
  /// The system refused, with its reason: a full disk, for example.
  case refused(String)
}
