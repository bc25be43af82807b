import EngagementAdapterAPI
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import EngagementVibes
import VibesFixtures

/// The Vibes adapter in a house in memory, with a vendor that is not to be asked anything.
struct VibesScene: Sendable {
  let transport = ScriptedTransport { _ throws(EngagementError) in HTTPResponse(404) }
  let memory: MemoryHost
  private let runner: OperationRunner

  init() throws {
    memory = MemoryHost(
      try Vibes.adapter(), user: "u-1", transport: transport, clock: TestClock(), kept: .init(),
      credentials: { _ in nil })
    runner = OperationRunner(memory.adapter, in: memory)
  }

  func perform(_ operation: Vibes.Operation) async -> OperationRunner.Outcome {
    await runner.execute(operation, memory.attempt()).outcome
  }
}
