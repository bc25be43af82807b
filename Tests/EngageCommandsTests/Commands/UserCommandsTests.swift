import EngagementEmulator
import EngagementHTTP
import EngagementJSON
import EngagementModel
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

  @Test("A4: a sign-out without a network says when the vendor is told, and not to try again")
  func unreached() async throws {
    let (stage, braze) = (try CommandLineFixture(), PlayedBraze())
    try stage.configure(endpoint: "http://127.0.0.1:8400")
    _ = await stage.engage("sync", by: braze)
    braze.goDown()
    _ = await stage.engage("cards", "dismiss", "c-2", by: braze, in: .impatient)
    let ending = await stage.engage("signout", by: braze, in: .impatient)
    #expect(ending.status == .failed)
    #expect(
      ending.output.contains("what waits is sent when the user signs in again"), "\(ending)")
    #expect(!ending.output.contains("try again"))
  }

  @Test("C11: signin says at once that a vendor does not take the id, and how to go on")
  func refusedID() async throws {
    let scene = try await TemplatesScene()
    let refused = await scene.engage("signin", "o'neil")
    let taken = await scene.engage("signin", "oneil")
    await scene.emulator.stop()
    #expect(refused.status == .done)
    #expect(
      refused.errors.contains(
        "clevertap will not know this user: CleverTap takes a person's id of 1 to 1024 characters "
          + "without quotes and backslashes. Sign in with another id."), "\(refused.errors)")
    #expect(!taken.errors.contains("will not know"), "\(taken.errors)")
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

  @Test("A4: who signed out with --purge signs in again, and the cards are there again")
  func backAfterPurge() async throws {
    let scene = try await CommandScene()
    #expect(await scene.engage("sync").status == .done)
    let before = await scene.engage("cards", "--json").lines.count
    #expect(before > 0)
    _ = await scene.engage("person", "set", "city=Quuxville")
    #expect(await scene.engage("signout", "--wipe", "--purge").status == .done)
    let held = await scene.engage("person", "export", "u-1").output
    #expect(held.contains(#""record":"event""#))
    #expect(!held.contains("campaignFact") && !held.contains(#""record":"value""#), "\(held)")
    let again = await scene.engage("signout", "--purge")
    #expect(again.errors.contains("\"engage person erase USER\" removes all of one who has left."))
    let back = await scene.engage("signin", "u-1")
    #expect(back.status == .done, "\(back)")
    #expect(await scene.engage("sync").status == .done)
    #expect(await scene.engage("cards", "--json").lines.count == before)
    await scene.emulator.stop()
  }

  @Test("G14: an erasure that has not ended is named by doctor, until the next one ends it")
  func unfinished() async throws {
    let (stage, braze) = (try CommandLineFixture(), PlayedBraze())
    try stage.configure(endpoint: "http://127.0.0.1:8400")
    _ = await stage.engage("sync", by: braze)
    #expect(!(await stage.engage("doctor", by: braze).output.contains("erasure")))
    try stage.write("", to: "engagement.sqlite.erasing")
    let doctor = await stage.engage("doctor", by: braze)
    #expect(doctor.output.contains("an erasure of a person has begun and not ended"))
    #expect(await stage.engage("person", "erase", "u-1", "--yes", by: braze).status == .done)
    #expect(!(await stage.engage("doctor", by: braze).output.contains("erasure")))
  }

  @Test(
    "L9: an event of a user who is erased meanwhile says that the vendor may have it",
    arguments: [false, true])
  func erasedMeanwhile(isJSON: Bool) async throws {
    let (stage, braze) = (try CommandLineFixture(), PlayedBraze())
    try stage.configure(endpoint: "http://127.0.0.1:8400")
    _ = await stage.engage("sync", by: braze)
    let vendor = InterruptedBraze(braze) {
      let erasure = await stage.engage("person", "erase", "u-1", "--yes", by: Unplugged())
      #expect(erasure.status == .done, "\(erasure.errors)")
    }
    let line = ["track", "tea"] + (isJSON ? ["--json"] : [])
    let ending = await stage.run(line, by: vendor)
    #expect(braze.events.contains("ce tea"))
    #expect(ending.status == .failed)
    let text = "u-1 was erased here; the vendor may have received it"
    #expect(
      ending.output
        == (isJSON
          ? #"{"schema":1,"name":"tea","properties":{},"outcome":"wiped","message":"\#(text)"}"#
          : "track tea: wiped: \(text)") + "\n")
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

/// A vendor that takes an event, and answers after something else has happened.
private struct InterruptedBraze: HTTPTransport {
  private let braze: PlayedBraze
  private let interruption: @Sendable () async -> Void

  init(_ braze: PlayedBraze, _ interruption: @escaping @Sendable () async -> Void) {
    self.braze = braze
    self.interruption = interruption
  }

  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    let response = try await braze.send(request)
    let events = (try? JSON(parsing: request.body ?? []))?["events"]?.array ?? []
    if events.contains(where: { $0["name"] == "ce" }) { await interruption() }
    return response
  }
}
