import EngagementCurl
import EngagementHTTP
import EngagementModel
import Foundation
import TestServers
import TestSupport

/// Two ClickHouse servers on free ports, which know each other as the cluster `two`. They end with this.
///
/// The user `default` has no password; that of `ana` is `p@ss:word`.
final class ClickHouseServers: Sendable {
  private static let program = "/usr/sbin/clickhouse-server"
  static let areInstalled = FileManager.default.isExecutableFile(atPath: program)
  /// Why tests are skipped.
  static let absence = "/usr/sbin/clickhouse-server is not there: apt-get install clickhouse-server"

  /// The HTTP ports.
  let ports: [Int]
  private let folder: URL
  private let processes = Locked<[ChildProcess]>([])
  private let transport = CurlTransport()

  init() async throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "engage-clickhouse-\(UUID().uuidString)")
    // All are reserved at the same time, so that no two are equal.
    let reserved = try (0..<6).map { _ in try DeadPort() }
    let numbers = reserved.map(\.number)
    ports = [numbers[0], numbers[1]]
    for server in 0..<2 { try configure(server, numbers) }
    _ = consume reserved
    for server in 0..<2 { try start(server) }
    for server in 0..<2 { try await wait(for: server) }
  }

  deinit {
    for process in processes.withLock({ $0 }) { process.kill() }
    try? FileManager.default.removeItem(at: folder)
  }

  /// The address of a table of the first server, or of both.
  func address(_ database: String = "default", _ query: String = "", both: Bool = false) -> String {
    let hosts = (both ? ports : [ports[0]]).map { "127.0.0.1:\($0)" }.joined(separator: ",")
    return "clickhouse://\(hosts)/\(database)\(query.isEmpty ? "" : "?\(query)")"
  }

  /// What a query prints.
  @discardableResult
  func query(
    _ text: String, _ setting: String = "max_threads=2", on server: Int = 0
  ) async throws -> String {
    let response = try await transport.send(
      HTTPRequest(
        .post,
        "http://127.0.0.1:\(ports[server])/?output_format_json_quote_64bit_integers=0"
          + "&insert_distributed_sync=1&\(setting)",
        body: Array(text.utf8)))
    let body = String(decoding: response.body, as: UTF8.self)
    guard response.status == 200 else { throw TestFailure(body) }
    return body.trimmingCharacters(in: .newlines)
  }

  /// Ends a server at once.
  func end(_ server: Int) {
    processes.withLock { $0[server] }.kill()
  }

  private func start(_ server: Int) throws {
    let process = try ChildProcess(
      Self.program, ["--config-file=\(folder.path)/\(server)/config.xml"], errors: .null,
      minutes: 60)
    processes.withLock { $0.append(process) }
  }

  /// Waits until a server answers.
  private func wait(for server: Int) async throws {
    for _ in 0..<1_000 {
      if (try? await query("SELECT 1", on: server)) != nil { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw TestFailure("clickhouse-server does not start; its log is in \(folder.path)")
  }

  // MARK: Configuration

  private func configure(_ server: Int, _ numbers: [Int]) throws {
    let own = folder.appending(path: "\(server)")
    for name in ["data", "tmp"] {
      try FileManager.default.createDirectory(
        at: own.appending(path: name), withIntermediateDirectories: true)
    }
    let shards = (2..<4).map { number in
      "<shard><replica><host>127.0.0.1</host><port>\(numbers[number])</port></replica></shard>"
    }
    let configuration = """
      <yandex>
        <logger><level>warning</level><log>\(own.path)/server.log</log>
          <errorlog>\(own.path)/errors.log</errorlog></logger>
        <http_port>\(numbers[server])</http_port><tcp_port>\(numbers[server + 2])</tcp_port>
        <interserver_http_port>\(numbers[server + 4])</interserver_http_port>
        <listen_host>127.0.0.1</listen_host>
        <interserver_http_host>127.0.0.1</interserver_http_host>
        <path>\(own.path)/data/</path><tmp_path>\(own.path)/tmp/</tmp_path>
        <users_config>users.xml</users_config>
        <default_profile>default</default_profile><default_database>default</default_database>
        <mark_cache_size>67108864</mark_cache_size>
        <remote_servers><two>\(shards.joined())</two></remote_servers>
      </yandex>
      """
    try Data(configuration.utf8).write(to: own.appending(path: "config.xml"))
    try Data(Self.users.utf8).write(to: own.appending(path: "users.xml"))
  }

  private static let users = """
    <yandex>
      <profiles><default/></profiles>
      <users>
        <default><password></password><networks><ip>127.0.0.1</ip></networks>
          <profile>default</profile><quota>default</quota></default>
        <ana><password>p@ss:word</password><networks><ip>127.0.0.1</ip></networks>
          <profile>default</profile><quota>default</quota></ana>
      </users>
      <quotas><default/></quotas>
    </yandex>
    """
}
