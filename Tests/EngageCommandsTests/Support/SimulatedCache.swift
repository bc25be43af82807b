import EngagementEmulator
import Foundation
import TestServers
import Testing

/// A folder with a cache of simulated people who are split between two vendors.
struct SimulatedCache {
  let stage: CommandLineFixture
  let scene: CommandScene
  /// The events of the simulation, behind those of the first sync.
  let simulated: Int

  init(people: Int, cards: Int) async throws {
    scene = try await CommandScene()
    stage = scene.stage
    await scene.engage("sync")
    await scene.emulator.stop()
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Benchmarks/suites/ledger/simulation.py").standardized
    let ending = try Programs.run(
      "/usr/bin/python3", [script.path, "engagement.sqlite", "\(people)", "\(cards)"],
      in: stage.folder)
    guard ending.status == 0, let count = Int(ending.output.dropLast()) else {
      throw TestFailure("simulation.py: \(ending.errors)")
    }
    simulated = count
  }
}
