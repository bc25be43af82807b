extension Schema {
  /// The contents with rows in `content_mark` of which no vendor lists a copy: since when, and the
  /// providers that have to answer before the marks end, as a list in JSON.
  static let unlisted = """
    CREATE TABLE unlisted_content (
      partition INTEGER NOT NULL,
      key BLOB NOT NULL,
      since INTEGER NOT NULL,
      awaited TEXT NOT NULL,
      PRIMARY KEY (partition, key)
    ) STRICT, WITHOUT ROWID;

    """
}
