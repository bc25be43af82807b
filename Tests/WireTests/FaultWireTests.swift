import EngagementEmulator
import Foundation
import TestSupport
import Testing

/// The adapter, the transport and the vendor's server over a faulty network.
@Suite(.timeLimit(.minutes(20))) struct FaultWireTests {
  /// `WIRE_FAULTS` is the number of faults, `WIRE_SEED` the seed of the first storm.
  private static func setting(_ name: String, or standard: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? standard
  }

  /// Installations, each with a seed and a share of the faults.
  private static let storms: [(seed: Int, faults: Int)] = {
    let (first, all) = (setting("WIRE_SEED", or: 1), setting("WIRE_FAULTS", or: standard))
    return stride(from: 0, to: all, by: part).enumerated().map { place, start in
      (first + place, min(part, all - start))
    }
  }()
  private static let standard = Effort.share(of: 1_000)
  private static let part = 100
  /// The least number of kinds among `part` faults.
  private static let kindsOfPart = 20

  @Test("the tested kinds of fault are those of the emulator for requests")
  func kinds() {
    #expect(Trouble.all.map(\.kind).sorted() == EmulatorFaults.requestKinds.sorted())
  }

  /// A failure reports how often each kind has struck.
  @Test(
    "G2 G3 G6 G8: under random network faults every accepted row arrives as often as it has to",
    arguments: storms)
  func storm(seed: Int, faults: Int) async throws {
    let storm = try await Storm(seed: UInt64(seed))
    try await storm.blow(faults)
    expectNothing(of: storm.findings, await storm.strikes, seed, faults)
  }

  @Test(
    "G2 G3 G6 G8: under random network faults each action on a message has its effect once",
    arguments: storms)
  func vibesStorm(seed: Int, faults: Int) async throws {
    let storm = try await VibesStorm(seed: UInt64(seed))
    try await storm.blow(faults)
    expectNothing(of: storm.findings, await storm.strikes, seed, faults)
  }

  @Test(
    "G2 G3 G6 G8: under random network faults each row for CleverTap arrives as often as it has to",
    arguments: storms)
  func cleverTapStorm(seed: Int, faults: Int) async throws {
    let storm = try await CleverTapStorm(seed: UInt64(seed))
    try await storm.blow(faults)
    expectNothing(of: storm.findings, await storm.strikes, seed, faults)
  }

  private func expectNothing(
    of findings: [String], _ strikes: Strikes, _ seed: Int, _ faults: Int
  ) {
    let summary = Comment(rawValue: "WIRE_SEED=\(seed), differed: \(strikes.summary)")
    #expect(findings.isEmpty, summary)
    #expect(strikes.findings.isEmpty, summary)
    #expect(faults < Self.part || strikes.struck.count >= Self.kindsOfPart, summary)
  }
}
