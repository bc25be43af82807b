extension Schema {
  /// What vendors sent, in which feeds it is, and what users did to it.
  ///
  /// `item` and `membership` refer to their owners without a reference that SQLite would check:
  /// that costs a look-up for each of ten thousand rows, and an owner is deleted with its range
  /// of rows. The id of an item begins with the id of its source, so that one source's items lie
  /// together. `membership` is the index of a feed: its rows are in the vendor's order, and the
  /// end of an item stands beside its place, so that what has ended is passed over without a look
  /// at the item.
  static let items = """
    CREATE TABLE source (
      id INTEGER PRIMARY KEY,
      partition INTEGER NOT NULL REFERENCES partition(id) ON DELETE CASCADE,
      provider TEXT NOT NULL,
      surface TEXT NOT NULL,
      UNIQUE (partition, provider, surface)
    ) STRICT;
    CREATE TABLE feed (
      id INTEGER PRIMARY KEY,
      source INTEGER NOT NULL REFERENCES source(id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      total INTEGER,
      refreshed INTEGER,
      UNIQUE (source, name)
    ) STRICT;
    CREATE TABLE item (
      id INTEGER PRIMARY KEY,
      source INTEGER NOT NULL,
      name BLOB NOT NULL,
      seal INTEGER NOT NULL,
      body BLOB NOT NULL,
      UNIQUE (source, name)
    ) STRICT;
    CREATE TABLE membership (
      feed INTEGER NOT NULL,
      rank1 REAL NOT NULL,
      rank2 REAL NOT NULL,
      rank3 REAL NOT NULL,
      place INTEGER NOT NULL,
      expires INTEGER NOT NULL,
      item INTEGER NOT NULL,
      PRIMARY KEY (feed, rank1, rank2, rank3, place)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE overlay (
      source INTEGER NOT NULL REFERENCES source(id) ON DELETE CASCADE,
      name BLOB NOT NULL,
      marks INTEGER NOT NULL,
      snoozed INTEGER,
      ends INTEGER,
      PRIMARY KEY (source, name)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE quarantine (
      id INTEGER PRIMARY KEY,
      feed INTEGER NOT NULL REFERENCES feed(id) ON DELETE CASCADE,
      hash INTEGER NOT NULL,
      place INTEGER NOT NULL,
      reason TEXT NOT NULL,
      at INTEGER NOT NULL,
      UNIQUE (feed, hash)
    ) STRICT;
    """
}
