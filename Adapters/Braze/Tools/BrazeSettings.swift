import EngagementModel

/// How Braze behaves towards its clients: what a dashboard sets, and what a test wants to try.
struct BrazeSettings: Sendable {
  enum Authentication: String, CaseIterable, Sendable { case off, optional, required }

  struct SyncLimit: Sendable {
    var capacity: Int
    var refillSeconds: Double
  }

  /// When they changed last: the time of the configuration that clients compare.
  var changedAt: Int64
  var cardsEnabled = true
  var authentication = Authentication.off
  /// Whether every token is refused, as after the key was taken away.
  var refusesTokens = false
  /// How many seconds a client is to leave between two refreshes.
  var refreshRateLimit: Int64 = 0
  /// The bucket that a client keeps for itself.
  var rateLimit = (isEnabled: false, capacity: Int64(5), refillRate: Int64(90))
  /// The bucket of all requests that a client keeps for itself, and those of single endpoints by the
  /// ends of their paths.
  var requestLimit = (capacity: Int64(1_000), refillRate: 0.01)
  var endpointLimits: [String: (capacity: Int64, refillRate: Double)] = [:]
  /// How a client waits after failures; nil for its own way.
  var requestBackoff: (shortest: Int64, longest: Int64, factor: Double)?
  /// The seconds that a client is to wait after a data request before the next; nil for none.
  var dataPause: Int64?
  /// The bucket that the server keeps for each device; nil for none.
  var syncLimit: SyncLimit?
  /// Whether cards are listed only within a session, and events without one have no effect.
  var requiresSession = true
  /// Seconds until a client asks for in-app messages again; not about sessions of use.
  var messagingSessionTimeout: Int64 = 1_800
  /// The least seconds without use that end a session; nil for none.
  var minimumSessionTimeout: Int64?
  var blockedAPIKeys: Set<String> = []
  var eventsBlacklist: [String] = []
  var attributesBlacklist: [String] = []
  var purchasesBlacklist: [String] = []

  init(changedAt: Int64) { self.changedAt = changedAt }

  /// The error that a request gets before anyone looks at what it wants.
  func refusal(of request: BrazeRequest) -> String? {
    if request.apiKey.isEmpty { return "invalid_api_key" }
    if blockedAPIKeys.contains(request.apiKey) { return "blacklisted" }
    return request.device.isEmpty ? "no_device_identifier" : nil
  }

  private var limits: JSON {
    var limits: JSONObject = [
      "enabled": true, "capacity": .integer(requestLimit.capacity),
      "refill_rate": .number(requestLimit.refillRate),
    ]
    var single = JSONObject()
    for (path, limit) in endpointLimits.sorted(by: { $0.key < $1.key }) {
      single[path] = [
        "capacity": .integer(limit.capacity), "refill_rate": .number(limit.refillRate),
      ]
    }
    if !single.isEmpty { limits["endpoint_overrides"] = .object(single) }
    return .object(limits)
  }

  /// The configuration as a client gets it.
  var config: JSON {
    func list(_ names: [String]) -> JSON { .array(names.map(JSON.string)) }
    var config: JSONObject = [
      "time": .integer(changedAt), "events_blacklist": list(eventsBlacklist),
      "attributes_blacklist": list(attributesBlacklist),
      "purchases_blacklist": list(purchasesBlacklist),
      "messaging_session_timeout": .integer(messagingSessionTimeout),
      "feature_flags": ["enabled": false, "refresh_rate_limit": 0],
      "content_cards": [
        "enabled": .bool(cardsEnabled), "refresh_rate_limit": .integer(refreshRateLimit),
        "rate_limit": [
          "enabled": .bool(rateLimit.isEnabled), "capacity": .integer(rateLimit.capacity),
          "refill_rate": .integer(rateLimit.refillRate),
        ],
      ],
      "global_request_rate_limit": limits,
    ]
    config["request_backoff"] = requestBackoff.map {
      [
        "min_sleep_duration_ms": .integer($0.shortest),
        "max_sleep_duration_ms": .integer($0.longest), "scale_factor": .number($0.factor),
      ]
    }
    config["minimum_session_timeout"] = minimumSessionTimeout.map(JSON.integer)
    return .object(config)
  }
}
