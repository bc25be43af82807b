import EngagementJSON
import EngagementModel

/// `key=value` as it is typed.
struct Assignment {
  let key: String
  let text: String

  /// Nil where there is no key or no equals sign.
  init?(_ argument: String) {
    guard let equals = argument.utf8.firstIndex(of: UInt8(ascii: "=")),
      equals != argument.startIndex
    else { return nil }
    key = String(argument[..<equals])
    text = String(argument[argument.index(after: equals)...])
  }

  /// What is meant: a number as JSON writes it, `true`, `false`, text in quotes, or else the text
  /// as it is. `"12"` in quotes is text.
  var value: JSON {
    switch try? JSON(parsing: Array(text.utf8)) {
    case .bool(let bool)?: .bool(bool)
    case .integer(let integer)?: .integer(integer)
    case .number(let number)?: .number(number)
    case .string(let string)?: .string(string)
    case .null?, .array?, .object?, nil: .string(text)
    }
  }

  /// Whether the text was meant as a number that cannot be kept: a metric must not become text.
  fileprivate var isLostNumber: Bool {
    guard case .string = value, let first = text.utf8.first, first != UInt8(ascii: "\"") else {
      return false
    }
    let name = text.lowercased().drop { $0 == "-" || $0 == "+" }
    if ["nan", "inf", "infinity"].contains(name) { return true }
    let digits = name.utf8.drop { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    return name.utf8.count > digits.count && (digits.isEmpty || Double(name) != nil)
      && (name.utf8.count > 15 || Double(name).map { !$0.isFinite } ?? false)
  }
}

extension Invocation {
  /// The arguments from a place on as assignments, no key twice.
  func assignments(from index: Int) throws -> [Assignment] {
    var found: [Assignment] = []
    for argument in arguments(from: index) {
      guard let assignment = Assignment(argument) else {
        throw usage("\"\(argument)\" is no KEY=VALUE.")
      }
      guard !found.contains(where: { $0.key.hasSameBytes(as: assignment.key) }) else {
        throw usage("\(assignment.key) is there twice.")
      }
      found.append(assignment)
    }
    return found
  }

  /// The values of assignments by their keys.
  func properties(from index: Int) throws -> JSONObject {
    let assignments = try assignments(from: index)
    for assignment in assignments where assignment.isLostNumber {
      throw usage(
        "\(assignment.key)=\(assignment.text.prefix(40)) is no number that JSON keeps; write it in "
          + "quotes for text: \(assignment.key)='\"…\"'.")
    }
    return JSONObject(
      uniqueMembers: assignments.map { JSONObject.Member($0.key, $0.value) })
  }
}
