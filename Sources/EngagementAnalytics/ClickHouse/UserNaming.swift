/// How the rows of a table name users. The table says it in the comment of its column of users, so that an
/// export that would name them otherwise is refused before it sends anything.
package enum UserNaming: Hashable, Sendable {
  /// By their ids.
  case ids
  /// By hashes with the organisation's key, of which this is the beginning of the digest.
  case key(digest: String)
  /// By hashes with a salt of each installation.
  case salt
  /// Not at all.
  case absent

  private static let start = "engage: users "
  private static let keyStart = start + "by hashes with the key of SHA-256 "

  /// The comment of the column.
  package var comment: String {
    switch self {
    case .ids: Self.start + "by their ids"
    case .key(let digest): Self.keyStart + digest
    case .salt: Self.start + "by hashes with the salt of each installation"
    case .absent: Self.start + "left out"
    }
  }

  /// Nil for a comment that says nothing of it.
  package init?(comment: String) {
    if comment.hasPrefix(Self.keyStart), comment.utf8.count > Self.keyStart.utf8.count {
      self = .key(digest: String(comment.dropFirst(Self.keyStart.count)))
      return
    }
    let others: [Self] = [.ids, .salt, .absent]
    guard let naming = others.first(where: { $0.comment == comment }) else { return nil }
    self = naming
  }
}
