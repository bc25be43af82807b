import EngagementAdapterAPI
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import EngagementVibes
import VibesFixtures

/// A host with the vendor behind it.
struct VibesScene: Sendable {
  let vendor: FakeVibes
  let transport: ScriptedTransport
  let memory: MemoryHost
  let runners: OperationRunners
  let clock = TestClock()

  init(
    _ variant: KitVariant, vendor: FakeVibes = FakeVibes(), user: User = "u-1",
    association: VibesConfiguration.Association = .onSignIn,
    kept: MemoryHost.Kept = .init(), script: ScriptedTransport.Script? = nil
  ) throws {
    self.vendor = vendor
    transport = ScriptedTransport(script ?? vendor.script)
    memory = variant.memory(
      try Vibes.adapter(association: association), user: user, transport: transport, clock: clock,
      kept: kept)
    runners = variant.runners(in: memory)
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

  func perform(_ operation: Vibes.Operation) async -> OperationRunner.Outcome {
    await runners.perform(operation)
  }

  /// Performs all of them at the same time.
  func perform(_ operations: [Vibes.Operation]) async -> [OperationRunner.Outcome] {
    await withTaskGroup(of: OperationRunner.Outcome.self) { group in
      for operation in operations { group.addTask { await perform(operation) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  func value(_ scope: Scope, _ name: String) -> String? { memory.value(scope, name) }
}

extension KitVariant {
  /// A variant where some changes are lost on their way from an answer.
  static func losing(_ isLost: @escaping @Sendable (Change) -> Bool) -> KitVariant {
    .without { adapter in
      adapter.answer = { answer in
        Answer(answer.changes.filter { !isLost($0) }, answer.verdict)
      }
    }
  }
}
