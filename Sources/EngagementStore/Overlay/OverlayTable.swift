import EngagementModel
import FoundationEssentials

/// What users did that vendors do not say yet, one row an item.
struct OverlayTable: ~Copyable {
  private var upsert = Statement(
    """
    INSERT INTO overlay (source, name, marks, snoozed, ends) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (source, name)
    DO UPDATE SET marks=excluded.marks, snoozed=excluded.snoozed, ends=excluded.ends
    """)
  private var deletion = Statement("DELETE FROM overlay WHERE source=? AND name=?")
  private var clearance = Statement("DELETE FROM overlay WHERE source=?")
  private var selection = Statement(
    "SELECT name, marks, snoozed, ends FROM overlay WHERE source=?")

  /// Keeps the overlay, or nothing where there is nothing in it.
  mutating func set(
    _ overlay: Overlay, of name: ItemName, in source: Int64, on database: inout Database
  ) throws(EngagementError) {
    guard !overlay.isEmpty else {
      return try database.run(&deletion, .integer(source), .blob(name.bytes))
    }
    try database.run(
      &upsert, .integer(source), .blob(name.bytes), .integer(overlay.bits),
      Self.value(overlay.snoozedUntil), Self.value(overlay.endsAt))
  }

  mutating func clear(_ source: Int64, on database: inout Database) throws(EngagementError) {
    try database.run(&clearance, .integer(source))
  }

  mutating func all(
    of source: Int64, on database: inout Database
  ) throws(EngagementError) -> [(name: ItemName, overlay: Overlay)] {
    try database.all(&selection, .integer(source)) { row in
      (
        ItemName(row.text(0)),
        Overlay(
          bits: row.integer(1),
          snoozedUntil: row.isNull(2) ? nil : Milliseconds.date(row.integer(2)),
          endsAt: row.isNull(3) ? nil : Milliseconds.date(row.integer(3)))
      )
    }
  }

  private static func value(_ date: Date?) -> SQLValue {
    date.map { .integer(Milliseconds.nearest($0)) } ?? .null
  }
}

extension Overlay {
  /// The claims as a number, one bit each. The bits are in the cache: none may change.
  private static let bits: [(claim: Claim, bit: Int64)] = [
    (Claim(deed: .impression, mark: .viewed), 1), (Claim(deed: .click, mark: .clicked), 2),
    (Claim(deed: .read, mark: .read), 4), (Claim(deed: .dismiss, mark: .dismissed), 8),
    (Claim(deed: .click, mark: .viewed), 16), (Claim(deed: .read, mark: .viewed), 32),
    (Claim(deed: .open, mark: .read), 64), (Claim(deed: .open, mark: .viewed), 128),
    (Claim(deed: .delete, mark: .dismissed), 256), (Claim(deed: .submit, mark: .dismissed), 512),
    (Claim(deed: .expire, mark: .dismissed), 1024),
  ]

  fileprivate var bits: Int64 {
    Self.bits.reduce(0) { claims.contains($1.claim) ? $0 | $1.bit : $0 }
  }

  fileprivate init(bits: Int64, snoozedUntil: Date?, endsAt: Date?) {
    let claims = Self.bits.filter { bits & $0.bit != 0 }.map(\.claim)
    self.init(Set(claims), snoozedUntil: snoozedUntil, endsAt: endsAt)
  }

  /// As it comes back from the cache, so that it is the same before and after a restart.
  var kept: Overlay {
    func kept(_ date: Date?) -> Date? { date.map { Milliseconds.date(Milliseconds.nearest($0)) } }
    return Overlay(claims, snoozedUntil: kept(snoozedUntil), endsAt: kept(endsAt))
  }
}
