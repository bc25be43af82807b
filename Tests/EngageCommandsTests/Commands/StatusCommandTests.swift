import EngagementCurl
import EngagementEmulator
import EngagementJSON
import EngagementModel
import Testing

@testable import EngageCommands

@Suite(.timeLimit(.minutes(20))) struct StatusCommandTests {
  private func status(_ scene: CommandScene) async throws -> [String: JSON] {
    let ending = await scene.stage.run(
      ["status", "--json"], by: CurlTransport(), in: .init(patience: .seconds(60)))
    let lines = try ending.lines.map { try JSON(parsing: Array($0.utf8)) }
    return Dictionary(lines.map { ($0["surface"]?.string ?? "", $0) }) { first, _ in first }
  }

  @Test("X3 X19: engage status says which provider failed and what is shown meanwhile")
  func failing() async throws {
    let scene = try await CommandScene()
    await scene.engage("sync")
    #expect(try await status(scene)["inbox"]?["state"] == "fresh")
    try await scene.emulator.load(
      try EmulatorFaults(
        json: ["faults": [["vendor": "vibes", "fault": "closeBefore", "times": "always"]]]))
    _ = await scene.stage.run(
      ["sync"], by: CurlTransport(), in: .init(patience: .seconds(60)))
    let requests = await scene.emulator.requests().count
    let found = try await status(scene)
    #expect(found["cards"]?["state"] == "fresh")
    #expect(found["inbox"]?["state"] == "stale")
    let vibes = found["inbox"]?["providers"]?.array?.first
    #expect(vibes?["provider"] == "vibes" && vibes?["isShown"] == true)
    #expect(vibes?["code"] == "unavailable" && vibes?["refreshedAt"]?.string != nil)
    let table = await scene.stage.run(
      ["status"], by: CurlTransport(), in: .init(patience: .seconds(60)))
    #expect(table.status == .failed && table.output.contains("unavailable: "), "\(table.output)")
    #expect(await scene.emulator.requests().count == requests, "a status asks nobody")
    await scene.emulator.stop()
  }
}
