import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementPlatform

/// The texts of a vendor's JSON.
enum VendorText {
  /// The text of a string or a number; nil for what no column can hold.
  static func of(_ value: ArraySlice<UInt8>) -> String? {
    guard let first = value.first else { return nil }
    if first == UInt8(ascii: "-") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= first {
      return String(decoding: value, as: UTF8.self)
    }
    guard let text = (try? JSON(parsing: value))?.string, !text.isEmpty, !text.utf8.contains(0)
    else { return nil }
    return text
  }

  /// Whether a value is a string, and one of that text.
  static func isText(_ value: ArraySlice<UInt8>, _ text: String) -> Bool {
    value.first == UInt8(ascii: "\"") && (of(value)?.hasSameBytes(as: text) ?? false)
  }

  /// A line that is the name of the events after it; nil for one that seems to be a part of JSON.
  static func ofHeading(_ line: [UInt8]) -> String? {
    guard let text = String(validating: line, as: UTF8.self), !text.isEmpty,
      !text.contains(where: { "{}[]\":\0".contains($0) })
    else { return nil }
    return text
  }
}

/// The id of an installation: vendors have a UUID where our events have a URN.
enum InstallationID {
  private static let prefix = "urn:uuid:"

  static func read(_ text: String) -> String { isUUID(text) ? prefix + text : text }

  static func written(_ source: String) -> String {
    guard source.utf8.starts(with: prefix.utf8) else { return source }
    let id = String(source.dropFirst(prefix.count))
    return isUUID(id) ? id : source
  }

  private static func isUUID(_ text: String) -> Bool {
    UUID(text: text)?.text == text
  }
}

extension VendorEventTable.Field {
  /// What of a text is read; nil if nothing is left.
  func read(_ text: String) -> String? {
    guard let end else { return text }
    let part = text.prefix { $0 != end }
    return part.isEmpty ? nil : String(part)
  }
}
