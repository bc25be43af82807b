public import EngagementModel

/// An absolute `http`, `https`, `ws` or `wss` URL that every part of a transport reads alike.
///
/// It is parsed strictly, by bytes, since what two parsers read differently is how a check on one
/// host ends in a request to another: scheme and host in any case, a host always, a port from 1
/// to 65535 or the default, no user information, and no white space, control byte or backslash
/// anywhere. Path and query are kept as they are, but for bytes beyond ASCII, which are
/// percent-encoded; a fragment, which is never sent, is dropped.
public struct HTTPURL: Hashable, Sendable {
  public let origin: Origin
  /// Begins with a slash.
  public let path: String
  /// What follows the question mark, or nil where there is none.
  public let query: String?

  /// Throws `invalidArgument`, with the broken rule as `underlying`.
  public init(_ text: String) throws(EngagementError) {
    do { self = try HTTPURL.parsed(text) } catch { throw error.error }
  }

  init(origin: Origin, path: String, query: String?) {
    self.origin = origin
    self.path = path
    self.query = query
  }

  public var scheme: Origin.Scheme { origin.scheme }
  public var host: HTTPHost { origin.host }
  public var port: Int { origin.port }

  /// The whole URL.
  public var text: String { "\(origin)\(target)" }

  /// Path and query, as a request line has them.
  public var target: String { query.map { "\(path)?\($0)" } ?? path }
}

extension HTTPURL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The URL without its query, in which keys and names of users travel.
  public var description: String { "\(origin)\(path)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
