import EngagementModel
import EngagementPlatform

extension Engagement {
  /// Writes each line as text, such as `warning braze: events failed for now: unavailable.`
  ///
  /// Control characters are escaped, so that a line stays one line and cannot control a terminal.
  public struct LinesLogger: EngagementLogger {
    public let level: LogLevel
    private let write: @Sendable (String) -> Void

    /// - Parameters:
    ///   - level: The lowest level to log.
    ///   - write: Receives each line without its line break, from any thread.
    public init(level: LogLevel, write: @escaping @Sendable (String) -> Void) {
      self.level = level
      self.write = write
    }

    public func log(_ line: LogLine) {
      guard level != .off, line.level >= level else { return }
      var text = "\(line.level) "
      if let provider = line.provider { text += "\(provider.rawValue): " }
      write(Self.plain(text + line.message))
    }

    private static func plain(_ text: String) -> String {
      guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
      var plain = String.UnicodeScalarView()
      for scalar in text.unicodeScalars {
        guard isUnsafe(scalar) else {
          plain.append(scalar)
          continue
        }
        plain.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
      }
      return String(plain)
    }

    /// Whether a terminal may take the character for more than a character, or turn the line round.
    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: true
      default: false
      }
    }
  }
}

extension Engagement.LinesLogger {
  /// Writes warnings and errors to standard error.
  public static let standardError = Engagement.LinesLogger(level: .warning) { line in
    writeToStandardError("EngagementKit: \(line)\n")
  }
}

// A name of its own: inside the logger, `write` is the closure.
private func writeToStandardError(_ line: String) {
  let bytes = Array(line.utf8)
  _ = unsafe bytes.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
