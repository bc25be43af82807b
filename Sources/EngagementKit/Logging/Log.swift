public import EngagementModel

/// Receives log lines. No line contains a secret, a body or a person's id.
public protocol EngagementLogger: Sendable {
  /// The lowest level to log. Lines below it are not formatted.
  var level: Engagement.LogLevel { get }
  func log(_ line: Engagement.LogLine)
}

extension Engagement {
  /// The levels of log lines, the least important first.
  public enum LogLevel: Int, Hashable, Sendable, Comparable, CaseIterable {
    case verbose, info, warning, error
    /// Above every line: nothing is logged.
    case off

    public static func < (left: LogLevel, right: LogLevel) -> Bool {
      left.rawValue < right.rawValue
    }
  }

  /// One line.
  public struct LogLine: Hashable, Sendable {
    public var level: LogLevel
    public var message: String
    /// The provider that the line is about; nil if it is about none or several.
    public var provider: ProviderID?

    public init(_ level: LogLevel, _ message: String, provider: ProviderID? = nil) {
      self.level = level
      self.message = message
      self.provider = provider
    }
  }
}

/// Writes to every logger that wants a line.
struct Log: Sendable {
  let loggers: [any EngagementLogger]

  func callAsFunction(
    _ level: LogLevel, _ message: @autoclosure () -> String, _ provider: ProviderID? = nil
  ) {
    let wanting = loggers.filter { $0.level <= level }
    guard !wanting.isEmpty else { return }
    let line = LogLine(level, message(), provider: provider)
    for logger in wanting { logger.log(line) }
  }
}
