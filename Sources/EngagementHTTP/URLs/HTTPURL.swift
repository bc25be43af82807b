public import EngagementModel

/// An absolute `http`, `https`, `ws` or `wss` URL that every part of a transport reads in the same
/// way.
///
/// The parser is strict and works on bytes. If two parsers read a URL differently, a check on one
/// host can lead to a request to another. Scheme and host may be in any case; a host is required; a
/// port is from 1 to 65535; user information, white space, control bytes and backslashes are
/// refused. Path and query are kept unchanged, except that bytes beyond ASCII are percent-encoded.
/// A fragment is dropped, because it is never sent.
public struct HTTPURL: Hashable, Sendable {
  public let origin: Origin
  /// The path, with a leading slash.
  public let path: String
  /// The query after the question mark; nil if there is none.
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

  /// Path and query, as in a request line.
  public var target: String { query.map { "\(path)?\($0)" } ?? path }
}

extension HTTPURL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The URL without its query, because queries contain keys and names of users.
  public var description: String { "\(origin)\(path)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
