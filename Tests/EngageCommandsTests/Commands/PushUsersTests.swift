import EngagementCurl
import EngagementEmulator
import EngagementModel
import EngagementVendors
import Foundation
import Testing

@testable import EngageCommands

/// Push tokens and identities over changes of user, with the vendors' servers in this process.
@Suite(.timeLimit(.minutes(20))) struct PushUsersTests {
  private func run(_ scene: CommandScene, _ line: String...) async -> CommandLineFixture.Ending {
    await scene.stage.run(line, by: CurlTransport(), in: .init(patience: .seconds(600)))
  }

  private func impatiently(
    _ scene: CommandScene, _ line: String...
  ) async -> CommandLineFixture.Ending {
    await scene.stage.run(line, by: CurlTransport(), in: .impatient)
  }

  private func states(_ scene: CommandScene) async -> [Bool] {
    await scene.engage("push", "status", "--json").lines
      .map { $0.contains(#""state":"registered""#) }
  }

  private func register(_ scene: CommandScene) async throws {
    try scene.stage.write("0aff\n", to: "token")
    await scene.engage("push", "register", "--service", "apns", "--token-file", "token")
  }

  @Test("X16 V2: who signs out and in again gets pushes again from every vendor of the route")
  func again() async throws {
    let scene = try await CommandScene()
    try await register(scene)
    await scene.engage("signout")
    #expect(await states(scene).allSatisfy { !$0 })
    await scene.emulator.clear()
    await scene.engage("signin", "u-1")
    await scene.engage("sync")
    #expect(await scene.emulator.times("push_register", by: "u-1") == 1)
    #expect(await scene.emulator.times("push_token", by: "u-1") == 1)
    #expect(await states(scene) == [true, true])
    await scene.emulator.stop()
  }

  @Test("X16: push status tells of a person what the vendors got before the sign-in")
  func anonymous() async throws {
    let scene = try await CommandScene()
    await scene.engage("signout")
    await scene.engage("consent", "set", "full")
    try await register(scene)
    #expect(await states(scene) == [true, true])
    await scene.engage("signin", "u-1")
    await scene.engage("sync")
    #expect(await states(scene) == [true, true])
    await scene.emulator.stop()
  }

  @Test("V2 X8: the device of a person who signed in without a network is given up with the next")
  func lateDevice() async throws {
    let scene = try await CommandScene()
    try await register(scene)
    await scene.engage("signout")
    await scene.emulator.setOffline(true)
    #expect(await impatiently(scene, "signin", "u-2").status == .done)
    await scene.emulator.setOffline(false)
    await scene.engage("signin", "u-3")
    await scene.engage("sync")
    // A device may be made before the sign-in that ends its person's stay, during it or never.
    let made = await scene.emulator.times("assign", by: "u-2")
    let ended = await scene.emulator.times("unregister", by: "u-2")
    #expect(ended == made, "\(made) made, \(ended) given up")
    await scene.emulator.stop()
  }

  @Test("X20: an erasure that a vendor was not told of says so, and its status is not success")
  func erased() async throws {
    let scene = try await CommandScene()
    try await register(scene)
    await scene.emulator.setOffline(true)
    let current = await impatiently(scene, "person", "erase", "u-1", "--yes")
    #expect(current.status == .failed, "\(current)")
    #expect(current.output.contains("u-1 is erased here"))
    #expect(current.errors.contains("vibes may still push to this installation"), "\(current)")
    await scene.emulator.stop()
  }

  @Test("X20: so says the erasure of a person whose sign-out still waits to be told")
  func erasedAway() async throws {
    let scene = try await CommandScene()
    try await register(scene)
    await scene.emulator.setOffline(true)
    #expect(await impatiently(scene, "signout").status == .failed)
    await scene.emulator.setOffline(false)
    let ending = await run(scene, "person", "erase", "u-1", "--yes")
    #expect(ending.status == .failed, "\(ending)")
    #expect(ending.output.contains("u-1 is erased here"))
    #expect(ending.errors.contains("vibes may still push to this installation"), "\(ending)")
    await scene.emulator.stop()
  }

  @Test("X16: the end of sandbox pushes is told to no vendor that has a production token alone")
  func sandbox() async throws {
    let scene = try await CommandScene()
    try await register(scene)
    await scene.emulator.clear()
    await scene.engage("push", "unregister", "--environment", "sandbox")
    #expect(await scene.emulator.times("push_token") == 0)
    #expect(await scene.emulator.times("push_unregister") == 0)
    #expect(await states(scene) == [true, true])
    await scene.emulator.stop()
  }

  @Test("X16 V4: a vendor with one token of a device has the one that was registered last")
  func oneToken() async throws {
    let scene = try await CommandScene()
    try await register(scene)
    func later(_ line: String...) async -> CommandLineFixture.Ending {
      await scene.stage.run(
        line, by: CurlTransport(),
        in: .init(
          clock: StillClock(now: StillClock().now.addingTimeInterval(60)), patience: .seconds(600)))
    }
    let sandbox = await later(
      "push", "register", "--service", "apns", "--token-file", "token", "--environment", "sandbox")
    #expect(sandbox.status == .done, "\(sandbox)")
    let states = await later("push", "status", "--json").lines
    #expect(states.count { $0.contains(#""production","state":"replaced""#) } == 2, "\(states)")
    #expect(states.count { $0.contains(#""sandbox","state":"registered""#) } == 2, "\(states)")
    await scene.emulator.clear()
    #expect(await later("push", "unregister").status == .done)
    #expect(await scene.emulator.times("push_unregister") == 0)
    #expect(await scene.emulator.times("push_token") == 0)
    #expect(await later("push", "unregister", "--environment", "sandbox").status == .done)
    #expect(await scene.emulator.times("push_unregister") == 1)
    #expect(await scene.emulator.times("push_token", of: "none") == 1)
    await scene.emulator.stop()
  }

  @Test("G9 X16: after a repair CleverTap learns again who has signed in, with the token")
  func repaired() async throws {
    let scene = try await TemplatesScene()
    #expect(await scene.engage("sync").status == .done)
    try scene.stage.write("0aff\n", to: "token")
    let registered = await scene.engage(
      "push", "register", "--service", "fcm", "--token-file", "token")
    #expect(registered.status == .done, "\(registered)")
    let file = scene.stage.folder.appending(path: "engagement.sqlite")
    var bytes = try Data(contentsOf: file)
    bytes.replaceSubrange(100..<400, with: [UInt8](repeating: 0xFF, count: 300))
    try bytes.write(to: file)
    #expect(await scene.engage("cache", "repair").status == .done)
    await scene.emulator.clear()
    #expect(await scene.engage("signin", "u-1").status == .done)
    _ = await scene.engage("consent", "set", "full")
    let set = await scene.engage("person", "set", "custom.colour=red")
    #expect(set.status == .done, "\(set)")
    #expect(await scene.engage("sync").status == .done)
    let users = await scene.emulator.effects().keys.filter { $0.subject.contains("colour") }
      .map(\.user)
    #expect(!users.isEmpty && users.allSatisfy { $0 == "u-1" }, "\(users)")
    #expect(await scene.emulator.times("register", by: "u-1") == 1)
    await scene.emulator.stop()
  }
}
