import EngagementAnalytics
import EngagementCurl
import EngagementHTTP
import EngagementJSON
import EngagementModel

/// Sends queries to a ClickHouse server over HTTP.
struct ClickHouseClient: Sendable {
  private let transport: CurlTransport
  private let user: String?
  private let password: Secret?
  private let database: String

  init(_ address: ClickHouseAddress) {
    var configuration = CurlTransport.Configuration()
    configuration.totalTimeout = address.timeout
    // A server says nothing while it works on a query.
    configuration.lowSpeedTime = address.timeout
    configuration.certificateAuthorities = address.authorities
    // The longest answer is that of a comparison, with a row for each arm, stratum, kind and day.
    configuration.maximumBodyBytes = 64 << 20
    transport = CurlTransport(configuration)
    (user, password, database) = (address.user, address.password, address.table.database)
  }

  /// Runs a statement that answers nothing.
  func run(_ statement: String, on server: HTTPURL) async throws(EngagementError) {
    try check(try await answer(to: server, body: Array(statement.utf8)), of: server)
  }

  /// Sends rows of `ClickHouseEncoder`; returns when the server, and those behind it, have them.
  func insert(
    _ rows: [UInt8], _ count: Int, into table: ClickHouseTable, on server: HTTPURL
  ) async throws(EngagementError) {
    // Otherwise the server that is asked sends the rows on later, and forgets them if it is lost.
    let setting = table.cluster == nil ? [] : [("insert_distributed_sync", "1")]
    let answer = try await answer(to: server, [("query", table.insertion)] + setting, body: rows)
    try check(answer, of: server)
    if Self.isWhole(answer), Self.written(answer) ?? Int64(count) >= count { return }
    try await find(rows, in: table, on: server)
  }

  /// Whether the answer says where it ends. One that does not may have lost the exception in its body.
  private static func isWhole(_ answer: HTTPResponse) -> Bool {
    ["Content-Length", "Transfer-Encoding"].contains { answer.headers.first($0) != nil }
  }

  /// How many rows the server says that it wrote. Servers before 19 do not say it.
  private static func written(_ answer: HTTPResponse) -> Int64? {
    guard let text = answer.headers.first("X-ClickHouse-Summary"),
      let value = (try? JSON(parsing: Array(text.utf8)))?["written_rows"]
    else { return nil }
    return value.integer ?? value.string.flatMap { Int64($0) }
  }

  /// Throws unless the table has the rows.
  ///
  /// A server that wrote less than it got may be right: a replicated table passes over a block that it
  /// had from a run whose answer was lost. It may also have put the rows off (`async_insert`) or dropped
  /// them, and then the cursor must not move. Only the table itself tells the two apart.
  private func find(
    _ rows: [UInt8], in table: ClickHouseTable, on server: HTTPURL
  ) async throws(EngagementError) {
    let (query, sent) = table.search(for: rows)
    let found = try await self.rows(of: query, from: server).first?.first?.integer ?? 0
    guard found < sent else { return }
    throw Self.located(
      EngagementError(
        .unavailable,
        "The server said that all is well, and has \(found) of \(sent) events. Run the command again; "
          + "if it stays so, look at the user's settings there, such as async_insert."), server)
  }

  /// The rows that a query with `FORMAT JSONCompact` gives.
  func rows(of query: String, from server: HTTPURL) async throws(EngagementError) -> [[JSON]] {
    let body = try await answer(to: server, Self.readSettings, body: Array(query.utf8)).body
    // A server that fails after it has begun to answer says so at the end of the answer.
    if let fault = ClickHouseFault(in: body.suffix(4_096)) { throw Self.error(fault, server) }
    guard let object = try? JSON(parsing: body), let rows = object["data"]?.array,
      object["rows"]?.integer == Int64(rows.count)
    else { throw Self.foreign(server) }
    return rows.map { $0.array ?? [] }
  }

  /// A comparison is a long query that reads much; numbers are numbers of JSON.
  private static let readSettings = [
    ("max_query_size", "16777216"), ("output_format_json_quote_64bit_integers", "0"),
  ]

  // MARK: One request

  private func answer(
    to server: HTTPURL, _ items: [(name: String, value: String)] = [], body: [UInt8]
  ) async throws(EngagementError) -> HTTPResponse {
    let url = try server.appending(query: [("database", database)] + items)
    var request = HTTPRequest(.post, url.text, body: body)
    if let user { try request.headers.set("X-ClickHouse-User", Secret(user)) }
    if let password { try request.headers.set("X-ClickHouse-Key", password) }
    let response: HTTPResponse
    do throws(EngagementError) {
      response = try await transport.send(request)
    } catch {
      guard error.code != .cancelled else { throw error }
      throw Self.located(error, server)
    }
    let code = response.headers.first("X-ClickHouse-Exception-Code").flatMap { Int($0) }
    if let fault = code.map({ ClickHouseFault(code: $0) }) { throw Self.error(fault, server) }
    guard response.status != 200 else { return response }
    if let fault = ClickHouseFault(in: response.body) { throw Self.error(fault, server) }
    throw Self.refusal(response.status, server)
  }

  /// A statement that was done has an empty answer.
  private func check(_ answer: HTTPResponse, of server: HTTPURL) throws(EngagementError) {
    guard !answer.body.isEmpty else { return }
    throw ClickHouseFault(in: answer.body).map { Self.error($0, server) } ?? Self.foreign(server)
  }

  // MARK: Errors

  private static func error(_ fault: ClickHouseFault, _ server: HTTPURL) -> EngagementError {
    located(fault.error, server)
  }

  private static func foreign(_ server: HTTPURL) -> EngagementError {
    located(
      EngagementError(
        .malformedResponse,
        "The answer is cut, or not that of ClickHouse. Give the HTTP port in the address, such as 8123."
      ),
      server)
  }

  private static func refusal(_ status: Int, _ server: HTTPURL) -> EngagementError {
    let error =
      switch status {
      case 300..<400:
        EngagementError(
          .unavailable, "The server answers with a redirect; give the address that it leads to.")
      case 401, 403: ClickHouseFault(code: 516).error
      case 500...: EngagementError(.unavailable, "The server failed; try again later.")
      default:
        EngagementError(
          .unavailable,
          "The answer is not that of ClickHouse. Give the HTTP port in the address, such as 8123.")
      }
    var told = error
    told.underlying = "HTTP \(status)"
    return located(told, server)
  }

  private static func located(_ error: EngagementError, _ server: HTTPURL) -> EngagementError {
    var error = error
    error.operation = "ClickHouse at \(server.host):\(server.port)"
    return error
  }
}
