import EngagementFormats
import EngagementModel

/// The parts of an address of ClickHouse, decoded.
struct ClickHouseAddressParts {
  let scheme: String
  let isSecure: Bool
  let user: String?
  let password: Secret?
  let hosts: [String]
  let database: String?
  private let items: [(name: String, value: String)]

  enum Parameter: String, CaseIterable {
    case cluster
    case table
    case timeout
    case authorities
    case passwordFile = "password-file"
  }

  /// What is wrong with an address, and the next step, without its password.
  struct Fault: Error {
    let sentence: String

    init(_ sentence: String) { self.sentence = sentence }
  }

  /// Nil for a text that is none, or whose password may not be told apart from the rest.
  init?(_ text: String) {
    guard let scheme = text.firstRange(of: "://") else { return nil }
    self.scheme = String(text[..<scheme.lowerBound])
    guard let isSecure = ["clickhouse": false, "clickhouses": true][self.scheme] else { return nil }
    self.isSecure = isSecure
    let (place, query) = Self.halves(String(text[scheme.upperBound...]), "?")
    let (authority, path) = Self.halves(place, "/")
    // An at sign anywhere else is one of a password that was not encoded, which no message may quote.
    let most = authority.contains("@") ? 1 : 0
    guard text.utf8.count(where: { $0 == UInt8(ascii: "@") }) <= most else { return nil }
    let (login, others) = authority.contains("@") ? Self.halves(authority, "@") : ("", authority)
    let (user, password) = Self.halves(login, ":")
    guard let user = Self.decoded(user), let hosts = others, !hosts.isEmpty,
      let database = Self.decoded(path ?? ""), let secret = Self.decoded(password ?? ""),
      let items = Self.items(query ?? "")
    else { return nil }
    self.hosts = hosts.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    self.user = user.isEmpty ? nil : user
    self.database = database.isEmpty ? nil : database
    self.password = password == nil ? nil : Secret(secret)
    self.items = items
  }

  /// The parameters by name. Throws for one that is unknown, empty or there twice, and for control
  /// characters anywhere: no server has such a name, and in a log they pass for something else.
  func parameters() throws(Fault) -> [Parameter: String] {
    try check(user, "the user")
    try check(database, "the database")
    guard password?.revealed.unicodeScalars.contains(where: Self.isControl) != true else {
      throw Fault("the password has a control character; take it out.")
    }
    var parameters: [Parameter: String] = [:]
    for (name, value) in items {
      guard let parameter = Parameter(rawValue: name) else {
        throw Fault(
          "\"\(name)\" is no parameter of the address"
            + NearestName.hint(for: name, among: Parameter.allCases.map(\.rawValue)))
      }
      guard !value.isEmpty else { throw Fault("\(name)= has no value.") }
      try check(value, "\(name)=")
      if let other = parameters.updateValue(value, forKey: parameter) {
        throw Fault("\(name)= is there twice, as \"\(other)\" and \"\(value)\"; leave one out.")
      }
    }
    return parameters
  }

  private func check(_ value: String?, _ title: String) throws(Fault) {
    guard let value, let control = value.unicodeScalars.first(where: Self.isControl) else { return }
    let shown = value.unicodeScalars.map { Self.isControl($0) ? Self.encoded($0) : String($0) }
    throw Fault(
      "\(title) \"\(shown.joined())\" has a control character; take \(Self.encoded(control)) out.")
  }

  // MARK: Texts

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control
  }

  private static func encoded(_ scalar: Unicode.Scalar) -> String {
    String(scalar).utf8.map { "%" + Hex.text(of: [$0], uppercase: true) }.joined()
  }

  private static func items(_ query: String) -> [(name: String, value: String)]? {
    var items: [(name: String, value: String)] = []
    for item in query.split(separator: "&") {
      let (name, value) = halves(String(item), "=")
      guard let value = decoded(value ?? "") else { return nil }
      items.append((name, value))
    }
    return items
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
