public import EngagementModel

/// Reads documents that people write: configuration, template definitions, fault scripts.
///
/// For network input, use the cursor of `EngagementJSON`: it is faster, and a bad item does not
/// affect its neighbours. This reader is for small documents, and its errors name the line.
public enum Document {
  /// The greatest depth of nested arrays and objects; the same as for network input.
  public static let depthLimit = 64

  /// The value of the document. Members keep their order, and integers are separate from other
  /// numbers.
  ///
  /// Strict: one JSON value of any kind, UTF-8, no repeated key, no `\u0000`, integers of 64 bits,
  /// numbers that a `Double` can hold.
  ///
  /// - Throws: `.invalidConfiguration` with the line, the column and the reason. The error contains
  ///   no text of the document, because the document may hold secrets. `underlying` names the
  ///   reason.
  public static func parse(_ bytes: [UInt8]) throws(EngagementError) -> JSON {
    try JanssonTree(parsing: bytes).json()
  }
}
