extension Schema {
  /// What was presented and waits to be presented, what vendors do not know of it yet, and what the
  /// triggers of campaigns ask about users.
  ///
  /// - `campaign_presentation` is in the order of presentation, whatever the clock said. A row
  ///   without a campaign is of one whose counts were removed; it still counts towards the vendor's
  ///   caps.
  /// - Ids of the queue and of reports are never reused: a presenter or a request may still have one.
  /// - `campaign_wait` has the rows of the outbox whose answers may bring the campaigns that they
  ///   make due.
  static let campaigns = """
    CREATE TABLE campaign_count (
      partition INTEGER NOT NULL REFERENCES partition,
      provider TEXT NOT NULL,
      campaign BLOB NOT NULL,
      fired INTEGER NOT NULL,
      PRIMARY KEY (partition, provider, campaign)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE campaign_presentation (
      id INTEGER PRIMARY KEY,
      partition INTEGER NOT NULL REFERENCES partition,
      provider TEXT NOT NULL,
      campaign BLOB,
      presented INTEGER NOT NULL,
      session TEXT
    ) STRICT;
    CREATE INDEX campaign_presentation_owner ON campaign_presentation (partition, provider);

    CREATE TABLE campaign_queue (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      partition INTEGER NOT NULL REFERENCES partition,
      provider TEXT NOT NULL,
      campaign BLOB NOT NULL,
      body TEXT NOT NULL,
      first INTEGER NOT NULL,
      present_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      hand_overs INTEGER NOT NULL,
      presented INTEGER NOT NULL,
      seal INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX campaign_queue_owner ON campaign_queue (partition, provider, campaign);

    CREATE TABLE campaign_report (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      partition INTEGER NOT NULL REFERENCES partition,
      provider TEXT NOT NULL,
      kind TEXT NOT NULL,
      content TEXT NOT NULL
    ) STRICT;
    CREATE INDEX campaign_report_owner ON campaign_report (partition, provider);

    CREATE TABLE campaign_fact (
      partition INTEGER NOT NULL REFERENCES partition,
      provider TEXT NOT NULL,
      kind TEXT NOT NULL,
      name TEXT NOT NULL,
      value TEXT NOT NULL,
      PRIMARY KEY (partition, provider, kind, name)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE campaign_wait (
      row INTEGER PRIMARY KEY
    ) STRICT;

    """
}
