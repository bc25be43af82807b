import EngagementAnalytics
import EngagementEmulator
import EngagementJSON
import EngagementModel
import Foundation
import TestServers
import Testing

@testable import EngageCommands

/// What a server says of the table that was made on it.
private struct MadeTable {
  /// The comment of the users' column.
  private var comment: String?

  mutating func answer(_ query: String) -> String {
    if query.hasPrefix("CREATE") {
      comment = query.firstMatch(of: /COMMENT '([^']*)'/).map { String($0.1) }
    }
    if query.hasPrefix("CREATE") || query.hasPrefix("ALTER") { return "" }
    let rows: [JSON] =
      if let comment {
        if query.contains("system.tables") {
          [["events", "ReplacingMergeTree", "source, id"]]
        } else if query.hasPrefix("SELECT comment") {
          [[.string(comment)]]
        } else if query.contains("system.columns") {
          ClickHouseTable.columns.map { ["events", .string($0.name), .string($0.type)] }
        } else {
          [[1]]
        }
      } else {
        []
      }
    let answer: JSON = ["data": .array(rows), "rows": .integer(Int64(rows.count))]
    return String(decoding: answer.encoded(), as: UTF8.self)
  }
}

/// `engage export --to`, to a server that breaks its promises, and addresses that are none.
@Suite(.timeLimit(.minutes(20))) struct ClickHouseFailureTests {
  private static func filled() async throws -> CommandScene {
    let scene = try await CommandScene()
    await scene.engage("sync")
    await scene.emulator.stop()
    return scene
  }

  /// A server that has a table of events when one was made. What it does to the batch of a number is the
  /// test's. Asked for events, it finds as many as that.
  private static func server(
    finding events: Int = 0, _ insertion: @escaping @Sendable (Int, ServerConnection) throws -> Void
  ) throws -> TestServer {
    let (batches, table) = (Locked(0), Locked(MadeTable()))
    return try TestServer { connection in
      while true {
        let head = try connection.readHead()
        let length = head.firstMatch(of: /Content-Length: ([0-9]+)/).flatMap { Int($0.1) } ?? 0
        let body = String(decoding: try connection.read(exactly: length), as: UTF8.self)
        if head.contains("INSERT") {
          let number = batches.withLock { batches in
            batches += 1
            return batches
          }
          try insertion(number, connection)
        } else {
          let answer =
            body.contains("uniqExact")
            ? #"{"data": [[\#(events)]], "rows": 1}"# : table.withLock { $0.answer(body) }
          try connection.answer("200 OK", answer)
        }
      }
    }
  }

  private static let exception =
    "Code: 241, e.displayText() = DB::Exception: Memory limit: secret-row, e.what() = DB::Exception"

  private static let noRow = #"X-ClickHouse-Summary: {"read_rows":"9","written_rows":"0"}"#

  @Test(
    "X14: a batch of which no row was written has arrived if the table has its events",
    arguments: [
      (1_000, noRow), (0, #"X-ClickHouse-Summary: {"written_rows":"1000"}"#),
      (0, "X-ClickHouse-Summary: ?"), (0, "X-ClickHouse-Summary: {}"),
    ])
  func repeated(found: Int, header: String) async throws {
    let scene = try await Self.filled()
    let server = try Self.server(finding: found) { _, connection in
      try connection.answer("200 OK", headers: [header])
    }
    defer { server.stop() }
    let address = "clickhouse://localhost:\(server.port)/shop"
    let ending = await scene.stage.run(["export", "--cursor", "c", "--to", address])
    #expect(ending.status == .done, "\(ending)")
    // Where this machine is named does not tell two targets apart.
    let again = await scene.stage.run(
      ["export", "--cursor", "c", "--to", address.replacing("localhost", with: "127.0.0.1")])
    #expect(again.output == "Nothing new since the last export.\n", "\(again)")
  }

  @Test("X14: whatever the server does to a batch, it is told, and the cursor stays")
  func batches() async throws {
    let scene = try await Self.filled()
    // By name, with what is told.
    let cases: [(String, String, TestServer.Script)] = [
      ("an exception in a 200", "too little memory", { try $0.answer("200 OK", Self.exception) }),
      (
        "an exception in a header", "storage",
        { try $0.answer("200 OK", headers: ["X-ClickHouse-Exception-Code: 243"]) }
      ),
      (
        "no space", "out of space; make room",
        { connection in
          try connection.answer(
            "500 Internal Server Error",
            "Code: 75, e.displayText() = DB::ErrnoException: Cannot write, errno: 28, strerror: No "
              + "space left on device")
        }
      ),
      ("500", "The server failed; try again later", { try $0.answer("500 Oops", "<html>") }),
      ("401", "$CLICKHOUSE_PASSWORD", { try $0.answer("401 Unauthorized") }),
      (
        "a redirect", "answers with a redirect",
        { try $0.answer("302 Found", headers: ["Location: http://127.0.0.1:1/"]) }
      ),
      ("another server", "not that of ClickHouse", { try $0.answer("200 OK", "<html>") }),
      (
        "a reset", "unavailable",
        { connection in
          connection.reset()
          throw TestFailure("reset")
        }
      ),
      ("an end", "unavailable", { _ in throw TestFailure("end") }),
      (
        "half an answer", "unavailable",
        { connection in
          try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12")
          throw TestFailure("end")
        }
      ),
      (
        "no row", "said that all is well, and has 0 of",
        { try $0.answer("200 OK", headers: [Self.noRow]) }
      ),
      (
        "one row", "said that all is well, and has 0 of",
        { try $0.answer("200 OK", headers: [#"X-ClickHouse-Summary: {"written_rows": 1}"#]) }
      ),
      (
        "no length", "said that all is well, and has 0 of",
        { connection in
          try connection.write("HTTP/1.1 200 OK\r\n\r\n")
          throw TestFailure("end")
        }
      ),
      ("silence", "deadlineExceeded", { _ = try $0.read() }),
    ]
    for (name, text, script) in cases {
      let server = try Self.server { number, connection in
        try number == 1 ? script(connection) : connection.answer()
      }
      defer { server.stop() }
      let line = [
        "export", "--json", "--cursor", name.replacing(" ", with: "-"), "--to",
        "clickhouse://127.0.0.1:\(server.port)/shop?timeout=1",
      ]
      let ending = await scene.stage.run(line)
      #expect(ending.status == .failed && ending.output.isEmpty, "\(name): \(ending)")
      #expect(ending.errors.contains(text), "\(name): \(ending.errors)")
      #expect(!ending.errors.contains("secret-row"))
      #expect(server.heads.count { $0.contains("INSERT") } == 1, "\(name)")
      // The cursor has not moved.
      let next = await scene.stage.run(line)
      let told = try JSON(parsing: Array(next.output.utf8))
      #expect(next.status == .done && told["after"] == 0, "\(name): \(next)")
      #expect(told["events"] != 0)
    }
  }

  @Test("X14: what arrived before a failure is told, and the next run goes on after it")
  func resumed() async throws {
    let cache = try await SimulatedCache(people: 200, cards: 60)
    let server = try Self.server { number, connection in
      guard number != 2 else { throw TestFailure("end") }
      try connection.answer()
    }
    defer { server.stop() }
    let line = ["export", "--cursor", "c", "--to", "clickhouse://127.0.0.1:\(server.port)/shop"]
    let first = await cache.stage.run(line)
    #expect(first.status == .failed, "\(first)")
    #expect(
      first.errors.contains("8192 events arrived. Run the command again: it goes on after them."),
      "\(first.errors)")
    let count = await cache.stage.engage("export").lines.count
    let second = await cache.stage.run(line + ["--json"])
    let told = try JSON(parsing: Array(second.output.utf8))
    #expect(told["after"] == 8_192 && told["events"]?.integer == Int64(count - 8_192), "\(second)")
    #expect(server.heads.count { $0.contains("INSERT") } == 2 + (count - 1) / 8_192)
  }

  @Test(
    "X14: an option or an address that makes no sense is told, and nothing is sent",
    arguments: [
      (["clickhouse://127.0.0.1/a", "--out", "x"], "leave out --out"),
      (["clickhouse://127.0.0.1/a", "--format", "csv"], "leave out --format"),
      (["clickhouse://127.0.0.1/a", "--gzip"], "leave out --gzip"),
      (["clickhouse://127.0.0.1/a", "--partition", "day"], "leave out --partition"),
      (
        ["postgres://127.0.0.1/a"],
        "takes an address of ClickHouse, such as clickhouse://127.0.0.1:8123/DATABASE"
      ),
      (["clickhouse:a"], "takes an address"), (["clickhouse://"], "takes an address"),
      (["clickhouse://u:%zz@127.0.0.1/a"], "takes an address"),
      (["clickhouse://u:my/secret@127.0.0.1/a"], "write / ? @ as %2F %3F %40"),
      (["clickhouse://u:my?secret@127.0.0.1/a"], "write / ? @ as %2F %3F %40"),
      (["clickhouse://u:my@secret@127.0.0.1/a"], "write / ? @ as %2F %3F %40"),
      (["clickhouse://127.0.0.1/a?clutser=x"], "did you mean \"cluster\"?"),
      (["clickhouse://127.0.0.1/a?table="], "table= has no value"),
      (["clickhouse://127.0.0.1/a?timeout=0"], "whole seconds from 1 to 86400"),
      (["clickhouse://127.0.0.1:99999/a"], "the port of \"127.0.0.1\" is no number"),
      (["clickhouse://127.0.0.1,/a?cluster=x"], "\"\""),
      (["clickhouse://127.0.0.1,127.0.0.2/a"], "name it with ?cluster=NAME"),
      (["clickhouse://u:secret@db.example/a"], "take clickhouses://"),
      (["clickhouse://u:secret"], "the port of \"u\" is no number"),
      (["clickhouses://u:secret/a"], "the port of \"u\" is no number"),
      (["clickhouse://[::1]:99999/a"], "the port of \"[::1]\" is no number"),
      (["clickhouse://localhost.example/a"], "as localhost, 127.0.0.1 or [::1]"),
      (
        ["clickhouse://127.0.0.1/a?table=x&timeout=1&table=y"],
        "table= is there twice, as \"x\" and \"y\"; leave one out"
      ),
      (["clickhouse://127.0.0.1/a?table=x&table=x"], "table= is there twice"),
      (
        ["clickhouse://127.0.0.1/sh%00op"],
        "the database \"sh%00op\" has a control character; take %00 out"
      ),
      (["clickhouse://127.0.0.1/sh\u{85}op"], "the database \"sh%C2%85op\""),
      (["clickhouse://127.0.0.1/a?table=%1B%5B2J"], "table= \"%1B[2J\" has a control character"),
      (["clickhouse://127.0.0.1/a?cluster=a%0D%0A"], "cluster= \"a%0D%0A\""),
      (["clickhouse://a%0A@127.0.0.1/a"], "the user \"a%0A\" has a control character"),
      (["clickhouse://a:secret%0A@127.0.0.1/a"], "the password has a control character"),
      (
        ["clickhouse://127.0.0.1/a?authorities=ca.pem"],
        "leave \"ca.pem\" out, or take clickhouses://"
      ),
      (
        ["clickhouse://a:secret@127.0.0.1/a?password-file=word"],
        "password-file=word, too; leave the password out"
      ),
    ])
  func words(options: [String], text: String) async throws {
    let stage = try CommandLineFixture()
    try stage.configure(endpoint: "http://127.0.0.1:1")
    let ending = await stage.run(["export", "--to"] + options)
    #expect(ending.status == .usage && ending.errors.contains(text), "\(ending.errors)")
    #expect(!ending.errors.contains("secret"))
    #expect(try stage.names() == ["engage.json"])
  }
}
