// A stand-in for swift-log with the few names that the bridge uses.

struct Logger: Sendable {
  enum Level: String, Sendable { case trace, debug, info, notice, warning, error, critical }
  enum MetadataValue: Hashable, Sendable { case string(String) }
  struct Message: Sendable, ExpressibleByStringInterpolation {
    var text: String
    init(stringLiteral value: String) { text = value }
  }

  var label: String
  var logLevel = Level.info
  var write: @Sendable (Level, String, [String: MetadataValue]) -> Void

  func log(level: Level, _ message: @autoclosure () -> Message, metadata: [String: MetadataValue]?)
  {
    write(level, message().text, metadata ?? [:])
  }
}
