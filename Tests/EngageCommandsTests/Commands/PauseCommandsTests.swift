import EngagementCurl
import EngagementEmulator
import EngagementHTTP
import EngagementModel
import EngagementVendors
import Testing

@testable import EngageCommands

/// What commands say of a vendor that asked to be left alone, and how a person ends that.
@Suite(.timeLimit(.minutes(20))) struct PauseCommandsTests {
  /// A folder whose vendor has asked for silence; the clock of the commands stands still, so it lasts
  /// until the next day.
  private func muted() async throws -> TemplatesScene {
    let scene = try await TemplatesScene()
    #expect(await scene.engage("sync").status == .done)
    try await scene.emulator.configure("clevertap", ["muted": true])
    let asked = await scene.engage("track", "Tea ordered")
    #expect(asked.status == .done, "\(asked.errors)")
    #expect(asked.output == "track Tea ordered: delivered\n")
    #expect(asked.errors.contains(Self.told), "\(asked.errors)")
    try await scene.emulator.configure("clevertap", ["muted": false])
    return scene
  }

  private static let told =
    "clevertap has asked to be left alone until 2026-10-02T09:00:00.000Z. "

  @Test("C11: track, sync, outbox and doctor say until when a vendor wants to be left alone")
  func told() async throws {
    let scene = try await muted()
    let before = await scene.emulator.requests().count
    let tracked = await scene.stage.run(
      ["track", "Water ordered"], by: CurlTransport(), in: .impatient)
    let synced = await scene.engage("sync")
    let outbox = await scene.engage("outbox")
    let doctor = await scene.engage("doctor")
    let requests = await scene.emulator.requests(after: before).map(\.path)
    await scene.emulator.stop()
    #expect(tracked.output.contains("track Water ordered: pending"), "\(tracked)")
    #expect(tracked.errors.contains(Self.told), "\(tracked.errors)")
    #expect(tracked.errors.contains("\"engage sync --now\" asks it nevertheless"))
    #expect(synced.errors.contains(Self.told), "\(synced.errors)")
    #expect(outbox.errors.contains(Self.told), "\(outbox.errors)")
    #expect(doctor.output.contains("has asked for a pause until 2026-10-02T09:00:00.000Z"))
    #expect(requests.isEmpty, "\(requests)")
  }

  @Test("C11: sync --now and outbox retry end the silence", arguments: ["sync", "outbox"])
  func ended(command: String) async throws {
    let scene = try await muted()
    _ = await scene.stage.run(["track", "Water ordered"], by: CurlTransport(), in: .impatient)
    let line = command == "sync" ? ["sync", "--now"] : ["outbox", "retry"]
    let ending = await scene.stage.run(
      line, by: CurlTransport(), in: .init(patience: .seconds(60)))
    let effects = await scene.emulator.requests().flatMap(\.effects).map(\.subject)
    let doctor = await scene.engage("doctor")
    await scene.emulator.stop()
    #expect(ending.status == .done, "\(ending.errors)")
    #expect(!ending.errors.contains("left alone"), "\(ending.errors)")
    #expect(effects.contains("Water ordered"), "\(effects)")
    #expect(!doctor.output.contains("pause"), "\(doctor.output)")
  }

  @Test("G17: doctor names items that could not be read, and what to do")
  func quarantined() async throws {
    let scene = try await TemplatesScene()
    let broken: JSON = ["ti": 99, "type": "custom-code", "templateName": .null]
    _ = try await scene.emulator.put(broken, in: "clevertap")
    _ = await scene.engage("sync")
    let doctor = await scene.engage("doctor")
    await scene.emulator.stop()
    #expect(doctor.status == .done, "a note is no failure: \(doctor.output)")
    #expect(doctor.output.contains("unreadable items"), "\(doctor.output)")
    #expect(doctor.output.contains("clevertap: 1 of campaigns"))
    #expect(doctor.output.contains("A campaign has no template."))
    #expect(doctor.output.contains("engage sync --full"))
  }
}
