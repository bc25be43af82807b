import EngagementAnalytics
import EngagementFormats
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

  private enum Parameter: String, CaseIterable {
    case cluster
    case table
    case timeout
    case authorities
    case passwordFile = "password-file"
  }

  /// Whether the text is meant to be one.
  static func isMeant(_ text: String) -> Bool {
    text.utf8.starts(with: "clickhouse".utf8) && text.contains("://")
  }

  init(_ text: String, of option: Option, _ invocation: Invocation) throws {
    let words = Words(text)
    guard let words, let isSecure = ["clickhouse": false, "clickhouses": true][words.scheme] else {
      // The text may hold a password.
      throw invocation.usage(
        "\(option.title) takes an address such as clickhouse://127.0.0.1:8123/DATABASE or "
          + "clickhouses://HOST:8443/DATABASE. In a user and a password / ? @ are %2F %3F %40.")
    }
    func fault(_ sentence: String) -> UsageError {
      invocation.usage("\(option.title): \(sentence)")
    }
    var parameters: [Parameter: String] = [:]
    for (name, value) in words.parameters {
      guard let parameter = Parameter(rawValue: name) else {
        throw fault(
          "\"\(name)\" is no parameter of the address"
            + NearestName.hint(for: name, among: Parameter.allCases.map(\.rawValue)))
      }
      guard !value.isEmpty else { throw fault("\(name)= has no value.") }
      parameters[parameter] = value
    }
    servers = try words.hosts.map { host in
      do throws(EngagementError) {
        return try Self.server(host, isSecure: isSecure)
      } catch {
        throw fault("\"\(host)\": \(error.message)")
      }
    }
    let timeout = parameters[.timeout] ?? "120"
    guard let seconds = Int(timeout), (1...86_400).contains(seconds) else {
      throw fault("timeout= takes whole seconds from 1 to 86400, and not \"\(timeout)\".")
    }
    if servers.count > 1, parameters[.cluster] == nil {
      throw fault("several servers are those of a cluster; name it with ?cluster=NAME.")
    }
    self.timeout = .seconds(seconds)
    table = ClickHouseTable(
      parameters[.table] ?? "events", in: words.database ?? "default", over: parameters[.cluster])
    user = words.user
    password = try words.password ?? Self.password(parameters[.passwordFile], invocation)
    authorities = parameters[.authorities].map { invocation.context.path($0) }
    // Redirects, proxies and other servers of the cluster lead to the same rows.
    name =
      "\(words.scheme)://\(servers[0].host):\(servers[0].port)/\(words.database ?? "default")"
      + "?table=\(table.name)" + (table.cluster.map { "&cluster=\($0)" } ?? "")
  }

  private static func server(_ host: String, isSecure: Bool) throws(EngagementError) -> HTTPURL {
    let url = try HTTPURL((isSecure ? "https://" : "http://") + host)
    guard url.path == "/", url.query == nil else {
      throw EngagementError(.invalidArgument, "It is no host.")
    }
    guard isSecure || url.host.isLoopbackLiteral else {
      throw EngagementError(
        .invalidArgument,
        "Without TLS only an address of this machine can be reached, such as 127.0.0.1; "
          + "take clickhouses:// with the server's https_port.")
    }
    let end = host.utf8.last { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "]") }
    guard end != UInt8(ascii: ":") else { return url }
    return try HTTPURL("\(url.scheme.rawValue)://\(url.host):\(isSecure ? 8_443 : 8_123)")
  }

  /// From the file, or else from the environment: an argument is seen by all users of a machine.
  private static func password(_ file: String?, _ invocation: Invocation) throws -> Secret? {
    let context = invocation.context
    guard let file else {
      return context.environment(variable).flatMap { $0.isEmpty ? nil : Secret($0) }
    }
    let reader = SecretReader(environment: context.environment, folder: context.directory)
    return try reader.value(
      inFile: ConfigurationField(value: .string(file), path: "password-file="))
  }
}

/// The parts of an address, decoded.
private struct Words {
  let scheme: String
  let user: String?
  let password: Secret?
  let hosts: [String]
  let database: String?
  let parameters: [(String, String)]

  init?(_ text: String) {
    guard let scheme = text.firstRange(of: "://") else { return nil }
    self.scheme = String(text[..<scheme.lowerBound])
    let (place, query) = Self.halves(String(text[scheme.upperBound...]), "?")
    let (authority, path) = Self.halves(place, "/")
    // An at sign anywhere else is one of a password that was not encoded, which no message may quote.
    let most = authority.contains("@") ? 1 : 0
    guard text.utf8.count(where: { $0 == UInt8(ascii: "@") }) <= most else { return nil }
    let (login, others) = authority.contains("@") ? Self.halves(authority, "@") : ("", authority)
    let (user, password) = Self.halves(login, ":")
    guard let user = Self.decoded(user), let hosts = others, !hosts.isEmpty,
      let database = Self.decoded(path ?? "")
    else { return nil }
    self.hosts = hosts.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    self.user = user.isEmpty ? nil : user
    self.database = database.isEmpty ? nil : database
    guard let secret = Self.decoded(password ?? "") else { return nil }
    self.password = password == nil ? nil : Secret(secret)
    var parameters: [(String, String)] = []
    for item in (query ?? "").split(separator: "&") {
      let (name, value) = Self.halves(String(item), "=")
      guard let value = Self.decoded(value ?? "") else { return nil }
      parameters.append((name, value))
    }
    self.parameters = parameters
  }

  private static func halves(_ text: String, _ separator: Unicode.Scalar) -> (String, String?) {
    let scalars = text.unicodeScalars
    guard let place = scalars.firstIndex(of: separator) else { return (text, nil) }
    return (String(scalars[..<place]), String(scalars[scalars.index(after: place)...]))
  }

  /// Nil for a percent sign without two digits, and for what is no UTF-8.
  private static func decoded(_ text: String) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let value = Hex.bytes(from: String(decoding: rest.prefix(2), as: UTF8.self)),
        value.count == 1
      else { return nil }
      bytes += value
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
