public import EngagementModel

/// Which requests may be sent, by host and kind, and which keys a host must have.
///
/// A transport asks the policy about every URL, also of a redirect, before it resolves a name or
/// sends a byte. Three rules always hold. A URL without a host is denied. Plain text is allowed
/// only to a loopback address. Pins on plain text or on a web socket deny the request, because the
/// transport can't check them.
public struct RequestPolicy: Hashable, Sendable {
  /// The decision of a rule.
  public enum Disposition: Hashable, Sendable {
    case allow
    case deny
    case allowWithPins(PinSet)
  }

  /// The kind of connection, by the scheme of a URL.
  public enum Kind: Hashable, Sendable {
    case http
    case socket
  }

  /// One line of the policy.
  public struct Rule: Hashable, Sendable {
    public var host: HostPattern
    /// The kind of connection that the rule applies to; nil for both.
    public var kind: Kind?
    public var disposition: Disposition

    public init(_ host: HostPattern, _ disposition: Disposition, kind: Kind? = nil) {
      self.host = host
      self.kind = kind
      self.disposition = disposition
    }
  }

  /// The rules. The first matching rule decides.
  public var rules: [Rule]
  /// The decision if no rule matches.
  public var otherwise: Disposition

  public init(_ rules: [Rule] = [], otherwise: Disposition = .allow) {
    self.rules = rules
    self.otherwise = otherwise
  }

  /// The decision on an unchecked URL from an adapter or an answer.
  public func decision(on url: String) -> RequestDecision {
    do { return decision(on: try HTTPURL.parsed(url)) } catch {
      return .denied(error == .noHost ? .noHost : .invalidURL)
    }
  }

  /// The decision on a URL.
  public func decision(on url: HTTPURL) -> RequestDecision {
    guard url.origin.isConfidential else { return .denied(.plainText) }
    switch disposition(for: url) {
    case .allow: return .allowed(pins: nil)
    case .deny: return .denied(.rule)
    case .allowWithPins where url.scheme.isSocket: return .denied(.pinsOnSocket)
    case .allowWithPins where !url.scheme.isEncrypted: return .denied(.pinsWithoutTLS)
    case .allowWithPins(let pins): return .allowed(pins: pins)
    }
  }

  private func disposition(for url: HTTPURL) -> Disposition {
    let kind: Kind = url.scheme.isSocket ? .socket : .http
    let rule = rules.first { rule in
      rule.host.matches(url.host) && (rule.kind == nil || rule.kind == kind)
    }
    return rule?.disposition ?? otherwise
  }
}

/// The policy's decision on one URL.
public enum RequestDecision: Hashable, Sendable {
  /// The request may be sent. If there are pins, the server's chain must match them.
  case allowed(pins: PinSet?)
  case denied(Reason)

  /// Why a request is denied.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    case noHost, invalidURL, plainText, rule, pinsOnSocket, pinsWithoutTLS

    /// `permissionDenied`, with the reason as `underlying`.
    public var error: EngagementError {
      EngagementError(
        .permissionDenied, "The request policy denies it: \(explanation).", underlying: rawValue)
    }

    private var explanation: String {
      switch self {
      case .noHost: "the URL has no host"
      case .invalidURL: "the URL is not usable"
      case .plainText: "without TLS only a loopback address can be reached"
      case .rule: "a rule for the host forbids it"
      case .pinsOnSocket: "a web socket can't be pinned"
      case .pinsWithoutTLS: "pins need https"
      }
    }
  }

  /// The pins to check, or the denial as an error.
  public func get() throws(EngagementError) -> PinSet? {
    switch self {
    case .allowed(let pins): return pins
    case .denied(let reason): throw reason.error
    }
  }
}
