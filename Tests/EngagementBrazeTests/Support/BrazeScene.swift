import BrazeFixtures
import EngagementAdapterAPI
import EngagementBraze
import EngagementHTTP
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementTesting
import FoundationEssentials

/// The Braze adapter in a house in memory, with a vendor that answers from a script.
struct BrazeScene: BrazeFixtures, Sendable {
  let transport: ScriptedTransport
  let clock = TestClock()
  let memory: MemoryHost
  private let runner: OperationRunner

  init(user: User = "u-1", _ transport: ScriptedTransport) throws {
    self.transport = transport
    memory = MemoryHost(
      try Self.adapter(), user: user, transport: transport, clock: clock, kept: .init(),
      credentials: { _ in nil })
    memory.setSession(Session("session-1", startedAt: clock.now))
    runner = OperationRunner(memory.adapter, in: memory)
  }

  /// A scene whose vendor enables cards and then answers syncs one after another.
  static func enabled(
    config: String = config(100), syncs: [String] = [sync(full: true, [])],
    data: [HTTPResponse] = []
  ) async throws -> BrazeScene {
    let scene = try BrazeScene(
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
    await runner.execute(operation, memory.attempt(isUserRequested: isUserRequested)).outcome
  }

  func sync() async -> OperationRunner.Outcome { await perform(Self.cards) }

  @discardableResult func drain() async -> [OperationRunner.Outcome] { await memory.drain(runner) }

  func act(_ action: ItemAction, on id: String) throws {
    guard let card = card(id) else {
      throw EngagementError(.notFound, "There is no card \(id).")
    }
    try memory.act(action, on: ItemReference(card))
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
    transport.requests.indices.flatMap { body($0)["events"]?.array ?? [] }.map { event in
      let ids = event["data"]?["ids"]?.array?.compactMap(\.string) ?? []
      return ([event["name"]?.string ?? ""] + ids).joined(separator: " ")
    }
  }

  /// The ids of the visible cards, in their order.
  var visible: [String] { memory.cards().map(\.id.value) }

  /// The card, also one that nobody sees because it stands for a control group.
  func card(_ id: String) -> Card? {
    memory.cards(includingControl: true).first { $0.id.value == id }
  }
}
