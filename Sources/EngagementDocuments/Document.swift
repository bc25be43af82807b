public import EngagementModel

/// Reads documents that people write: configuration, template definitions, fault scripts.
///
/// What a network sends is read by the cursor of `EngagementJSON`, which is faster and keeps a bad
/// item from failing its neighbours. A document is small, and its author wants to know the line.
public enum Document {
  /// How deeply arrays and objects may be nested; the same as for what a network sends.
  public static let depthLimit = 64

  /// The value that the bytes hold, members in their order, integers apart from other numbers.
  ///
  /// Strict: one JSON value of any kind, UTF-8, no repeated key, no `\u0000`, integers within 64
  /// bits, numbers that a `Double` can hold.
  ///
  /// - Throws: `.invalidConfiguration` with the line, the column and the reason. No text of the
  ///   document is in it, since the document may hold secrets. `underlying` names the reason.
  public static func parse(_ bytes: [UInt8]) throws(EngagementError) -> JSON {
    try JanssonTree(parsing: bytes).json()
  }
}
