public import EngagementModel

/// A request as an adapter makes it: a value that tests can compare without a network.
///
/// The URL is text until `target()` checks it. A description contains only the method, the origin
/// and the path.
public struct HTTPRequest: Sendable {
  public var method: HTTPMethod
  /// An absolute `http`, `https`, `ws` or `wss` URL.
  public var url: String
  public var headers: HTTPHeaders
  /// The body; nil for none. An empty array is sent as an empty body.
  public var body: [UInt8]?

  public init(
    _ method: HTTPMethod, _ url: String, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8]? = nil
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
  }

  /// The checked URL. Every transport calls this first.
  ///
  /// Throws `invalidArgument` if the URL does not parse, the method is not a token, or a header
  /// frames the message. Only the transport sets length, transfer coding and host: two different
  /// statements of a body's length allow request smuggling.
  public func target() throws(EngagementError) -> HTTPURL {
    guard method.rawValue.utf8.isToken else {
      throw EngagementError(.invalidArgument, "The request method is not a token.")
    }
    for name in Self.framing where headers.contains(name) {
      throw EngagementError(.invalidArgument, "The transport alone sets the header \(name).")
    }
    return try HTTPURL(url)
  }

  private static let framing = ["Host", "Content-Length", "Transfer-Encoding", "TE", "Trailer"]
}

extension HTTPRequest: Hashable {
  public static func == (left: HTTPRequest, right: HTTPRequest) -> Bool {
    left.method == right.method && left.url.hasSameBytes(as: right.url)
      && left.headers == right.headers && left.body == right.body
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(method)
    url.hashBytes(into: &hasher)
    hasher.combine(headers)
    hasher.combine(body)
  }
}

extension HTTPRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The method and the URL without its query, such as `GET https://example.com/cards`.
  public var description: String {
    let method = method.rawValue.utf8.isToken ? method.rawValue : "<invalid method>"
    guard let url = try? HTTPURL(url) else { return "\(method) <invalid URL>" }
    return "\(method) \(url)"
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
