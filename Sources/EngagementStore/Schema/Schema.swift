/// The schema of the cache: its migrations in order. A released migration never changes.
enum Schema {
  static let migrations = Migrations([
    Migration(
      name: "beginning", sql: rows + items,
      digest: "35390ea9872fbc9f4738060ceee05d97261da33575a96912c159f4a0af82974f",
      shape: 0xf59c_feb7_a614_626f),
    Migration(
      name: "campaigns", sql: campaigns,
      digest: "3823bd3e40eb89b4f95bad273dd1c9835ab2521e91eb103906131718b8e10c1c",
      shape: 0xf281_30f9_71ca_39e7),
    Migration(
      name: "uploads", sql: uploads,
      digest: "810dc81f166dcf49d8a5435dde5a144f73d1d56c14a5054168830760aae845e7",
      shape: 0x2635_cc48_ee8b_77ab),
    Migration(
      name: "ledger", sql: ledger,
      digest: "b1faad8bbf871b622de9516ddf8982f7d2c2f3ae25a41cdd0375e36fe926e5a5",
      shape: 0xa26a_d8de_4252_0e22),
    Migration(
      name: "routes", sql: routes,
      digest: "0d2c919b432acf6ab7ea0c43dc019975f754a0d2cf5d23f23044c5c0e0a212b4",
      shape: 0x8af7_2529_2b7b_a178),
    Migration(
      name: "unlisted", sql: unlisted,
      digest: "679513126290e6dc1f74837d91c622f31588ec84d4811b9899eb3b62876e579b",
      shape: 0xe835_615e_3a85_d550),
  ])

  /// Whether a step makes a table or an index of that text, as SQLite keeps it: what `ALTER` adds comes
  /// behind the last column.
  static func makes(_ sql: String) -> Bool {
    let made = sql.replacing(ledgerColumns, with: "")
    return migrations.steps.contains { $0.sql.contains(made) }
  }
}

extension Schema {
  /// The tables of users, outbox, ledger and values.
  ///
  /// - Ids of partitions are never reused: a late result for an erased user must not find another
  ///   user.
  /// - `tally` has names of providers and of endings, and nothing of a person. Under the empty name, which
  ///   no provider has, it counts the events that the ledger has evicted.
  /// - `ledger` refers to `partition` without a declared reference, which would have to look
  ///   through all of it whenever a user is erased.
  /// - Partition 0 of `value` is the installation.
  static let rows = """
    CREATE TABLE partition (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      environment TEXT NOT NULL,
      user BLOB NOT NULL,
      consent TEXT NOT NULL,
      created INTEGER NOT NULL,
      UNIQUE (environment, user)
    ) STRICT;

    CREATE TABLE setting (
      name TEXT PRIMARY KEY,
      value TEXT NOT NULL
    ) STRICT;

    CREATE TABLE outbox (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      key BLOB NOT NULL,
      partition INTEGER NOT NULL REFERENCES partition,
      provider TEXT NOT NULL,
      kind TEXT NOT NULL,
      body TEXT NOT NULL,
      action TEXT,
      event BLOB,
      surface TEXT,
      analytics INTEGER NOT NULL,
      size INTEGER NOT NULL,
      accepted INTEGER NOT NULL,
      attempts INTEGER NOT NULL,
      waited INTEGER NOT NULL,
      batch INTEGER,
      batch_key BLOB,
      seal INTEGER NOT NULL,
      UNIQUE (key, provider)
    ) STRICT;
    CREATE INDEX outbox_lane ON outbox (partition, provider);
    CREATE INDEX outbox_event ON outbox (event) WHERE event IS NOT NULL;
    CREATE INDEX outbox_analytics ON outbox (analytics) WHERE analytics = 1;
    CREATE INDEX outbox_batch ON outbox (batch) WHERE batch IS NOT NULL;

    CREATE TABLE rejected (
      id INTEGER PRIMARY KEY,
      key BLOB NOT NULL,
      partition INTEGER NOT NULL REFERENCES partition,
      provider TEXT NOT NULL,
      kind TEXT NOT NULL,
      body TEXT NOT NULL,
      accepted INTEGER NOT NULL,
      attempts INTEGER NOT NULL,
      code TEXT NOT NULL,
      reason TEXT NOT NULL,
      rejected INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX rejected_partition ON rejected (partition);

    CREATE TABLE tally (
      provider TEXT NOT NULL,
      name TEXT NOT NULL,
      count INTEGER NOT NULL,
      PRIMARY KEY (provider, name)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE ledger (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      id BLOB NOT NULL UNIQUE,
      partition INTEGER NOT NULL,
      type TEXT NOT NULL,
      time INTEGER NOT NULL,
      zone INTEGER NOT NULL,
      session TEXT,
      provider TEXT,
      surface TEXT,
      owner TEXT,
      item BLOB,
      container TEXT,
      name TEXT,
      properties TEXT
    ) STRICT;

    CREATE TABLE value (
      partition INTEGER NOT NULL,
      environment TEXT NOT NULL,
      provider TEXT NOT NULL,
      kind TEXT NOT NULL,
      name BLOB NOT NULL,
      value TEXT NOT NULL,
      seal INTEGER NOT NULL,
      PRIMARY KEY (partition, environment, provider, kind, name)
    ) STRICT, WITHOUT ROWID;

    """
}
