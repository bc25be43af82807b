import EngagementAnalytics
import EngagementHTTP
import EngagementJSON
import EngagementModel

/// Makes the tables of an address where they are missing, and looks at those that are there.
struct ClickHouseSetup {
  let address: ClickHouseAddress
  let client: ClickHouseClient

  private var table: ClickHouseTable { address.table }

  /// Throws before a row is sent if the table is not one of events.
  ///
  /// - Parameter users: How a table that is made names users.
  func run(_ users: UserNaming) async throws(EngagementError) {
    for server in address.servers { try await make(on: server, users) }
    guard table.cluster != nil else { return }
    do throws(EngagementError) {
      _ = try await client.rows(of: table.check, from: address.servers[0])
    } catch {
      guard error.underlying?.hasSuffix(" 279") == true || error.code == .notFound else {
        throw error
      }
      throw EngagementError(
        .unavailable,
        "A server of the cluster is away or has no table \(table.localName). Start it, and name the "
          + "HTTP ports of all: clickhouse://HOST:PORT,HOST:PORT/\(table.database).",
        operation: error.operation, underlying: error.underlying)
    }
  }

  /// Whether the table is there. Throws if it is another one.
  func hasTable() async throws(EngagementError) -> Bool {
    try check(table.name, try await find(on: address.servers[0]))
  }

  /// Throws if there is no table, or another one.
  func check() async throws(EngagementError) {
    guard try await hasTable() else {
      throw EngagementError(
        .notFound,
        "The database has no table \(table.name) of events; fill it with \"engage export --to\".")
    }
  }

  private func make(
    on server: HTTPURL, _ users: UserNaming
  ) async throws(EngagementError) {
    if let cluster = table.cluster { try await check(cluster, on: server) }
    let found = try await find(on: server)
    if try !check(table.localName, found) {
      try await client.run(table.creating(users), on: server)
    }
    guard let distribution = table.distribution, try !check(table.name, found) else { return }
    try await client.run(distribution, on: server)
  }

  // MARK: What is there

  private struct Found {
    var engines: [String: (name: String, key: String)] = [:]
    /// Types by column, by table.
    var columns: [String: [String: String]] = [:]
  }

  private func find(on server: HTTPURL) async throws(EngagementError) -> Found {
    var found = Found()
    for row in try await client.rows(of: table.engines, from: server).map(Self.texts)
    where row.count == 3 {
      found.engines[row[0]] = (row[1], row[2])
    }
    for row in try await client.rows(of: table.layout, from: server).map(Self.texts)
    where row.count == 3 {
      found.columns[row[0], default: [:]][row[1]] = row[2]
    }
    return found
  }

  private static func texts(_ row: [JSON]) -> [String] {
    row.map { $0.string ?? $0.integer.map { String($0) } ?? "" }
  }

  /// Whether the table is there. Throws if it is another one.
  private func check(_ name: String, _ found: Found) throws(EngagementError) -> Bool {
    guard let engine = found.engines[name] else { return false }
    let isLocal = name == table.localName
    guard isLocal ? engine.name.hasSuffix("ReplacingMergeTree") : engine.name == "Distributed"
    else { throw other(name, "has the engine \(engine.name)") }
    guard !isLocal || engine.key == "source, id" else {
      throw other(name, "is not ordered by source and id")
    }
    let columns = found.columns[name] ?? [:]
    for (column, type) in ClickHouseTable.columns where columns[column] != type {
      throw other(
        name,
        columns[column].map { "has the column \(column) as \($0), and not as \(type)" }
          ?? "has no column \(column)")
    }
    return true
  }

  private func other(_ name: String, _ fault: String) -> EngagementError {
    EngagementError(
      .conflict,
      "The table \(name) \(fault): it was not made by this release of engage. Choose another name with "
        + "?table=NAME; the export makes the table.")
  }

  private func check(_ cluster: String, on server: HTTPURL) async throws(EngagementError) {
    let rows = try await client.rows(of: ClickHouseTable.clusters, from: server).map(Self.texts)
    let names = Set(rows.compactMap(\.first))
    guard names.contains(cluster) else {
      throw EngagementError(
        .notFound,
        "The server at \(server.host):\(server.port) knows no cluster \"\(cluster)\""
          + (names.isEmpty
            ? ". Leave cluster= out, or add the cluster to remote_servers there."
            : NearestName.hint(for: cluster, among: names.sorted())))
    }
    // Two replicas need a table that hands rows over by ZooKeeper, which only an administrator knows.
    guard rows.contains(where: { $0.count == 3 && $0[0] == cluster && $0[2] != "1" }),
      try await find(on: server).engines[table.localName]?.name != "ReplicatedReplacingMergeTree"
    else { return }
    throw EngagementError(
      .unsupported,
      "The cluster \"\(cluster)\" has replicas: make the table \(table.localName) on each server first, "
        + "with the engine ReplicatedReplacingMergeTree.")
  }
}
