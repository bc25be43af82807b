import BrazeFixtures
import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementTesting

/// The vendor's answers and the adapter.
enum Braze: BrazeFixtures {}

extension AppScene {
  /// An application with Braze, whose user is present and allows everything. The vendor has been
  /// asked nothing yet.
  static func braze(
    behind variant: KitVariant = .complete, user: User = "u-1", signs: Bool = false,
    loggers: [any EngagementLogger] = [], _ transport: ScriptedTransport,
    credentials: @escaping Engagement.CredentialSource = { _ in nil }
  ) async throws -> AppScene {
    let scene = try await AppScene(
      "braze", try Braze.adapter(signs: signs), behind: variant, loggers: loggers, transport)
    if !user.isAnonymous {
      try await scene.engagement.signIn(user, credentials: credentials)
    }
    try await scene.engagement.setConsent(.full)
    return scene
  }

  /// An application whose settings enable cards, and whose vendor then answers syncs one after
  /// another.
  static func braze(
    behind variant: KitVariant = .complete, user: User = "u-1",
    loggers: [any EngagementLogger] = [], syncs: [String], data: [HTTPResponse] = []
  ) async throws -> AppScene {
    let scene = try await braze(
      behind: variant, user: user, loggers: loggers,
      ScriptedTransport([
        Braze.dataLine: [.json(200, Braze.config(100))] + data,
        Braze.syncLine: syncs.map { .json(201, $0) },
      ]))
    _ = await scene.execute(.settings)
    scene.transport.forget()
    return scene
  }

  func sync(isUserRequested: Bool = false) async -> OperationRunner.Outcome {
    await engagement.execute(Braze.cards, with: provider, isUserRequested: isUserRequested)
  }

  /// The body of the n-th request; null where there is none.
  func body(_ index: Int) -> JSON {
    let requests = transport.requests
    guard requests.indices.contains(index), let body = requests[index].body else { return .null }
    return (try? JSON(parsing: body)) ?? .null
  }

  /// The signatures of all requests, in order.
  var signatures: [Secret?] {
    transport.requests.map { $0.headers.secret("X-Braze-Auth-Signature") }
  }

  /// The card, also a control card.
  func card(_ id: String) -> Card? { engagement.card(ItemID(provider, id)) }

  var settings: VendorSettings {
    get async throws { try await engagement.settings(of: provider) }
  }

  /// What the adapter keeps of the current user.
  func userValue(_ name: String) async throws -> String? {
    try await context.values[.user, name]
  }
}

/// A variant without one feature, with its name.
struct BrazeVariant: Sendable, CustomStringConvertible {
  let description: String
  let variant: KitVariant

  init(_ description: String, _ variant: KitVariant) {
    self.description = description
    self.variant = variant
  }

  /// A variant whose answers bring other changes.
  static func changes(
    _ description: String, _ change: @escaping @Sendable (Change) -> Change?
  ) -> BrazeVariant {
    BrazeVariant(
      description,
      .without { adapter in
        adapter.answer = { answer in
          Answer(answer.changes.compactMap(change), answer.verdict)
        }
      })
  }

  /// A variant whose items come in another way.
  static func mode(
    _ description: String, _ mode: @escaping @Sendable (ItemMode) -> ItemMode
  ) -> BrazeVariant {
    changes(description) { change in
      guard case .items(let feed, let before, let items) = change else { return change }
      return .items(feed, mode(before), items)
    }
  }

  /// A variant with other steps.
  static func steps(
    _ description: String, _ step: @escaping @Sendable (Step) -> Step
  ) -> BrazeVariant {
    BrazeVariant(description, .without { $0.step = step })
  }
}
