import EngagementKit

struct SwiftLogBridge: EngagementLogger {
  let logger: Logger

  var level: Engagement.LogLevel {
    switch logger.logLevel {
    case .trace, .debug: .verbose
    case .info, .notice: .info
    case .warning: .warning
    case .error, .critical: .error
    }
  }

  func log(_ line: Engagement.LogLine) {
    let level: Logger.Level =
      switch line.level {
      case .verbose: .trace
      case .info: .info
      case .warning: .warning
      case .error, .off: .error
      }
    logger.log(
      level: level, "\(line.message)",
      metadata: line.provider.map { ["provider": .string($0.rawValue)] })
  }
}
