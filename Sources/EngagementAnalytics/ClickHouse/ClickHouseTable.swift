import EngagementJSON
import EngagementModel

/// A table of events in ClickHouse, and the statements that make, fill and check it.
///
/// An event is a row, told apart by its source and id. With `FINAL` a query sees a row once that is there
/// twice, so any insert may be repeated. Over a cluster, every server has a table of its own
/// with the suffix `_local`, and a `Distributed` one in front of it. The hash of source and id chooses the
/// server, so that the same event always comes to the same one.
package struct ClickHouseTable: Hashable, Sendable {
  package let database: String
  package let name: String
  package let cluster: String?

  package init(_ name: String, in database: String, over cluster: String? = nil) {
    (self.name, self.database, self.cluster) = (name, database, cluster)
  }

  /// The table that holds rows.
  package var localName: String { cluster == nil ? name : "\(name)_local" }

  /// The table's name in a query.
  package var identifier: String { Self.identifier(name, in: database) }

  private static func identifier(_ name: String, in database: String) -> String {
    "\(ClickHouseText.identifier(database)).\(ClickHouseText.identifier(name))"
  }

  /// The columns by their names in exported files, with their types.
  package static let columns: [(name: String, type: String)] = EventColumn.allCases.map {
    ($0.name, type(of: $0))
  }

  private static func type(of column: EventColumn) -> String {
    switch column {
    case .id, .source, .type: "String"
    case .time, .sequence: "Int64"
    case .recordedTime, .uptime, .zoneOffset: "Nullable(Int64)"
    case .subject, .user, .session, .provider, .surface, .container, .name, .data:
      "Nullable(String)"
    }
  }

  private static var names: String {
    columns.map { ClickHouseText.identifier($0.name) }.joined(separator: ", ")
  }

  /// Days as ClickHouse 18 knows them: from 1970 to 2037. An event outside of them is in the first or
  /// last month.
  private static let day =
    "`day` Date DEFAULT toDate(toUInt16(greatest(0, least(intDiv(`time`, 86400000), 24836))))"

  private static let key = "`source`, `id`"

  // MARK: Statements

  /// Makes the table that holds rows, which does not say how it names users.
  package var creation: String { creating(nil) }

  /// Makes the table that holds rows.
  ///
  /// - Parameter users: What the comment of the column of users says.
  package func creating(_ users: UserNaming?) -> String {
    let columns = Self.columns.map { column in
      let comment = column.name == EventColumn.user.name ? users?.comment : nil
      return "\(ClickHouseText.identifier(column.name)) \(column.type)"
        + (comment.map { " COMMENT \(ClickHouseText.literal($0))" } ?? "")
    }
    return "CREATE TABLE IF NOT EXISTS \(Self.identifier(localName, in: database)) "
      + "(\((columns + [Self.day]).joined(separator: ", "))) ENGINE = ReplacingMergeTree() "
      + "PARTITION BY toYYYYMM(`day`) ORDER BY (\(Self.key))"
  }

  /// Makes the table in front of a cluster; nil without one.
  package var distribution: String? {
    guard let cluster else { return nil }
    let place = [cluster, database, localName].map(ClickHouseText.literal)
    return "CREATE TABLE IF NOT EXISTS \(identifier) "
      + "AS \(Self.identifier(localName, in: database)) "
      + "ENGINE = Distributed(\(place.joined(separator: ", ")), cityHash64(\(Self.key)))"
  }

  /// Takes rows of `ClickHouseEncoder`.
  package var insertion: String {
    "INSERT INTO \(identifier) (\(Self.names)) FORMAT JSONEachRow"
  }

  /// Counts the events of rows of `ClickHouseEncoder` that the table has, beside how many they are.
  package func search(for rows: [UInt8]) -> (query: String, events: Int) {
    let keys = rows.split(separator: UInt8(ascii: "\n")).map { row in
      let row = try? JSON(parsing: Array(row))
      let texts = ["source", "id"].map { ClickHouseText.literal(row?[$0]?.string ?? "") }
      return "(\(texts.joined(separator: ", ")))"
    }
    let query =
      "SELECT uniqExact(\(Self.key)) FROM \(identifier) WHERE (\(Self.key)) IN "
      + "(\(keys.joined(separator: ", "))) FORMAT JSONCompact"
    return (query, Set(keys).count)
  }

  /// Each counts some of those events of rows of `ClickHouseEncoder` that the table has with another user.
  package func searchesForOtherUsers(of rows: [UInt8]) -> [String] {
    let lines = rows.split(separator: UInt8(ascii: "\n"))
    return stride(from: 0, to: lines.count, by: Self.mostCompared).map { start in
      let compared = lines[start..<min(start + Self.mostCompared, lines.count)]
      return searchForOtherUsers(of: compared.compactMap { try? JSON(parsing: Array($0)) })
    }
  }

  /// A server refuses a query of more than 50,000 parts. A row has seven.
  private static let mostCompared = 4_096

  private func searchForOtherUsers(of rows: [JSON]) -> String {
    func tuples(_ columns: [EventColumn]) -> String {
      let tuples = rows.map { row in
        let texts = columns.map { ClickHouseText.literal(row[$0.name]?.string ?? "") }
        return "(\(texts.joined(separator: ", ")))"
      }
      return "(\(tuples.joined(separator: ", ")))"
    }
    return "SELECT count() FROM \(identifier) FINAL "
      + "WHERE (\(Self.key)) IN \(tuples([.source, .id])) AND isNotNull(\(Self.user)) "
      + "AND (\(Self.key), assumeNotNull(\(Self.user))) NOT IN \(tuples([.source, .id, .user])) "
      + "FORMAT JSONCompact"
  }

  // MARK: How users are named

  /// The column of users in a query.
  private static let user = ClickHouseText.identifier(EventColumn.user.name)

  /// Gives the comment of the column of users of the table that holds rows.
  package var userComment: String {
    "SELECT comment FROM system.columns WHERE database = \(ClickHouseText.literal(database)) "
      + "AND table = \(ClickHouseText.literal(localName)) "
      + "AND name = \(ClickHouseText.literal(EventColumn.user.name)) FORMAT JSONCompact"
  }

  /// Writes the comment of the column of users of the table that holds rows.
  package func commenting(_ users: UserNaming) -> String {
    "ALTER TABLE \(Self.identifier(localName, in: database)) COMMENT COLUMN \(Self.user) "
      + ClickHouseText.literal(users.comment)
  }

  /// Gives a row if the table has any.
  package var anyRow: String { "SELECT 1 FROM \(identifier) LIMIT 1 FORMAT JSONCompact" }

  /// Gives a row if the table has that event of the installation.
  package func row(of source: String, sequence: Int64) -> String {
    "SELECT sequence FROM \(identifier) WHERE source = \(ClickHouseText.literal(source)) "
      + "AND sequence = \(sequence) LIMIT 1 FORMAT JSONCompact"
  }

  /// Fails unless every server of the cluster answers and has its table.
  package var check: String { "SELECT count() FROM \(identifier) WHERE 0 FORMAT JSONCompact" }

  /// Gives the engine and the sorting key of the two tables, by name.
  package var engines: String {
    "SELECT name, engine, sorting_key FROM system.tables WHERE \(isMine("name")) "
      + "FORMAT JSONCompact"
  }

  /// Gives the names and types of the columns of the two tables, by table.
  package var layout: String {
    "SELECT table, name, type FROM system.columns WHERE \(isMine("table")) FORMAT JSONCompact"
  }

  /// Gives the number of a shard and a replica, for each server of each cluster.
  package static let clusters =
    "SELECT cluster, shard_num, replica_num FROM system.clusters FORMAT JSONCompact"

  private func isMine(_ column: String) -> String {
    "database = \(ClickHouseText.literal(database)) "
      + "AND \(column) IN \(ClickHouseText.list([name, localName]))"
  }
}
