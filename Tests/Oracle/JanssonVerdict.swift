import EngagementDocuments
import EngagementModel

/// jansson's verdict on a document.
enum JanssonVerdict {
  case accepted(JSON)
  /// jansson accepted all but the depth. `isWhole` is false if it may have stopped at its own limit,
  /// before the end of the document.
  case tooDeep(isWhole: Bool)
  case refused(String)

  init(of bytes: [UInt8]) {
    do throws(EngagementError) {
      self = .accepted(try Document.parse(bytes))
    } catch {
      let brackets = bytes.count { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }
      self =
        error.underlying == "depth"
        ? .tooDeep(isWhole: brackets <= Self.janssonsLimit) : .refused(error.description)
    }
  }

  /// jansson's `JSON_PARSER_MAX_DEPTH`.
  private static let janssonsLimit = 2_048

  var isAccepted: Bool { if case .accepted = self { true } else { false } }

  func isAccepted(as value: JSON) -> Bool {
    if case .accepted(let own) = self { own.isIdentical(to: value) } else { false }
  }
}

extension JSON {
  /// Stricter than `==`: members must have the same order and numbers the same bits.
  func isIdentical(to other: JSON) -> Bool {
    switch (self, other) {
    case (.number(let left), .number(let right)):
      return left.bitPattern == right.bitPattern
    case (.array(let left), .array(let right)):
      return left.count == right.count && zip(left, right).allSatisfy { $0.isIdentical(to: $1) }
    case (.object(let left), .object(let right)):
      return left.count == right.count
        && zip(left.members, right.members).allSatisfy {
          $0.key.hasSameBytes(as: $1.key) && $0.value.isIdentical(to: $1.value)
        }
    default: return self == other
    }
  }
}
