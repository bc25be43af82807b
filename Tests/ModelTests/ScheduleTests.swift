import EngagementModel
import Foundation
import TestSupport
import Testing

/// `MODEL_RUNS` is the number of schedules, `MODEL_SEED` the seed of the first one.
///
/// Where there are many, start one process for each processor and keep each on its own, as with
/// `taskset -c 0`: a schedule goes back and forth between the thread of its cache and the others, which
/// costs least on one processor.
private func setting(_ name: String, or standard: UInt64) -> UInt64 {
  ProcessInfo.processInfo.environment[name].flatMap(UInt64.init) ?? standard
}

@Suite struct ScheduleTests {
  /// More workers than processors, because a schedule waits for its cache half of the time.
  private static let workers: UInt64 = 4

  /// A failure reports the schedule's seed and steps.
  @Test("X7 X8 G2 G4 G5 G13: random schedules lose nothing, keep users apart and preserve order")
  func schedules() async throws {
    let (first, runs) = (
      setting("MODEL_SEED", or: 1), setting("MODEL_RUNS", or: UInt64(Effort.share(of: 200)))
    )
    let memory = URL(filePath: "/dev/shm")
    let parent =
      FileManager.default.isWritableFile(atPath: memory.path)
      ? memory : FileManager.default.temporaryDirectory
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<Self.workers {
        group.addTask {
          for seed in first..<(first + runs) where seed % Self.workers == worker {
            await run(seed, in: parent)
          }
        }
      }
    }
  }

  private func run(_ seed: UInt64, in parent: URL) async {
    var taken: [ScheduleStep] = []
    do {
      let world = try await World(in: parent)
      for step in ScheduleStep.schedule(seed: seed, length: 50) {
        taken.append(step)
        try await world.take(step)
        let faults = try await world.faults()
        guard faults.isEmpty else { return report(seed, taken, faults) }
      }
      let faults = try await world.settle()
      if !faults.isEmpty { report(seed, taken, faults) }
    } catch {
      report(seed, taken, ["\(error)"])
    }
  }

  private func report(_ seed: UInt64, _ steps: [ScheduleStep], _ faults: [String]) {
    Issue.record("seed \(seed): \(faults.joined(separator: "; ")), after \(steps)")
  }
}
