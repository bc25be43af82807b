import EngagementFormats
import EngagementKit
import EngagementModel

/// Something on the command line that is not understood: told with the nearest thing that is, and
/// with exit status 64.
struct UsageError: Error, Hashable {
  var message: String
  /// What to read on, such as `engage cards --help`.
  var help: String

  /// - Parameter title: The command as one types it.
  init(_ message: String, of title: String) {
    self.message = message
    help = "\(title) --help"
  }

  /// A word that is none of those that there are.
  static func unknown(
    _ word: String, _ what: String, among candidates: [String], of title: String
  ) -> UsageError {
    UsageError(
      "\"\(word)\" is no \(what)" + NearestName.hint(for: word, among: candidates), of: title)
  }

  /// A value that an option or an argument does not take.
  static func value(
    _ value: String, of option: String, among choices: [String], in title: String
  ) -> UsageError {
    UsageError(
      "\(option) does not take \"\(value)\"" + NearestName.hint(for: value, among: choices),
      of: title)
  }
}
