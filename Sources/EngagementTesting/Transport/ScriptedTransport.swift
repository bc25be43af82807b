public import EngagementHTTP
public import EngagementModel

/// A transport that answers from a script and records its requests.
public final class ScriptedTransport: HTTPTransport {
  /// Answers one request; throws for a dead transport.
  public typealias Script =
    @Sendable (HTTPRequest) async throws(EngagementError) -> HTTPResponse

  private let script: Script
  private let log = Locked<[HTTPRequest]>([])

  public init(_ script: @escaping Script) { self.script = script }

  /// Answers by `METHOD path` with each list in order, then always with its last answer. A request
  /// that is not in the table gets 404.
  public convenience init(_ table: [String: [HTTPResponse]]) {
    let left = Locked(table)
    self.init { request in
      let line = request.line
      return left.withLock { table in
        guard let answers = table[line], let answer = answers.first else {
          return HTTPResponse(404)
        }
        if answers.count > 1 { table[line] = Array(answers.dropFirst()) }
        return answer
      }
    }
  }

  /// All requests, in order.
  public var requests: [HTTPRequest] { log.withLock { $0 } }

  /// `METHOD path` of all requests, in order.
  public var lines: [String] { requests.map(\.line) }

  /// Forgets the requests so far.
  public func forget() { log.withLock { $0 = [] } }

  public func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    log.withLock { $0.append(request) }
    return try await script(request)
  }
}

extension HTTPRequest {
  /// The method and the path without its query, as scripts and logs name a request.
  public var line: String {
    "\(method) \((try? target())?.path ?? url)"
  }

  /// The body as text.
  public var text: String { String(decoding: body ?? [], as: UTF8.self) }
}

extension HTTPResponse {
  /// A response with a JSON body.
  public static func json(
    _ status: Int = 200, _ body: String, headers: [(String, String)] = []
  ) -> HTTPResponse {
    var fields = HTTPHeaders()
    for (name, value) in [("Content-Type", "application/json")] + headers {
      try? fields.append(name, value)
    }
    return HTTPResponse(status, headers: fields, body: Array(body.utf8))
  }
}
