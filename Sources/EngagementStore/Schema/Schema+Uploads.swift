extension Schema {
  /// The files that wait to be uploaded. Each ends with its row in the outbox.
  static let uploads = """
    CREATE TABLE upload (
      row INTEGER PRIMARY KEY REFERENCES outbox(id) ON DELETE CASCADE,
      bytes BLOB NOT NULL
    ) STRICT;
    """
}
