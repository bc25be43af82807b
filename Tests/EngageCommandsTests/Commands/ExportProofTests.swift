import Foundation
import Testing

/// The proofs of `Tests/Exports` that are short enough for every run: other programs read what `engage`
/// writes. Python is the one with pyarrow and DuckDB where the environment names it.
@Suite(.timeLimit(.minutes(20))) struct ExportProofTests {
  private static let python = ProcessInfo.processInfo.environment["ENGAGEMENT_PYTHON"] ?? "python3"
  private static let proofs = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Exports/run").standardizedFileURL.path

  private static func prove(_ words: String...) throws -> Programs.Ending {
    try Programs.run(
      "/usr/bin/env", [python, proofs] + words + ["--engage", Programs.built("engage")])
  }

  @Test(
    "X14: hundreds of hostile texts come back from every format and are inert where they are shown")
  func texts() throws {
    let ending = try Self.prove("texts")
    #expect(ending.status == 0, "\(ending.output)\(ending.errors)")
    let count = ending.output.split(separator: " ").first.flatMap { Int($0) } ?? 0
    #expect(count >= 300 && ending.output.contains("9 files imported without a change"))
  }

  @Test("X12 X14: every reader and every comparison agrees on the events of two simulated vendors")
  func chain() throws {
    let ending = try Self.prove("chain", "--events", "3000")
    #expect(ending.status == 0, "\(ending.output)\(ending.errors)")
    #expect(ending.output.contains("planted lift +10.0 %"))
  }
}
