import CJansson
import EngagementModel

/// Why a document cannot be read.
enum DocumentFault: String {
  case memory, syntax, depth, encoding, end, trailing, null, duplicate, range

  /// The reason that jansson reports, grouped by what the author can do about it.
  init(_ report: json_error_t) {
    let code = unsafe withUnsafePointer(to: report) { unsafe jansson_error_code($0) }
    self =
      switch json_error_code(UInt32(truncatingIfNeeded: code)) {
      case json_error_out_of_memory: .memory
      case json_error_stack_overflow: .depth
      case json_error_invalid_utf8: .encoding
      case json_error_premature_end_of_input: .end
      case json_error_end_of_input_expected: .trailing
      case json_error_null_character, json_error_null_byte_in_key: .null
      case json_error_duplicate_key: .duplicate
      case json_error_numeric_overflow: .range
      default: .syntax
      }
  }

  private var reason: String {
    switch self {
    case .memory: "there is not enough memory for it"
    case .syntax: "this is not JSON"
    case .depth: "nested deeper than \(Document.depthLimit) levels"
    case .encoding: "the bytes are not UTF-8"
    case .end: "it ends too early"
    case .trailing: "something follows the end of the value"
    case .null: "a NUL character is not allowed, not even as \\u0000"
    case .duplicate: "the object already has this key"
    case .range: "the number is out of range"
    }
  }

  /// The error for this fault, with the place if jansson knows it.
  func error(at place: (line: Int32, column: Int32)? = nil) -> EngagementError {
    let location = place.map { "line \($0.line), column \($0.column): " } ?? ""
    return EngagementError(
      .invalidConfiguration, "The document cannot be read: \(location)\(reason)",
      underlying: rawValue)
  }
}
