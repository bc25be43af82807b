package import EngagementAdapterAPI
package import EngagementAtomic
import EngagementFormats
package import EngagementHTTP
import EngagementJSON
package import EngagementModel
import EngagementTesting
import FoundationEssentials

/// What the tests of this vendor share: the adapter, tokens and answers.
package enum AtomicSamples {
  package static let container: ContainerID = "BqWL1sT"
  package static let feed = Feed(.cards, in: container)
  package static let cards = EngagementAdapterAPI.Operation.cards(in: container, matching: [])
  package static let feedLine = "GET /env-1/feed/BqWL1sT"

  package static func adapter(
    margin: Duration = .seconds(60), userClaim: String? = nil, poll: Duration = .seconds(15),
    unregisters: Bool = false
  ) throws -> AtomicAdapter {
    AtomicAdapter(
      try AtomicConfiguration(
        endpoint: "https://999-1.client-api.atomic.io", environmentID: "env-1",
        apiKey: Secret("key-1"),
        instanceID: "7d0a1b66-0000-4000-8000-000000000001", expiryMargin: margin,
        userClaim: userClaim, pollInterval: poll, unregistersPushOnSignOut: unregisters))
  }

  // MARK: Tokens

  /// A token with these claims. Its signature is not checked here.
  package static func token(claims: JSONObject, signature: String = "c2ln") -> Secret {
    let header = Base64URL.text(of: Array(#"{"alg":"RS512","typ":"JWT"}"#.utf8))
    let payload = Base64URL.text(of: JSON.object(claims).encoded())
    return Secret("\(header).\(payload).\(signature)")
  }

  /// A token of the user that ends so long after the tests' first moment.
  package static func token(
    _ user: String = "u-1", ending end: Duration = .seconds(3600), claim: String = "sub"
  ) -> Secret {
    let start = Int64(TestClock().now.timeIntervalSince1970)
    return token(claims: [claim: .string(user), "exp": .integer(start + end.components.seconds)])
  }

  // MARK: Answers

  /// A card, by what orders it and what it says.
  package static func card(
    _ id: String, priority: Int = 5, active: String = "2026-10-01T08:00:00.000Z",
    received: String = "2026-10-01T07:00:00.000Z", headline: String = "Your bill is due"
  ) -> String {
    """
    {"instance":{"id":"\(id)","eventName":"bill-due","lifecycleId":"bill-2026-10","status":"active"},\
    "actions":{"dismiss":{"swipe":true,"overflow":true},"snooze":{"swipe":false,"overflow":true}},\
    "metadata":{"priority":\(priority),"receivedAt":"\(received)","lastCardActiveTime":"\(active)"},\
    "runtimeVariables":[],\
    "defaultView":{"nodes":[{"type":"headline","attributes":{"text":"\(headline)"}}]},"subviews":{}}
    """
  }

  package static func feedBody(_ cards: [String], total: Int? = nil) -> String {
    let count = total ?? cards.count
    return
      #"{"cardInstances":[\#(cards.joined(separator: ","))],"metadata":{"totalCards":\#(count)}}"#
  }

  package static func feed(_ cards: [String], tag: String? = nil) -> HTTPResponse {
    .json(200, feedBody(cards), headers: tag.map { [("ETag", $0)] } ?? [])
  }

  package static let ok = HTTPResponse.json(200, #"{"ok":true}"#)

  package static let metricsBody = """
    {"aggregates":{"cards":{"total":{"active":3,"unseenCardInstanceIds":["c1","c2"]},"byContainer":[\
    {"containerId":"BqWL1sT","active":2,"unseenCardInstanceIds":["c1"]},\
    {"containerId":77,"active":1,"unseenCardInstanceIds":["c2"]}]}}}
    """
}

extension Secret {
  /// The `Authorization` with this token.
  package var bearer: String { "Bearer \(revealed)" }
}

extension HTTPRequest {
  /// The token that the request carries.
  package var bearer: String? { headers.secret("Authorization")?.revealed }
}

/// What a test did not expect.
package struct AtomicSurprise: Error {
  package let what: String
  package init(_ what: String) { self.what = what }
}
