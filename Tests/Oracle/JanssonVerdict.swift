import EngagementDocuments
import EngagementModel

/// jansson's verdict on a document.
enum JanssonVerdict {
  case accepted(JSON)
  /// jansson accepted all but the depth, or the document is too deep for jansson as well.
  case tooDeep
  case refused(String)

  init(of bytes: [UInt8]) {
    do throws(EngagementError) {
      self = .accepted(try Document.parse(bytes))
    } catch {
      self = error.underlying == "depth" ? .tooDeep : .refused(error.description)
    }
  }

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
