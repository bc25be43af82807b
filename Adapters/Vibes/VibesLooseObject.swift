import EngagementJSON
import EngagementModel

/// Reads an object that may be in a text, like every value of an Android push.
///
/// The vendor has sent a hash in Ruby's notation, `{"deep_link"=>"x", "a"=>nil}`.
enum VibesLooseObject {
  /// Nil if the value is not an object in either notation.
  static func read(_ value: JSON) -> JSONObject? {
    switch value {
    case .object(let object): object
    case .string(let text): object(in: Array(text.utf8))
    case .null, .bool, .integer, .number, .array: nil
    }
  }

  private static func object(in text: [UInt8]) -> JSONObject? {
    let value = (try? JSON(parsing: text)) ?? (try? JSON(parsing: json(fromRuby: text)))
    return value?.object
  }

  /// Converts Ruby's `=>`, `nil` and escaped `#` to JSON.
  private static func json(fromRuby text: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(text.count)
    var rest = text[...]
    while let byte = rest.first {
      if byte == UInt8(ascii: "\"") {
        copyString(from: &rest, to: &output)
      } else if rest.starts(with: "=>".utf8) {
        output.append(UInt8(ascii: ":"))
        rest = rest.dropFirst(2)
      } else if rest.starts(with: "nil".utf8) {
        output.append(contentsOf: "null".utf8)
        rest = rest.dropFirst(3)
      } else {
        output.append(byte)
        rest = rest.dropFirst()
      }
    }
    return output
  }

  private static func copyString(from rest: inout ArraySlice<UInt8>, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\""))
    rest = rest.dropFirst()
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() {
        if escaped != UInt8(ascii: "#") { output.append(byte) }
        output.append(escaped)
        continue
      }
      output.append(byte)
      if byte == UInt8(ascii: "\"") { return }
    }
  }
}
