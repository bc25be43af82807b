import EngagementFormats
import EngagementJSON
import EngagementModel
import Foundation
import Testing

@testable import EngageCommands

/// `engage experiment report` over folders whose manifests say what the logs have lost.
@Suite(.timeLimit(.minutes(5))) struct LogLossTests {
  /// A folder for each of 100 people. The devices of the second arm have lost more events.
  private static func stage(lost: (old: Int, new: Int)) throws -> CommandLineFixture {
    let stage = try CommandLineFixture()
    try stage.write(
      """
      {"name": "banner", "arms": {"old": 0.5, "new": 0.5}, "control": "old",
       "schedule": {"fixed": {"people": 100}}}
      """, to: "plan.json")
    for person in 0..<100 {
      let (arm, gone) = person.isMultiple(of: 2) ? ("old", lost.old) : ("new", lost.new)
      let device = "urn:uuid:\(person)"
      var events = RecordedEvents(device: device)
      events.expose("user-\(person)", to: arm)
      events.addCard("delivered", by: "user-\(person)", from: "braze")
      let bytes = Array(events.ndjson.utf8)
      let file = ExportManifest.File(
        path: "events.ndjson", bytes: bytes.count, sha256: SHA256.digest(of: bytes).description,
        events: 2, sequences: Int64(gone + 1)...Int64(gone + 2), times: 0...1)
      let manifest = ExportManifest(
        header: .init(source: device, format: "ndjson", partition: [], selection: ""), after: 0,
        through: Int64(gone + 2), dropped: gone > 0 ? ["gone": gone] : [:], files: [file])
      try FileManager.default.createDirectory(
        at: stage.folder.appending(path: "\(person)/_manifests"), withIntermediateDirectories: true)
      try stage.write(events.ndjson, to: "\(person)/events.ndjson")
      try stage.write(
        String(decoding: manifest.encoded, as: UTF8.self), to: "\(person)/_manifests/1.json")
    }
    return stage
  }

  private static func report(
    _ stage: CommandLineFixture, _ names: [String]
  ) async throws -> (check: JSON?, withheld: [JSON]) {
    let ending = await stage.run(
      ["experiment", "report", "plan.json", "--json"] + names.flatMap { ["--from", $0] })
    let report = try JSON(parsing: Array(ending.output.utf8))
    let check = report["checks"]?.array?.first { $0["name"] == "logs" }
    return (check, report["withheld"]?.array ?? [])
  }

  @Test("X12: arms whose devices lost unlike shares of their logs get no lift")
  func unlike() async throws {
    let found = try await Self.report(
      try Self.stage(lost: (old: 0, new: 2)), (0..<100).map(String.init))
    #expect(found.check?["state"] == "failed")
    #expect(found.withheld.contains { $0 == found.check?["sentence"] }, "\(found)")
  }

  @Test("X12: arms whose devices lost as much as the others' are compared")
  func alike() async throws {
    let found = try await Self.report(
      try Self.stage(lost: (old: 2, new: 2)), (0..<100).map(String.init))
    #expect(found.check?["state"] == "passed" && found.withheld.isEmpty, "\(found)")
  }

  @Test("X12: the folders of devices within a folder say what their logs have lost")
  func parent() async throws {
    let found = try await Self.report(try Self.stage(lost: (old: 0, new: 2)), ["."])
    #expect(found.check?["state"] == "failed", "\(found)")
  }

  @Test("X12: files without a manifest say nothing of what their logs have lost")
  func loose() async throws {
    let files = (0..<100).map { "\($0)/events.ndjson" }
    let found = try await Self.report(try Self.stage(lost: (old: 0, new: 2)), files)
    #expect(found.check?["state"] == "open" && found.withheld.isEmpty, "\(found)")
    let some = try await Self.report(
      try Self.stage(lost: (old: 0, new: 2)),
      (0..<100).map { $0.isMultiple(of: 2) ? "\($0)" : "\($0)/events.ndjson" })
    #expect(some.check?["state"] == "open" && some.withheld.isEmpty, "\(some)")
  }
}
