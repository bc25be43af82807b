import BrazeFixtures
import EngagementAdapterAPI
import EngagementBraze
import EngagementHTTP
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementTesting

/// An application with Braze alone and a signed-in user, whose vendor answers from a script.
struct BrazeScene: BrazeFixtures, Sendable {
  let engagement: Engagement
  let transport: ScriptedTransport
  let clock = TestClock()

  init(_ transport: ScriptedTransport) async throws {
    self.transport = transport
    engagement = try await Engagement.open(
      cache: .temporary, device: .test, transport: transport,
      providers: ["braze": try Self.adapter()],
      routes: Engagement.Routes(cards: .only("braze"), inbox: .none),
      options: Engagement.Options(secrets: MemorySecretStore(), clock: clock))
    try await engagement.signIn("u-1", consent: .full)
  }

  /// A scene whose vendor enables cards and then answers syncs one after another.
  static func enabled(
    config: String = config(100), syncs: [String] = [sync(full: true, [])],
    data: [HTTPResponse] = []
  ) async throws -> BrazeScene {
    let scene = try await BrazeScene(
      ScriptedTransport([
        dataLine: [.json(200, config)] + data, syncLine: syncs.map { .json(201, $0) },
      ]))
    _ = await scene.perform(.settings)
    scene.transport.forget()
    return scene
  }

  // MARK: What happens

  func perform(
    _ operation: EngagementAdapterAPI.Operation, isUserRequested: Bool = false
  ) async -> OperationRunner.Outcome {
    await engagement.execute(operation, with: "braze", isUserRequested: isUserRequested)
  }

  func sync() async -> OperationRunner.Outcome { await perform(Self.cards) }

  /// Sends the pending rows.
  func deliver() async { await engagement.deliver(to: "braze") }

  @discardableResult func act(
    _ action: ItemAction, on id: String
  ) async throws -> Engagement.Receipt {
    try await engagement.perform(action, on: ItemID("braze", id))
  }

  // MARK: What a test looks at

  /// The body of the n-th request; null where there is none.
  func body(_ index: Int) -> JSON {
    let requests = transport.requests
    guard requests.indices.contains(index), let body = requests[index].body else { return .null }
    return (try? JSON(parsing: body)) ?? .null
  }

  /// The names of the events of all requests, each with the ids that it is about.
  var told: [String] {
    transport.requests.indices.flatMap { body($0)["events"]?.array ?? [] }
      .filter { $0["name"] != "ss" }.map { event in
        let ids = event["data"]?["ids"]?.array?.compactMap(\.string) ?? []
        return ([event["name"]?.string ?? ""] + ids).joined(separator: " ")
      }
  }

  var pending: Int {
    get async throws { try await engagement.pendingCounts["braze"] ?? 0 }
  }

  /// The ids of the visible cards, in their order.
  var visible: [String] { engagement.cards(in: "home").cards.map(\.id.value) }

  /// The card, also a control card.
  func card(_ id: String) -> Card? { engagement.card(ItemID("braze", id)) }
}

extension Answer {
  /// The changes without the adapter's count of requests and failures.
  var told: [Change] {
    changes.filter { change in
      guard case .keep(.installation, let name, _) = change else { return true }
      return !name.hasPrefix("answered.") && !name.hasPrefix("failed.")
    }
  }
}
