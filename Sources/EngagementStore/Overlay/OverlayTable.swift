import EngagementModel
import EngagementPlatform

/// The overlays of all items, one row for each.
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

  /// Writes the overlay, or deletes an empty one.
  mutating func set(
    _ overlay: Overlay, of name: ItemKey, in source: Int64, on database: inout Database
  ) throws(EngagementError) {
    guard !overlay.isEmpty else {
      return try database.run(&deletion, .integer(source), .blob(name.bytes))
    }
    try database.run(
      &upsert, .integer(source), .blob(name.bytes), .integer(overlay.bits),
      SQLValue(overlay.snoozedUntil), SQLValue(overlay.endsAt))
  }

  mutating func clear(_ source: Int64, on database: inout Database) throws(EngagementError) {
    try database.run(&clearance, .integer(source))
  }

  mutating func all(
    of source: Int64, on database: inout Database
  ) throws(EngagementError) -> [(name: ItemKey, overlay: Overlay)] {
    try database.all(&selection, .integer(source)) { row in
      (
        ItemKey(row.text(0)),
        Overlay(
          bits: row.integer(1),
          snoozedUntil: row.isNull(2) ? nil : Milliseconds.date(row.integer(2)),
          endsAt: row.isNull(3) ? nil : Milliseconds.date(row.integer(3)))
      )
    }
  }
}

extension SQLValue {
  /// The time in whole milliseconds.
  init(_ date: Date?) {
    self = date.map { .integer(Milliseconds.nearest($0)) } ?? .null
  }
}

extension Overlay {
  /// The causes as a number, one bit each. The bits are in the cache: none may change.
  private static let bits: [(cause: MarkCause, bit: Int64)] = [
    (MarkCause(cause: .impression, mark: .viewed), 1),
    (MarkCause(cause: .click, mark: .clicked), 2),
    (MarkCause(cause: .read, mark: .read), 4), (MarkCause(cause: .dismiss, mark: .dismissed), 8),
    (MarkCause(cause: .click, mark: .viewed), 16), (MarkCause(cause: .read, mark: .viewed), 32),
    (MarkCause(cause: .open, mark: .read), 64), (MarkCause(cause: .open, mark: .viewed), 128),
    (MarkCause(cause: .delete, mark: .dismissed), 256),
    (MarkCause(cause: .submit, mark: .dismissed), 512),
    (MarkCause(cause: .expire, mark: .dismissed), 1024),
    (MarkCause(cause: .vendor, mark: .viewed), 2048),
    (MarkCause(cause: .vendor, mark: .clicked), 4096),
    (MarkCause(cause: .vendor, mark: .read), 8192),
    (MarkCause(cause: .vendor, mark: .dismissed), 16384),
  ]

  var bits: Int64 {
    Self.bits.reduce(0) { causes.contains($1.cause) ? $0 | $1.bit : $0 }
  }

  init(bits: Int64, snoozedUntil: Date?, endsAt: Date?) {
    let causes = Self.bits.filter { bits & $0.bit != 0 }.map(\.cause)
    self.init(Set(causes), snoozedUntil: snoozedUntil, endsAt: endsAt)
  }

  /// The overlay as it comes back from the cache: times in whole milliseconds.
  var asStored: Overlay {
    func rounded(_ date: Date?) -> Date? {
      date.map { Milliseconds.date(Milliseconds.nearest($0)) }
    }
    return Overlay(causes, snoozedUntil: rounded(snoozedUntil), endsAt: rounded(endsAt))
  }
}
