import AtomicFixtures
import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementTesting

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
    _ application: AtomicApplication = AtomicApplication(.success(AtomicSamples.token())),
    behind variant: KitVariant = .complete,
    _ script: @escaping ScriptedTransport.Script = { _ in AtomicSamples.ok },
    before answer: @escaping @Sendable (AppScene) async throws -> Void = { _ in }
  ) async throws -> AppScene {
    let scene = try await AppScene(
      "atomic", try AtomicSamples.adapter(), behind: variant, ScriptedTransport(script))
    try await scene.signIn("u-1") { _ in
      try await answer(scene)
      return try await application.token(for: "u-1")
    }
    return scene
  }

  /// Puts cards into the container without a request.
  func bringCards(_ ids: String...) async throws {
    let items = ids.enumerated().map {
      RawItem(index: $0, bytes: Array(AtomicSamples.card($1).utf8)[...])
    }
    try await engagement.commit(
      [.items(AtomicSamples.feed, .replace(.nothing), items)], from: provider)
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
