import EngagementCurl
import EngagementHTTP
import EngagementModel
import TestServers
import Testing

/// A transport for tests. It uses no proxy and keeps its connections even if a busy machine takes
/// minutes between two requests.
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

/// The error of a request. The test fails if the request succeeds.
func failure(
  of request: HTTPRequest, by transport: CurlTransport,
  at location: SourceLocation = #_sourceLocation
) async throws -> EngagementError {
  do {
    let response = try await transport.send(request)
    throw TestFailure("the request succeeded: \(response)")
  } catch let error as EngagementError {
    return error
  }
}
