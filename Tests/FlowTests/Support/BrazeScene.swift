import BrazeFixtures
import EngagementAdapterAPI
import EngagementBraze
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementTesting
import FoundationEssentials

@testable import EngagementKit

/// The Braze adapter behind a variant, with a vendor that answers from a script.
struct BrazeScene: BrazeFixtures, Sendable {
  let transport: ScriptedTransport
  let clock = TestClock()
  let memory: MemoryHost
  let runners: OperationRunners

  init(
    _ variant: KitVariant, user: User = "u-1", signs: Bool = false, _ transport: ScriptedTransport,
    credentials: @escaping MemoryHost.CredentialSource = { _ in nil }
  ) throws {
    self.transport = transport
    memory = variant.memory(
      try Self.adapter(signs: signs), user: user, transport: transport, clock: clock,
      credentials: credentials)
    memory.setSession(Session("session-1", startedAt: clock.now))
    runners = variant.runners(in: memory)
  }

  /// A scene whose vendor enables cards and then answers syncs one after another.
  static func enabled(
    _ variant: KitVariant = .complete, user: User = "u-1", syncs: [String],
    data: [HTTPResponse] = []
  ) async throws -> BrazeScene {
    let scene = try BrazeScene(
      variant, user: user,
      ScriptedTransport([
        dataLine: [.json(200, config(100))] + data, syncLine: syncs.map { .json(201, $0) },
      ]))
    _ = await scene.runners.perform(.settings)
    scene.transport.forget()
    return scene
  }

  // MARK: What a test looks at

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

  /// The ids of the visible cards, in their order.
  var visible: [String] { memory.cards().map(\.id.value) }

  /// The card, also a control card.
  func card(_ id: String) -> Card? {
    memory.cards(includingControl: true).first { $0.id.value == id }
  }

  func sync() async -> OperationRunner.Outcome { await runners.perform(Self.cards) }
}

/// A variant without one feature, with its name.
struct BrazeDoor: Sendable, CustomStringConvertible {
  let description: String
  let variant: KitVariant

  init(_ description: String, _ variant: KitVariant) {
    self.description = description
    self.variant = variant
  }

  /// A variant at which answers bring other changes.
  static func changes(
    _ description: String, _ change: @escaping @Sendable (Change) -> Change?
  ) -> BrazeDoor {
    BrazeDoor(
      description,
      .without { adapter in
        adapter.answer = { answer in
          Answer(answer.changes.compactMap(change), answer.verdict)
        }
      })
  }

  /// A variant at which items come in another way.
  static func mode(
    _ description: String, _ mode: @escaping @Sendable (ItemMode) -> ItemMode
  ) -> BrazeDoor {
    changes(description) { change in
      guard case .items(let feed, let before, let items) = change else { return change }
      return .items(feed, mode(before), items)
    }
  }

  /// A variant with other steps.
  static func steps(
    _ description: String, _ step: @escaping @Sendable (Step) -> Step
  ) -> BrazeDoor {
    BrazeDoor(description, .without { $0.step = step })
  }
}

/// A host that lets a test change what an runner sees or commits.
struct BrazeChangedHost: OperationHost {
  let memory: MemoryHost
  var context: @Sendable (AdapterContext) -> AdapterContext = { $0 }
  var commit: @Sendable ([Change]) -> [Change] = { $0 }
  /// The attempt that the answer belongs to.
  var owner: @Sendable (Attempt) -> Attempt = { $0 }

  func context(
    for operation: Operation, _ attempt: Attempt, delivering rows: [Int64]
  ) async throws(EngagementError) -> AdapterContext {
    context(try await memory.context(for: operation, attempt, delivering: rows))
  }

  func commit(
    _ changes: [Change], of operation: Operation, _ attempt: Attempt,
    recording event: EngagementEvent?
  ) async throws(EngagementError) {
    try await memory.commit(commit(changes), of: operation, owner(attempt), recording: event)
  }

  func renewCredential(
    replacing refused: Secret?, for attempt: Attempt
  ) async throws(EngagementError) {
    try await memory.renewCredential(replacing: refused, for: attempt)
  }

  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    try await memory.send(request)
  }
}
