import EngagementAnalytics
import EngagementFormats
import EngagementHTTP
import EngagementJSON
import EngagementModel

/// Sees to it that a table names all its users in one way. A row takes the place of another one of the same
/// event, and a person who is named in two ways counts twice.
struct ClickHouseUsers {
  let address: ClickHouseAddress
  let client: ClickHouseClient
  /// How this export names users.
  let naming: UserNaming

  private var table: ClickHouseTable { address.table }

  /// Returns whether the table says that it names users as this export does. An empty table comes to say it.
  /// Throws `conflict` if the table says otherwise.
  func claim() async throws(EngagementError) -> Bool {
    var namings: [UserNaming?] = []
    for server in address.servers {
      let comment = try await client.rows(of: table.userComment, from: server).first?.first?.string
      namings.append(comment.flatMap { UserNaming(comment: $0) })
    }
    guard namings.contains(where: { $0 != naming }) else { return true }
    if try await client.rows(of: table.anyRow, from: address.servers[0]).isEmpty {
      return try await write()
    }
    guard let other = namings.compactMap(\.self).first(where: { $0 != naming }) else {
      return false
    }
    throw EngagementError(
      .conflict,
      "In the table \(table.name) users are \(Self.words(other)), and in this export they are "
        + "\(Self.words(naming)). Export as before, or choose another table with ?table=NAME.")
  }

  /// Throws `conflict` if the table has any of the events with another user, whose place the rows of
  /// `ClickHouseEncoder` would take.
  func compare(_ rows: [UInt8]) async throws(EngagementError) {
    for query in table.searchesForOtherUsers(of: rows) {
      let found = try await client.rows(of: query, from: address.servers[0]).first?.first?.integer
      guard found ?? 0 > 0 else { continue }
      throw EngagementError(
        .conflict,
        "The table \(table.name) has some of these events with other users: another --user-hash-key, or "
          + "none, was given then. Give the same again, or choose another table with ?table=NAME.")
    }
  }

  /// Who made the table may have granted no right to change it. Then each batch is compared.
  private func write() async throws(EngagementError) -> Bool {
    for server in address.servers {
      do throws(EngagementError) {
        try await client.run(table.commenting(naming), on: server)
      } catch {
        guard error.code == .permissionDenied else { throw error }
        return false
      }
    }
    return true
  }

  private static func words(_ naming: UserNaming) -> String {
    switch naming {
    case .ids: "ids (--user-ids)"
    case .key(let digest):
      "hashes with a key (--user-hash-key; its SHA-256 begins with \(digest))"
    case .salt: "hashes with the salt of each installation (neither --user-ids nor --user-hash-key)"
    case .absent: "left out (--redact userid)"
    }
  }
}

extension ExportRequest {
  /// How the events name users.
  var userNaming: UserNaming {
    guard !redaction.names.contains(EventColumn.user.name) else { return .absent }
    return switch users {
    case .ids: .ids
    case .key(let key): .key(digest: Self.digest(of: key))
    case .salt: .salt
    }
  }

  /// Tells two keys apart and does not give a key away.
  private static func digest(of key: [UInt8]) -> String {
    String(SHA256.digest(of: key).description.prefix(8))
  }
}
