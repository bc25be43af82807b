import EngagementCurl
import EngagementHTTP
import EngagementModel
import TestServers
import Testing

/// A transport for tests: it never looks for a proxy, and keeps its connections also where a busy
/// machine lets minutes pass between one request and the next.
func transport(
  trusting file: String? = nil, _ change: (inout CurlTransport.Configuration) -> Void = { _ in }
) -> CurlTransport {
  var configuration = CurlTransport.Configuration()
  configuration.proxy = .none
  configuration.idleTime = .seconds(86_400)
  configuration.certificateAuthorities = file
  change(&configuration)
  return CurlTransport(configuration)
}

/// The error of a request that must fail.
func failure(
  of request: HTTPRequest, by transport: CurlTransport,
  at location: SourceLocation = #_sourceLocation
) async throws -> EngagementError {
  do {
    let response = try await transport.send(request)
    throw TestFailure("it was answered: \(response)")
  } catch let error as EngagementError {
    return error
  }
}
