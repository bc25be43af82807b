/// How far an incremental export has come. The cache keeps it under its name.
public struct ExportCursor: Hashable, Sendable {
  public let name: String
  /// Tells it from a cursor of the same name of another cache.
  public let id: String
  /// The sequence of the last event that was exported or left out; 0 at the beginning.
  public var sequence: Int64
  /// What the export selects, in words of its own. It stays the same, so that nothing is left out.
  public let selection: String
  /// The folder that the exports go to; nil if none is known.
  public var folder: String?

  public init(
    name: String, id: String, sequence: Int64 = 0, selection: String, folder: String? = nil
  ) {
    (self.name, self.id, self.sequence, self.selection) = (name, id, sequence, selection)
    self.folder = folder
  }

  /// Whether a text is a name: 1 to 64 letters, digits, hyphens, underlines and dots of ASCII.
  public static func isName(_ text: String) -> Bool {
    1...longestName ~= text.utf8.count && text.utf8.allSatisfy(nameBytes.contains)
  }

  package static let longestName = 64
  private static let nameBytes = Set(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.".utf8)
}
