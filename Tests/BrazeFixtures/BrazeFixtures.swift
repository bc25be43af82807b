package import EngagementAdapterAPI
package import EngagementBraze
package import EngagementModel
import EngagementTesting
import FoundationEssentials

/// Shared fixtures of several test targets: the adapter, its context and the vendor's answers.
package protocol BrazeFixtures {}

extension BrazeFixtures {
  package static var dataLine: String { "POST /api/v3/data/" }
  package static var syncLine: String { "POST /api/v3/content_cards/sync" }
  package static var cards: EngagementAdapterAPI.Operation { .cards(in: nil, matching: []) }

  package static func adapter(signs: Bool = false) throws -> BrazeAdapter {
    BrazeAdapter(
      try BrazeConfiguration(
        endpoint: "https://sdk.example.com", apiKey: Secret("key-1"), signsRequests: signs))
  }

  /// A context with the test device, a session and a time with a fraction.
  package static func context(
    user: User = "u-1", values: [(Scope, String, String)] = [], credential: Secret? = nil,
    attempt: Int = 1, isUserRequested: Bool = false
  ) -> AdapterContext {
    let now = Date(timeIntervalSince1970: 1_790_845_200.25)
    var context = AdapterContext(
      user: user, device: .test, credential: credential,
      session: Session("session-1", startedAt: now), now: now, key: OperationKey(1, 2),
      attempt: attempt, isUserRequested: isUserRequested)
    for (scope, key, value) in values { context.values[scope, key] = value }
    return context
  }

  // MARK: Answers of the vendor

  /// Settings. `limit`, `members` and `besides` are further members as JSON text: of
  /// `content_cards`, of the settings and of the answer.
  package static func config(
    _ time: Int, enabled: Bool = true, limit: String = "", with members: String = "",
    besides: String = ""
  ) -> String {
    """
    {"message":"success","config":{"time":\(time),"messaging_session_timeout":1800,\
    "content_cards":{"enabled":\(enabled)\(limit)}\(members)}\(besides)}
    """
  }

  package static func sync(
    full: Bool, _ cards: [String], fullAt: Int = 1_000, updatedAt: Int = 100
  ) -> String {
    """
    {"message":"success","full_sync":\(full),"last_full_sync_at":\(fullAt),\
    "last_card_updated_at":\(updatedAt),"cards":[\(cards.joined(separator: ","))]}
    """
  }

  /// A dismissible card. `members` are further members as JSON text.
  package static func card(_ id: String, at time: Int = 100, _ members: String = "") -> String {
    """
    {"id":"\(id)","tp":"short_news","ca":\(time),"ea":-1,"tt":"\(id) title","ds":"\(id) text",\
    "db":true\(members)}
    """
  }
}
