import EngagementVendors

extension Command {
  static func export(_ vendors: [VendorRegistration]) -> Command {
    Command(
      name: ["export"], summary: "write recorded events for another program",
      discussion: """
        The events of all users of this cache, in the order in which they were recorded. NDJSON has an
        event of CloudEvents 1.0 a line. CSV has the same fields as columns, behind a line with their
        names; a text that a spreadsheet would take for a formula has an apostrophe before it.

        A user is a hash of the id: HMAC-SHA-256, with the key of --user-hash-key, or else with a salt
        that only this cache has. The key is the bytes of its file, without a line end at the end. What the
        application and people wrote, in events of the kinds custom, purchase, submit, submitted and vote,
        has no fields with English names for what tells who a person is, such as e-mail, phone, name or
        address, no message of a vote, and no values and names in which the id stands as a word, an
        e-mail address, or a phone number that begins with +; a note names what was left out. Other texts
        may tell who a person is, too, such as what was written into a form, or fields with names of other
        languages: --redact leaves out a field. --personal-data keeps all of it. --redact userid leaves
        out the user, and what tells who it is, in events of every kind.

        TIME is a day, which begins in UTC, or a time with seconds and a zone, such as
        2026-11-01T09:00:00Z. A CONDITION is a field, one of = != < <= > >= and a value, without blanks
        beside the sign; several must all hold. An event without the field fulfils != and no other one.
        data.NAME is a property, and data.NAME.PART a value within one.

        FILE gets its name when it is whole. DIR gets a manifest for each run, with counts, times and
        digests: "engage verify DIR" holds the files against them. With --cursor, a run adds what came
        since the last one; a cursor that has passed events begins no other folder. A run that was
        interrupted leaves nothing, or is completed by the next. After a kill, a hidden draft of FILE stays
        until the next run with that name.

        --to sends rows to ClickHouse over HTTP: clickhouse://HOST:PORT/DATABASE for this machine, and
        clickhouses://USER@HOST:PORT/DATABASE with TLS. It makes the table, named by ?table= (else
        events). Read it with FINAL: then an event that was sent twice counts once. A table that names
        users otherwise, as with another key, is refused. With &cluster=NAME, each server of
        HOST:PORT,HOST:PORT gets a share of the rows. All users of this machine see an address, so leave
        its password out: it comes from $CLICKHOUSE_PASSWORD or &password-file=FILE. &timeout=SECONDS
        bounds the wait for an answer, and &authorities=FILE names certificates to trust. With --cursor,
        what arrived is not sent again.

        With --as, each line is an event as that vendor exports it. What the vendor has no place for is
        left out: the sequence, the provider, the other clocks, and with some the session, the item and
        the parts of a second. An event that it does not have, or that is another provider's, is a
        custom event under our type.
        """,
      options: ExportRequest.Options.all + [.vendorFormat(vendors), .zone],
      examples: [
        Example("engage export --out events.ndjson", "everything"),
        Example(
          "engage export --format csv --since 2026-11-01 --until 2026-12-01 --out november.csv",
          "a month"),
        Example("engage export --kind click --provider braze", "one provider's clicks"),
        Example(
          "engage export --cursor nightly --partition vendor,day --zstd --out events",
          "what is new, each night"),
        Example(
          "engage export --cursor rows --to clickhouse://127.0.0.1:8123/engage",
          "what is new, as rows of ClickHouse"),
      ], isInterruptible: true, run: { try await ExportRun($0).run() })
  }
}
