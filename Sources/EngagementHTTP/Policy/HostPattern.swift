public import EngagementModel

/// A pattern for one host or, with a leading `*.`, for all hosts below one: `*.example.com` matches
/// `eu.example.com` and `a.b.example.com`, but not `example.com`.
///
/// The name after `*.` must have at least two labels, so no pattern matches a whole top-level
/// domain. An IP address matches only itself. Upper-case letters become lower case.
public struct HostPattern: Hashable, Sendable {
  private enum Form: Hashable {
    case exact(HTTPHost)
    /// The suffix with its leading dot.
    case below(String)
    case nothing
  }

  private let form: Form

  /// Throws `invalidConfiguration` if the text is not a pattern.
  public init(validating text: String) throws(EngagementError) {
    guard let form = Self.form(of: text) else {
      throw EngagementError(
        .invalidConfiguration, "A host pattern is a host, or *. and a name of two labels or more.")
    }
    self.form = form
  }

  /// Whether the pattern matches the host.
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
  /// Makes a pattern from a literal. An invalid pattern matches no host.
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
