import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel

/// Turns calls into requests, with URLs, headers and the user's token.
struct AtomicRequests {
  private let configuration: AtomicConfiguration
  private let context: AdapterContext

  /// The version that requests report.
  static let version = "1.0.0"

  init(_ configuration: AtomicConfiguration, _ context: AdapterContext) {
    self.configuration = configuration
    self.context = context
  }

  /// Throws `unauthenticated` if the context has no valid token.
  func request(_ call: AtomicCall) throws(EngagementError) -> HTTPRequest {
    let token = try configuration.token(in: context)
    let url = try configuration.root(.https).appending(path: call.path, query: call.query)
    var headers = HTTPHeaders()
    try headers.append("Authorization", Secret("Bearer \(token.revealed)"))
    try headers.append("Content-Type", call.contentType)
    for (name, value) in description { try headers.append(name, value) }
    try headers.append("x-atomic-sdk-api-key", configuration.apiKey)
    if let key = call.tag, let tag = context.values[.user, key] {
      try headers.append("If-None-Match", tag)
    }
    return HTTPRequest(call.method, url.text, headers: headers, body: call.body)
  }

  /// The request that opens the socket. It does not contain the token, which follows in a message.
  func socket() throws(EngagementError) -> HTTPRequest {
    let key = (name: "api-key", value: configuration.apiKey.revealed)
    let url = try configuration.root(.socket).appending(query: description + [key])
    return HTTPRequest(.get, url.text)
  }

  /// The description of the application and the device.
  private var description: [(name: String, value: String)] {
    let device = context.device
    let parts = [device.make, device.model, device.system, device.systemVersion]
    return [
      ("x-atomic-sdk-platform", "Web"),
      ("x-atomic-sdk-version", Self.version),
      ("x-atomic-sdk-timezone", device.timeZone),
      ("x-atomic-sdk-device", parts.compactMap(\.self).joined(separator: " ")),
      ("x-atomic-sdk-instance-id", configuration.instanceID),
      // Atomic's limit.
      ("x-atomic-sdk-client-app-version", String((device.appVersion ?? "unknown").prefix(128))),
    ]
  }
}
