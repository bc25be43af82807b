import EngagementCurl
import EngagementEmulator
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementVendors
import Foundation
import Testing

/// Makes calls by hand at an emulated server, without any adapter.
struct Hand {
  let emulator: Emulator
  let now = Int64(Date().timeIntervalSince1970)
  private let origin: String
  private let transport = CurlTransport()

  struct HandAnswer {
    var status: Int
    var headers: HTTPHeaders
    var json: JSON
  }

  init(_ registration: VendorRegistration) async throws {
    emulator = try await Emulator.start(.init([registration]))
    origin = emulator.endpoint(of: registration.name)
  }

  /// Makes the call, which must be as its row says.
  func make(
    _ call: ClientCall, at path: String, _ body: JSON?, _ headers: [String: String]
  ) async throws -> HandAnswer {
    let request = try request(call, path, body, headers)
    #expect(call.matches(request), "\(call.name)")
    #expect(call.differences(request) == [])
    return try await send(request)
  }

  /// Makes the call, however it is.
  func send(
    _ call: ClientCall, at path: String, _ body: JSON?, _ headers: [String: String]
  ) async throws -> HandAnswer {
    try await send(try request(call, path, body, headers))
  }

  private func request(
    _ call: ClientCall, _ path: String, _ body: JSON?, _ headers: [String: String]
  ) throws -> HTTPRequest {
    var request = HTTPRequest(HTTPMethod(call.method), origin + path, body: body?.encoded())
    for (name, value) in headers { try request.headers.append(name, value) }
    return request
  }

  private func send(_ request: HTTPRequest) async throws -> HandAnswer {
    let answer = try await transport.send(request)
    return HandAnswer(
      status: answer.status, headers: answer.headers,
      json: (try? JSON(parsing: answer.body)) ?? .null)
  }
}
