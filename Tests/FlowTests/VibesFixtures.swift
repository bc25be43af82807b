import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementTesting
import FoundationEssentials
import OutlineAdapters

/// What the tests of this vendor share.
enum Vibes {
  typealias Operation = EngagementAdapterAPI.Operation

  static let appID = "app-1"
  static let root = "/mobile_apps/app-1"
  static let host = "https://public-api.vibescm.com"

  static func outline(
    association: VibesConfiguration.Association = .onSignIn
  ) throws -> VibesOutline {
    VibesOutline(try VibesConfiguration(appID: appID, association: association))
  }

  /// What is known after a registration and a look at the person.
  static func context(
    _ change: (inout AdapterContext) -> Void = { _ in }
  ) -> AdapterContext {
    var context = AdapterContext(
      user: "u-1", device: .test, now: TestClock().now, key: OperationKey(1, 2))
    context.values[.installation, "device"] = "d-1"
    context.secrets[.installation, "token"] = Secret("t-1")
    context.values[.installation, "device.user"] = "yes"
    context.values[.user, "associated"] = "u-1"
    context.values[.user, "associated.device"] = "d-1"
    context.values[.user, "person"] = "p-1"
    context.values[.user, "person.device"] = "d-1"
    context.values[.user, "person.time"] = "2026-10-01T09:00:00.000Z"
    change(&context)
    return context
  }

  static func item(_ id: String, on surface: Surface = .inbox) -> ItemReference {
    ItemReference(
      ItemID("vibes", id), on: surface,
      handle: ["activity_type": "Broadcast", "activity_uid": "a-1"])
  }

  static func event(
    _ id: EventID, _ kind: EngagementEvent.Kind, about item: ItemReference? = nil
  ) -> EngagementEvent {
    EngagementEvent(
      id: id, kind: kind, time: Date(timeIntervalSince1970: 1_790_845_200.25), item: item)
  }

  static func raw(_ text: String) -> RawItem { RawItem(index: 0, bytes: Array(text.utf8)[...]) }
}

/// A house with the vendor behind it.
struct VibesScene: Sendable {
  let vendor: FakeVibes
  let transport: ScriptedTransport
  let memory: MemoryHouse
  let roads: Roads
  let clock = TestClock()

  init(
    _ door: Door, vendor: FakeVibes = FakeVibes(), user: User = "u-1",
    association: VibesConfiguration.Association = .onSignIn,
    kept: MemoryHouse.Kept = .init(), script: ScriptedTransport.Script? = nil
  ) throws {
    self.vendor = vendor
    transport = ScriptedTransport(script ?? vendor.script)
    memory = door.memory(
      try Vibes.outline(association: association), user: user, transport: transport, clock: clock,
      kept: kept)
    roads = door.roads(in: memory)
  }

  /// What was asked, without what all paths begin with.
  var lines: [String] {
    transport.lines.map { line in
      line.split(separator: " ", maxSplits: 1).map { word in
        word.hasPrefix(Vibes.root) ? String(word.dropFirst(Vibes.root.count)) : String(word)
      }.joined(separator: " ")
    }
  }

  /// The tokens that requests of the line were sent with.
  func tokens(_ isWanted: (String) -> Bool) -> [String?] {
    transport.requests.filter { isWanted($0.line) }
      .map { $0.headers.secret("Authorization")?.revealed }
  }

  func perform(_ operation: Vibes.Operation) async -> Exchange.Outcome {
    await roads.perform(operation)
  }

  /// Performs all of them at the same time.
  func perform(_ operations: [Vibes.Operation]) async -> [Exchange.Outcome] {
    await withTaskGroup(of: Exchange.Outcome.self) { group in
      for operation in operations { group.addTask { await perform(operation) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  func value(_ scope: Scope, _ name: String) -> String? { memory.value(scope, name) }
}

extension Door {
  /// A door where some changes are lost on their way from an answer.
  static func losing(_ isLost: @escaping @Sendable (Change) -> Bool) -> Door {
    .without { adapter in
      adapter.answer = { answer in
        Answer(answer.changes.filter { !isLost($0) }, answer.verdict)
      }
    }
  }
}
