public import EngagementModel

/// Where the library writes lines about what it does. None holds a secret, a body or an id of a
/// person.
public protocol EngagementLogger: Sendable {
  /// The least level that is wanted; lines below it are not even made.
  var level: Engagement.LogLevel { get }
  func log(_ line: Engagement.LogLine)
}

extension Engagement {
  /// How important a line is, the least important first.
  public enum LogLevel: Int, Hashable, Sendable, Comparable, CaseIterable {
    case verbose, info, warning, error
    /// Above every line: nothing is written.
    case off

    public static func < (left: LogLevel, right: LogLevel) -> Bool {
      left.rawValue < right.rawValue
    }
  }

  /// One line.
  public struct LogLine: Hashable, Sendable {
    public var level: LogLevel
    public var message: String
    /// The provider that it is about, where it is about one.
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
