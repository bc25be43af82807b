import EngagementModel

/// Where a command's words go, and what is known of who reads them.
public struct Terminal: Sendable {
  /// Takes bytes whole, or throws `ClosedPipe` if the reader has closed the pipe.
  public typealias Sink = @Sendable ([UInt8]) throws(ClosedPipe) -> Void

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

  public init(
    output: @escaping Sink, errors: @escaping Sink, width: Int? = nil, isColoured: Bool = false,
    showsProgress: Bool = false
  ) {
    self.output = output
    self.errors = errors
    self.width = width
    self.isColoured = isColoured
    self.showsProgress = showsProgress
  }
}

/// The reader of the output has closed the pipe, as after `engage events | head -1`.
public struct ClosedPipe: Error {
  public init() {}
}
