import EngagementJSON
import EngagementModel

/// An object that may come as a text: every value of an Android push is one.
///
/// The vendor has been seen to send a hash as Ruby prints it, `{"deep_link"=>"x", "a"=>nil}`.
enum VibesLooseObject {
  /// Nil for what is no object in either notation.
  static func read(_ value: JSON) -> JSONObject? {
    switch value {
    case .object(let object): object
    case .string(let text): object(in: Array(text.utf8))
    default: nil
    }
  }

  private static func object(in text: [UInt8]) -> JSONObject? {
    let value = (try? JSON(parsing: text)) ?? (try? JSON(parsing: json(fromRuby: text)))
    return value?.object
  }

  /// The text with Ruby's arrows, its nil and its escape of `#` written as JSON has them.
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
