import EngagementJSON
import EngagementModel

/// What exports keep: the salt of their hashes, and their cursors.
struct ExportTable: ~Copyable {
  private var reading = Statement("SELECT value FROM setting WHERE name = ?")
  private var writing = Statement(
    """
    INSERT INTO setting (name, value) VALUES (?, ?)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value
    """)
  private var deletion = Statement("DELETE FROM setting WHERE name = ?")
  private var all = Statement(
    "SELECT name, value FROM setting WHERE name GLOB '\(cursorPrefix)*' ORDER BY name")

  /// The salt with which this installation's exports hide who their users are, made once from the
  /// random bits.
  mutating func salt(
    _ random: () -> UInt64, on database: inout Database
  ) throws(EngagementError) -> String {
    let name = SQLValue.text(Self.saltName)
    if let salt = try database.first(&reading, name, read: { $0.text(0) }) { return salt }
    let salt = (0..<4).map { _ in String(random(), radix: 16) }.joined(separator: "-")
    try database.run(&writing, name, .text(salt))
    return salt
  }

  /// Keeps the salt of a damaged cache, unless there is one.
  static func keep(_ salt: String, on database: inout Database) throws(EngagementError) {
    try database.run(
      "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING", .text(saltName),
      .text(salt))
  }

  static let saltName = "export salt"

  /// Nil if there is none of that name.
  mutating func cursor(
    named name: String, in environment: String, on database: inout Database
  ) throws(EngagementError) -> ExportCursor? {
    let value = try database.first(&reading, Self.key(name, environment)) { $0.bytes(0) }
    return value.flatMap { ExportCursor(named: name, stored: $0) }
  }

  mutating func set(
    _ cursor: ExportCursor, in environment: String, on database: inout Database
  ) throws(EngagementError) {
    try database.run(&writing, Self.key(cursor.name, environment), .text(cursor.stored))
  }

  mutating func remove(
    named name: String, in environment: String, on database: inout Database
  ) throws(EngagementError) {
    try database.run(&deletion, Self.key(name, environment))
  }

  /// The cursors of an environment by name; of all of them if it is nil.
  mutating func cursors(
    in environment: String?, on database: inout Database
  ) throws(EngagementError) -> [ExportCursor] {
    try database.all(&all) { ($0.text(0), $0.bytes(1)) }.compactMap { (key, value) in
      let words = key.dropFirst(Self.cursorPrefix.count).split(separator: " ", maxSplits: 1)
      guard let name = words.first, environment == nil || words.last.map(String.init) == environment
      else { return nil }
      return ExportCursor(named: String(name), stored: value)
    }
  }

  /// The sequence that every export of every environment has passed; 0 without a cursor. A cursor
  /// that cannot be read has passed none: its export begins again.
  mutating func sequencePassedByAll(
    on database: inout Database
  ) throws(EngagementError) -> Int64 {
    let cursors = try database.all(&all) { ExportCursor(named: "", stored: $0.bytes(1)) }
    return cursors.map { $0?.sequence ?? 0 }.min() ?? 0
  }

  // A name has no space.
  private static func key(_ name: String, _ environment: String) -> SQLValue {
    .text("\(cursorPrefix)\(name) \(environment)")
  }

  private static let cursorPrefix = "export cursor "
}

extension ExportCursor {
  fileprivate init?(named name: String, stored bytes: [UInt8]) {
    guard let value = try? JSON(parsing: bytes), let id = value["id"]?.string,
      let sequence = value["sequence"]?.integer, let selection = value["selection"]?.string
    else { return nil }
    self.init(
      name: name, id: id, sequence: sequence, selection: selection,
      folder: value["folder"]?.string)
  }

  fileprivate var stored: String {
    var value: JSONObject = [
      "id": .string(id), "sequence": .integer(sequence), "selection": .string(selection),
    ]
    value["folder"] = folder.map(JSON.string)
    return String(decoding: JSON.object(value).encoded(), as: UTF8.self)
  }
}
