import EngagementAdapterAPI
import EngagementBrazeTools
import EngagementJSON
import EngagementModel
import EngagementPlatform
import EngagementTesting
import EngagementVendors

/// Braze's server with SDK authentication required. It also refuses requests that a Braze client
/// never sends: with an API key outside the header, or with an unknown event name.
struct StrictBrazeServer: VendorServer {
  static let paths: [String] = []

  private var server: any VendorServer

  init(seed: UInt64?, at now: Date) {
    server =
      VendorRegistration.braze.server?.init(seed: seed, at: now) ?? MemoryServer(seed: nil, at: now)
    // The laws run an adapter without the kit, which begins sessions.
    try? server.configure(["authentication": "required", "requiresSession": false], at: now)
  }

  mutating func answer(_ request: VendorRequest, at now: Date) -> VendorAnswer {
    let body = try? JSON(parsing: request.body)
    guard let key = body?["api_key"]?.string, request.header("X-Braze-Api-Key") == key else {
      return VendorAnswer(reply: VendorReply(json: ["error": "invalid_api_key"]))
    }
    let events = body?["events"]?.array ?? []
    guard events.allSatisfy({ Self.eventNames.contains($0["name"]?.string ?? "") }) else {
      return VendorAnswer(reply: VendorReply(400))
    }
    return server.answer(request, at: now)
  }

  private static let eventNames: Set<String> = [
    "ss", "se", "ce", "p", "cci", "ccic", "ccc", "ccd", "si", "sc", "sbc", "iec", "ffi", "uae",
    "sgu", "lr", "lcaa", "lcar", "inc", "add", "rem", "set", "ncam", "pc", "i", "ie",
  ]

  func user(of request: VendorRequest) -> User? { server.user(of: request) }

  mutating func put(_ items: [[UInt8]], in feed: Feed, for user: User, at now: Date) {
    server.put(items, in: feed, for: user, at: now)
  }

  mutating func clear(_ feed: Feed, of user: User, at now: Date) {
    server.clear(feed, of: user, at: now)
  }

  mutating func expireCredentials(at now: Date) { server.expireCredentials(at: now) }
}
