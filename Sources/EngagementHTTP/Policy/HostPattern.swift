public import EngagementModel

/// One host, or with `*.` before it all hosts below one: `*.example.com` matches
/// `eu.example.com` and `a.b.example.com`, but not `example.com`.
///
/// The name after `*.` has at least two labels, so no pattern opens a whole top-level domain, and
/// an address is matched by itself alone. Upper case is lowered.
public struct HostPattern: Hashable, Sendable {
  private enum Form: Hashable {
    case exact(HTTPHost)
    /// The suffix with its leading dot.
    case below(String)
    case nothing
  }

  private let form: Form

  /// Throws `invalidConfiguration` where the text is no pattern.
  public init(validating text: String) throws(EngagementError) {
    guard let form = Self.form(of: text) else {
      throw EngagementError(
        .invalidConfiguration, "A host pattern is a host, or *. and a name of two labels or more.")
    }
    self.form = form
  }

  /// Whether the pattern means this host.
  public func matches(_ host: HTTPHost) -> Bool {
    switch form {
    case .exact(let own): own == host
    case .below(let suffix): !host.isAddress && host.text.hasSuffix(suffix)
    case .nothing: false
    }
  }

  private static func form(of text: String) -> Form? {
    let below = text.hasPrefix("*.")
    guard let host = try? HTTPHost(below ? String(text.dropFirst(2)) : text) else { return nil }
    guard below else { return .exact(host) }
    return host.isAddress || !host.text.contains(".") ? nil : .below(".\(host.text)")
  }
}

extension HostPattern: ExpressibleByStringLiteral {
  /// A pattern from source code. One that is no pattern matches no host.
  public init(stringLiteral text: String) { form = Self.form(of: text) ?? .nothing }
}

extension HostPattern: CustomStringConvertible {
  public var description: String {
    switch form {
    case .exact(let host): host.text
    case .below(let suffix): "*\(suffix)"
    case .nothing: "(no host)"
    }
  }
}
