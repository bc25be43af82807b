import EngagementEmulator
import EngagementVendors
import Testing

@Suite("engage device", .timeLimit(.minutes(20))) struct DeviceCommandsTests {
  @Test("V2 V4: device register asks a vendor once, and says that it is registered either way")
  func device() async throws {
    let scene = try await CommandScene()
    for _ in 1...2 {
      #expect(
        await scene.engage("device", "register").lines == [
          "device register: vibes: registered",
          "device register: braze: not told; it has no request for this",
        ])
      #expect(await scene.emulator.times("register") == 1)
    }
    let before = await scene.emulator.requests().count
    let updated = await scene.engage("device", "update")
    #expect(updated.lines.first == "device update: vibes: delivered")
    let sent = await scene.emulator.requests(after: before).filter { $0.vendor == "vibes" }
    #expect(sent.contains { $0.method == "PATCH" && $0.status == 204 }, "\(sent)")
    for said in ["delivered", "not registered; there was nothing to end"] {
      let ended = await scene.engage("device", "unregister")
      #expect(ended.lines.first == "device unregister: vibes: \(said)")
    }
    await scene.emulator.stop()
  }
}
