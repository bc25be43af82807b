import EngagementJSON
import EngagementModel

/// Builds bodies and times for servers and samples.
enum SampleText {
  /// An object with one member that is JSON already, and more members as text.
  static func object(_ name: String, _ value: [UInt8], _ rest: String = "") -> [UInt8] {
    Array("{\"\(name)\":".utf8) + value + Array("\(rest)}".utf8)
  }

  /// Minutes and seconds; a higher place gives an earlier time.
  static func descending(_ place: Int) -> String {
    let left = 3_599 - place
    return [left / 60, left % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
  }

  /// The text as a JSON string with quotes.
  static func quoted(_ text: String) -> String {
    String(decoding: JSON.string(text).encoded(), as: UTF8.self)
  }
}
