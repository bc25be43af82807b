extension Schema {
  /// Which items of several vendors are one content and what was done to it, who is in which arm of an
  /// experiment, what was shown, and who has the token for pushes.
  ///
  /// - A content key is 128 bits of a digest. No text of a key is in the file.
  /// - `content_copy` is an item with a content key; its row goes with the item. `content_mark` is what
  ///   was done to one copy, and counts for all copies of the key.
  /// - `assigned` and `exposed` are null until their events are in the ledger.
  /// - `day` in `showing` is a number that the kit counts by itself, and no day of a clock.
  /// - `token` is a digest.
  static let routes = """
    CREATE TABLE content_copy (
      item INTEGER PRIMARY KEY,
      partition INTEGER NOT NULL,
      source INTEGER NOT NULL,
      key BLOB NOT NULL,
      since INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX content_copy_key ON content_copy (partition, key);

    CREATE TABLE content_mark (
      partition INTEGER NOT NULL,
      key BLOB NOT NULL,
      source INTEGER NOT NULL,
      name BLOB NOT NULL,
      marks INTEGER NOT NULL,
      snoozed INTEGER,
      ends INTEGER,
      PRIMARY KEY (partition, key, source, name)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE assignment (
      partition INTEGER NOT NULL,
      experiment BLOB NOT NULL,
      version INTEGER NOT NULL,
      arm TEXT NOT NULL,
      assigned INTEGER,
      exposed INTEGER,
      PRIMARY KEY (partition, experiment, version)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE showing (
      partition INTEGER NOT NULL,
      surface TEXT NOT NULL,
      key BLOB NOT NULL,
      day INTEGER NOT NULL,
      shown INTEGER NOT NULL,
      held INTEGER NOT NULL,
      session TEXT,
      in_session INTEGER NOT NULL,
      PRIMARY KEY (partition, surface, key, day)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE push_state (
      partition INTEGER NOT NULL,
      provider TEXT NOT NULL,
      environment TEXT NOT NULL,
      state TEXT NOT NULL,
      code TEXT,
      reason TEXT,
      token BLOB,
      changed INTEGER NOT NULL,
      PRIMARY KEY (partition, provider, environment)
    ) STRICT, WITHOUT ROWID;

    """
}
