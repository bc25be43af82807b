import EngagementAdapterAPI
import EngagementFormats
import EngagementHTTP
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementTesting
import FoundationEssentials
import OutlineAdapters

/// Atomic as the tests know it: its words in small values, tokens, answers.
enum AtomicFixtures {
  static let container: ContainerID = "BqWL1sT"
  static let feed = Feed(.cards, in: container)
  static let cards = EngagementAdapterAPI.Operation.cards(in: container, matching: [])
  static let feedLine = "GET /env-1/feed/BqWL1sT"

  static func adapter(
    margin: Duration = .seconds(60), userClaim: String? = nil, poll: Duration = .seconds(15),
    unregisters: Bool = false
  ) throws -> AtomicOutline {
    AtomicOutline(
      try AtomicConfiguration(
        endpoint: "https://999-1.client-api.atomic.io", environmentID: "env-1",
        apiKey: Secret("key-1"),
        instanceID: "7d0a1b66-0000-4000-8000-000000000001", expiryMargin: margin,
        userClaim: userClaim, pollInterval: poll, unregistersPushOnSignOut: unregisters))
  }

  // MARK: Tokens

  /// A token with these claims. Its signature is not checked here.
  static func token(claims: JSONObject, signature: String = "c2ln") -> Secret {
    let header = Base64URL.text(of: Array(#"{"alg":"RS512","typ":"JWT"}"#.utf8))
    let payload = Base64URL.text(of: JSON.object(claims).encoded())
    return Secret("\(header).\(payload).\(signature)")
  }

  /// A token of the user that ends so long after the tests' first moment.
  static func token(
    _ user: String = "u-1", ending end: Duration = .seconds(3600), claim: String = "sub"
  ) -> Secret {
    let start = Int64(TestClock().now.timeIntervalSince1970)
    return token(claims: [claim: .string(user), "exp": .integer(start + end.components.seconds)])
  }

  // MARK: Answers

  /// A card, by what orders it and what it says.
  static func card(
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

  static func feedBody(_ cards: [String], total: Int? = nil) -> String {
    let count = total ?? cards.count
    return
      #"{"cardInstances":[\#(cards.joined(separator: ","))],"metadata":{"totalCards":\#(count)}}"#
  }

  static func feed(_ cards: [String], tag: String? = nil) -> HTTPResponse {
    .json(200, feedBody(cards), headers: tag.map { [("ETag", $0)] } ?? [])
  }

  static let ok = HTTPResponse.json(200, #"{"ok":true}"#)

  static let metricsBody = """
    {"aggregates":{"cards":{"total":{"active":3,"unseenCardInstanceIds":["c1","c2"]},"byContainer":[\
    {"containerId":"BqWL1sT","active":2,"unseenCardInstanceIds":["c1"]},\
    {"containerId":77,"active":1,"unseenCardInstanceIds":["c2"]}]}}}
    """
}

/// An application that is asked for tokens: what it gives, and how often it was asked for whom.
actor AtomicApplication {
  private(set) var asked: [User] = []
  private var answers: [Result<Secret?, EngagementError>]

  /// Gives each answer in turn and the last for ever.
  init(_ answers: Result<Secret?, EngagementError>...) { self.answers = answers }

  func token(for user: User) throws(EngagementError) -> Secret? {
    asked.append(user)
    let answer = answers.count > 1 ? answers.removeFirst() : answers[0]
    return try answer.get()
  }

  func answer(_ answer: Result<Secret?, EngagementError>) { answers = [answer] }
}

extension AppScene {
  /// An application with Atomic whose user `u-1` is signed in and has agreed to everything. Atomic
  /// agrees to everything unless the script says otherwise.
  ///
  /// - Parameter answer: Runs before each answer of the application.
  static func atomic(
    _ application: AtomicApplication = AtomicApplication(.success(AtomicFixtures.token())),
    behind variant: KitVariant = .complete,
    _ script: @escaping ScriptedTransport.Script = { _ in AtomicFixtures.ok },
    before answer: @escaping @Sendable (AppScene) async throws -> Void = { _ in }
  ) async throws -> AppScene {
    let scene = try await AppScene(
      "atomic", try AtomicFixtures.adapter(), behind: variant, ScriptedTransport(script))
    try await scene.signIn("u-1") { _ in
      try await answer(scene)
      return try await application.token(for: "u-1")
    }
    return scene
  }

  /// Puts cards into the container without a request.
  func bringCards(_ ids: String...) async throws {
    let items = ids.enumerated().map {
      RawItem(index: $0, bytes: Array(AtomicFixtures.card($1).utf8)[...])
    }
    try await engagement.commit(
      [.items(AtomicFixtures.feed, .replace(.nothing), items)], from: provider)
  }

  /// The `Authorization` of every request.
  var bearers: [String?] { transport.requests.map(\.bearer) }

  /// How many actions and events were delivered so far.
  var delivered: Int64 {
    get async throws { try await engagement.checkCache().deliveryCounts[provider]?.delivered ?? 0 }
  }

  /// How many items were set aside.
  var quarantined: Int {
    get async throws {
      try await engagement.events().count { $0.kind == .itemQuarantined }
    }
  }
}

extension Secret {
  /// The `Authorization` with this token.
  var bearer: String { "Bearer \(revealed)" }
}

extension HTTPRequest {
  /// The token that the request carries.
  var bearer: String? { headers.secret("Authorization")?.revealed }
}

extension OperationRunner.Outcome {
  /// The code of what went wrong.
  var code: EngagementError.Code? { error?.code }

  var error: EngagementError? {
    switch self {
    case .retry(let error), .refused(let error), .cancelled(let error, _): error
    case .done, .partly, .wait: nil
    }
  }

  var isRetry: Bool { if case .retry = self { true } else { false } }
}

/// What a test did not expect.
struct AtomicSurprise: Error {
  let what: String
  init(_ what: String) { self.what = what }
}
