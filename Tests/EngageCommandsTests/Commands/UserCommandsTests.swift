import Testing

@testable import EngageCommands

@Suite(.timeLimit(.minutes(20))) struct UserCommandsTests {
  @Test("G2: a sign-in says how many of the former user's actions wait")
  func waiting() async throws {
    let (stage, braze) = (try CommandLineFixture(), PlayedBraze())
    try stage.configure(endpoint: "http://127.0.0.1:8400")
    _ = await stage.engage("sync", by: braze)
    braze.goDown()
    _ = await stage.engage("cards", "dismiss", "c-2", by: braze, in: .impatient)
    let change = await stage.engage("signin", "u-2", by: braze, in: .impatient)
    #expect(change.errors.contains("wait until u-1 is signed in again."), "\(change)")
    #expect(change.status == .done)
  }

  @Test("A6 G14: nothing is exported or erased of somebody unknown, and an erased user stays away")
  func strangers() async throws {
    let (stage, braze) = (try CommandLineFixture(), PlayedBraze())
    try stage.configure(endpoint: "http://127.0.0.1:8400")
    _ = await stage.engage("sync", by: braze)
    for verb in ["export", "erase"] {
      let ending = await stage.engage("person", verb, "typo", by: braze)
      #expect(verb == "export" ? ending.status == .failed : ending.status == .usage)
      #expect(ending.output.isEmpty)
    }
    let stranger = await stage.engage("person", "erase", "typo", "--yes", by: braze)
    #expect(stranger.status == .failed && stranger.errors.contains("[notFound]"))
    #expect(await stage.engage("person", "export", by: braze).status == .done)
    #expect(await stage.engage("person", "erase", "u-1", "--yes", by: braze).status == .done)
    _ = await stage.engage("sync", by: braze)
    let away = await stage.engage("consent")
    #expect(away.output == "anonymous: unknown\n")
    #expect(away.errors.hasPrefix("No user is signed in. Run \"engage signin\""))
    #expect(await stage.engage("signin", "u-1", by: braze).status == .done)
    #expect(await stage.engage("consent").output == "u-1: unknown\n", "it is asked for again")
    #expect(await stage.engage("consent", "set", "essential").output == "u-1: essential\n")
  }

  @Test(
    "X20 G14: after an erasure, a consent brings back neither the configured user nor their consent",
    arguments: [nil, "u-2"])
  func noReturn(other: String?) async throws {
    let (stage, braze) = (try CommandLineFixture(), PlayedBraze())
    try stage.configure(endpoint: "http://127.0.0.1:8400")
    _ = await stage.engage("sync", by: braze)
    _ = await stage.engage("person", "erase", "u-1", "--yes", by: braze)
    if let other { _ = await stage.engage("signin", other, by: braze) }
    let name = other ?? "anonymous"
    let told = await stage.engage("consent", "set", "denied", by: braze).output
    #expect(told == "\(name): denied\n")
    _ = await stage.engage("track", "secret", by: braze)
    #expect(await stage.engage("consent", by: braze).output == told)
    #expect(!braze.events.contains("ce secret"))
  }
}
