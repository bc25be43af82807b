import EngagementModel

extension JSONObject {
  /// Throws `invalidArgument`, naming the property, for a number that JSON has no text for.
  func checkNumbers(for operation: String) throws(EngagementError) {
    let names = members.lazy.compactMap { $0.value.unwritable(at: $0.key) }
    guard let name = names.first else { return }
    throw EngagementError(
      .invalidArgument, "The property \(name) is NaN or infinite; give a finite number.",
      operation: operation)
  }
}

extension JSON {
  /// The path of the first number that is NaN or infinite, such as `basket.items[2].price`.
  fileprivate func unwritable(at path: String) -> String? {
    switch self {
    case .number(let number): number.isFinite ? nil : path
    case .array(let elements):
      elements.enumerated().lazy.compactMap { $1.unwritable(at: "\(path)[\($0)]") }.first
    case .object(let object):
      object.members.lazy.compactMap { $0.value.unwritable(at: "\(path).\($0.key)") }.first
    case .null, .bool, .integer, .string: nil
    }
  }
}
