public import EngagementAdapterAPI
public import EngagementHTTP
public import EngagementModel
public import EngagementVendors

/// A vendor's server in this process. It answers requests without a network, uses the test's clock
/// and records its effects.
public actor InProcessServer {
  private var server: any VendorServer
  private let clock: TestClock
  private let credentialHeaders: Set<String>

  /// All effects at the vendor, in order.
  public private(set) var effects: [VendorEffect] = []

  /// - Parameter credentialHeaders: Headers that must be sent as a `Secret`, besides the common
  ///   ones. The server ignores such a header in plain text.
  public init(
    _ server: any VendorServer, clock: TestClock, credentialHeaders: [String] = []
  ) {
    self.server = server
    self.clock = clock
    self.credentialHeaders = Set(
      (VendorRegistration.commonCredentialHeaders + credentialHeaders).map { $0.lowercased() })
  }

  /// Answers as the vendor does.
  public func answer(_ request: HTTPRequest) -> HTTPResponse {
    let answer = server.answer(vendorRequest(request), at: clock.now)
    effects += answer.effects
    var headers = HTTPHeaders()
    for (name, value) in answer.reply.headers { try? headers.append(name, value) }
    return HTTPResponse(answer.reply.status, headers: headers, body: answer.reply.body)
  }

  /// The user of a request; nil while the vendor knows none.
  public func user(of request: HTTPRequest) -> User? { server.user(of: vendorRequest(request)) }

  /// The number of registered devices.
  public var registrations: Int { server.registrations }

  /// Adds items in the vendor's own bytes for one user.
  public func put(_ items: [[UInt8]], in feed: Feed, for user: User) {
    server.put(items, in: feed, for: user, at: clock.now)
  }

  /// Removes all items that one user has in a feed.
  public func clear(_ feed: Feed, of user: User) { server.clear(feed, of: user, at: clock.now) }

  /// Expires every credential and token used so far.
  public func expireCredentials() { server.expireCredentials(at: clock.now) }

  /// Changes how the vendor behaves.
  public func configure(_ settings: JSON) throws(EngagementError) {
    try server.configure(settings, at: clock.now)
  }

  // MARK: Requests

  private func vendorRequest(_ request: HTTPRequest) -> VendorRequest {
    let headers = request.headers.fields.compactMap { field -> (name: String, value: String)? in
      let name = field.name.lowercased()
      if let secret = field.value.secret { return (name, secret.revealed) }
      guard let text = field.value.text, !credentialHeaders.contains(name) else { return nil }
      return (name, text)
    }
    return VendorRequest(
      method: request.method.rawValue, target: Self.target(of: request.url), headers: headers,
      body: request.body ?? [])
  }

  /// Path and query of an absolute URL.
  private static func target(of url: String) -> String {
    let slash = UInt8(ascii: "/")
    let parts = url.utf8.split(separator: slash, maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 4 else { return "/" }
    return "/" + String(Substring(parts[3]))
  }
}
