import EngagementAnalytics
import EngagementHTTP
import EngagementModel
import EngagementVendors

/// Where a table of events is, such as `clickhouses://ana@db.example:8443/engage?table=events`.
struct ClickHouseAddress {
  /// The HTTP servers of a cluster, or the only one. Queries go to the first.
  let servers: [HTTPURL]
  let table: ClickHouseTable
  let user: String?
  let password: Secret?
  /// The longest wait for one answer.
  let timeout: Duration
  /// A file of certificate authorities to trust beside the system's.
  let authorities: String?
  /// The address without what differs from run to run and what is secret.
  let name: String

  static let variable = "CLICKHOUSE_PASSWORD"

  /// Whether the text is meant to be the address of a database, of ClickHouse or of another one.
  static func isMeant(_ text: String) -> Bool { text.contains("://") }

  init(_ text: String, of option: Option, _ invocation: Invocation) throws {
    guard let parts = ClickHouseAddressParts(text) else {
      // The text may hold a password.
      throw invocation.usage(
        "\(option.title) takes an address of ClickHouse, such as clickhouse://127.0.0.1:8123/DATABASE or "
          + "clickhouses://HOST:8443/DATABASE. In a user and a password write / ? @ as %2F %3F %40."
      )
    }
    do {
      try self.init(parts, invocation)
    } catch let fault as ClickHouseAddressParts.Fault {
      throw invocation.usage("\(option.title): \(fault.sentence)")
    }
  }

  private init(_ parts: ClickHouseAddressParts, _ invocation: Invocation) throws {
    let parameters = try parts.parameters()
    servers = try parts.hosts.map { try Self.server($0, isSecure: parts.isSecure) }
    let cluster = parameters[.cluster]
    guard servers.count == 1 || cluster != nil else {
      throw Fault("several servers are those of a cluster; name it with ?cluster=NAME.")
    }
    guard parts.isSecure || parameters[.authorities] == nil else {
      throw Fault(
        "authorities= names who signs the server's certificate, and clickhouse:// has none; leave "
          + "\"\(parameters[.authorities] ?? "")\" out, or take clickhouses://.")
    }
    let database = parts.database ?? "default"
    table = ClickHouseTable(parameters[.table] ?? "events", in: database, over: cluster)
    timeout = try Self.timeout(parameters[.timeout] ?? "120")
    authorities = parameters[.authorities].map { invocation.context.path($0) }
    user = parts.user
    password = try Self.password(parts.password, parameters[.passwordFile], invocation.context)
    // Redirects, proxies and other servers of the cluster lead to the same rows.
    name =
      "\(parts.scheme)://\(servers[0].host):\(servers[0].port)/\(database)?table=\(table.name)"
      + (cluster.map { "&cluster=\($0)" } ?? "")
  }

  private typealias Fault = ClickHouseAddressParts.Fault

  // MARK: Servers

  private static func server(_ text: String, isSecure: Bool) throws(Fault) -> HTTPURL {
    // A user and a password without a host look like a host and a port.
    if let colon = text.lastIndex(of: ":"), !text.hasSuffix("]"),
      UInt16(text[text.index(after: colon)...]) == nil
    {
      throw Fault("the port of \"\(text[..<colon])\" is no number from 1 to 65535.")
    }
    do throws(EngagementError) {
      return try url(text, isSecure: isSecure)
    } catch {
      throw Fault("\"\(text)\": \(error.message)")
    }
  }

  private static func url(_ text: String, isSecure: Bool) throws(EngagementError) -> HTTPURL {
    let scheme = isSecure ? "https" : "http"
    let url = try HTTPURL("\(scheme)://\(text)")
    guard url.path == "/", url.query == nil else {
      throw EngagementError(.invalidArgument, "It is no host.")
    }
    let end = text.utf8.last { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "]") }
    let port = end == UInt8(ascii: ":") ? url.port : isSecure ? 8_443 : 8_123
    // What resolves names may have another address for it. A certificate is one for the name.
    let isName = !isSecure && url.host.text == "localhost"
    let server = try HTTPURL("\(scheme)://\(isName ? "127.0.0.1" : url.host.text):\(port)")
    guard isSecure || server.host.isLoopbackLiteral else {
      throw EngagementError(
        .invalidArgument,
        "Without TLS only this machine can be reached, as localhost, 127.0.0.1 or [::1]; "
          + "take clickhouses:// with the server's https_port.")
    }
    return server
  }

  // MARK: Values

  private static func timeout(_ text: String) throws(Fault) -> Duration {
    guard let seconds = Int(text), (1...86_400).contains(seconds) else {
      throw Fault("timeout= takes whole seconds from 1 to 86400, and not \"\(text)\".")
    }
    return .seconds(seconds)
  }

  /// From the file, or else from the environment: an argument is seen by all users of a machine.
  private static func password(
    _ given: Secret?, _ file: String?, _ context: CommandContext
  ) throws -> Secret? {
    guard let file else {
      return given ?? context.environment(variable).flatMap { $0.isEmpty ? nil : Secret($0) }
    }
    guard given == nil else {
      throw Fault(
        "there is a password, and password-file=\(file), too; leave the password out, which all users "
          + "of this machine see.")
    }
    let reader = SecretReader(environment: context.environment, folder: context.directory)
    return try reader.value(
      inFile: ConfigurationField(value: .string(file), path: "password-file="))
  }
}
