package import EngagementModel

/// What a ClickHouse server says when it refuses a query, such as
/// `Code: 81, e.displayText() = DB::Exception: …`. It says so with status 200, too, once it has begun to
/// answer.
package struct ClickHouseFault: Hashable, Sendable {
  package let code: Int
  private let isOutOfSpace: Bool

  /// Nil for a body without an exception.
  package init?(in body: some Collection<UInt8>) {
    // Newer servers write `Code: 81. DB::Exception`.
    let text = String(decoding: body, as: UTF8.self)
    guard let found = text.firstMatch(of: /Code: ([0-9]{1,6})[.,] [^\n]{0,40}?DB::/),
      let code = Int(found.1)
    else { return nil }
    self.init(code: code, text: text)
  }

  package init(code: Int, text: String = "") {
    self.code = code
    isOutOfSpace =
      code == 243 || text.contains("errno: 28,") || text.contains("No space left on device")
  }

  /// The error with the next step. It has no word of the server's: they may hold rows.
  package var error: EngagementError {
    let (kind, message) = isOutOfSpace ? Self.noSpace : Self.meaning(of: code)
    return EngagementError(kind, message, underlying: "ClickHouse code \(code)")
  }

  private typealias Meaning = (EngagementError.Code, String)

  private static let noSpace: Meaning = (
    .storage, "The server is out of space; make room there."
  )

  private static func meaning(of code: Int) -> Meaning {
    switch code {
    case 81: (.notFound, "The server has no such database; make it with CREATE DATABASE.")
    case 60: (.notFound, "A server has no such table; name all servers of the cluster.")
    case 192, 193, 194, 195, 516:
      (
        .unauthenticated,
        "The server refused the user or the password; name the user in the address, and put the "
          + "password into $CLICKHOUSE_PASSWORD."
      )
    case 164, 291, 497:
      (.permissionDenied, "The user may not do this; grant the right to it on the server.")
    case 10, 16, 20, 47, 53, 117, 122, 170, 171:
      (
        .conflict,
        "A table there has other columns than this release makes; choose another name with ?table=NAME."
      )
    case 159, 160, 209:
      (
        .deadlineExceeded,
        "The server took too long; try again later, or give it more time with timeout=SECONDS in the "
          + "address."
      )
    case 32, 210, 279: (.unavailable, "A server of the cluster is away; start it.")
    case 202, 203, 241, 252:
      (.unavailable, "The server has too much to do or too little memory; try again later.")
    default: (.internalFailure, "The server refused the query; its log says why.")
    }
  }
}
