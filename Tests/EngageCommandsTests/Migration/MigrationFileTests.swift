import EngagementCurl
import EngagementEmulator
import EngagementModel
import Foundation
import Testing

@testable import EngageCommands

/// What `engage migrate` says of plans in files and of records that it cannot read.
@Suite("files of migrations", .timeLimit(.minutes(20))) struct MigrationFileTests {
  private static let surfaces = #"[{"surface":"cards","stages":["cutover","drain","removed"]}]"#

  @Test(
    "X15: a plan in a file that cannot be taken is refused with the place and what to do",
    arguments: [
      ("{\"from\": \"now\",\n \"to\" \"next\"}", "plan.json: The document cannot be read: line 2"),
      ("{\"from\": \"now\", \"from\": \"next\"}", "the object already has this key"),
      (
        #"{"schema": 2, "from": "now", "to": "next", "surfaces": SURFACES}"#,
        "plan.json: schema is 2; this engage reads 1: make the plan again with \"engage migrate plan"
      ),
      (
        #"{"schema": "1", "from": "now", "to": "next", "surfaces": SURFACES}"#,
        "plan.json: schema is \"1\"; this engage reads 1"
      ),
      (
        #"{"from": "", "to": "next", "surfaces": SURFACES}"#,
        "plan.json: from is empty; name a provider."
      ),
      (
        #"{"from": "now", "to": "", "surfaces": SURFACES}"#,
        "plan.json: to is empty; name a provider."
      ),
      (
        #"{"from": "now", "to": "next", "surfaces": [{"surface": "", "stages": []}]}"#,
        "plan.json: surfaces[0].surface is empty; name a surface, such as cards."
      ),
      (
        #"{"from": "now", "to": "next", "surfaces": [{"surface": "crads", "stages": []}]}"#,
        #"plan.json: surfaces[0].surface: "crads" has no route; did you mean "cards"?"#
      ),
    ])
  func refused(text: String, message: String) async throws {
    let scene = try await MigrationScene()
    try scene.stage.write(
      text.replacingOccurrences(of: "SURFACES", with: Self.surfaces), to: "plan.json")
    let ending = await scene.stage.run(
      ["migrate", "plan", "--file", "plan.json"], by: StuckTransport())
    #expect(ending.status == .failed, "\(ending)")
    #expect(ending.errors.contains(message), "\(ending.errors)")
    await scene.stop()
  }

  @Test("X15 G9: status says why a migration cannot be read, and which command forgets it")
  func damaged() async throws {
    let scene = try await MigrationScene()
    await scene.done("sync")
    await scene.done("migrate", "plan", "--from", "now", "--to", "next", "--surfaces", "cards")
    await scene.done("migrate", "advance", "cards", "--force", "--why", "a test")
    let file = scene.stage.folder.appending(path: "engagement.sqlite")
    var bytes = Array(try Data(contentsOf: file))
    let found = bytes.ranges(of: Array(#"migration.cards{"plan""#.utf8))
    for range in found { bytes[range.lowerBound + 20] ^= 1 }
    #expect(!found.isEmpty)
    try Data(bytes).write(to: file)
    let reason = "The stored migration of cards is lost with a damaged row."
    let status = await scene.engage("migrate", "status", "--json")
    #expect(status.status == .failed)
    #expect(status.output.contains(#""isReadable":false,"reason":"\#(reason)""#), "\(status)")
    #expect(status.errors.contains("\(reason) Its route holds"), "\(status.errors)")
    #expect(status.errors.contains(#""engage migrate forget cards" forgets it"#))
    let doctor = await scene.engage("doctor")
    #expect(doctor.status == .failed && doctor.output.contains(reason), "\(doctor)")
    #expect(doctor.output.contains("every page is sound"), "\(doctor.output)")
    #expect(doctor.output.contains(#"migration: run "engage migrate forget cards""#))
    let plan = await scene.engage(
      "migrate", "plan", "--from", "now", "--to", "next", "--surfaces", "cards", "--dry-run")
    #expect(plan.status == .failed && plan.errors.contains(reason), "\(plan.errors)")
    #expect(plan.errors.contains("no release can read it"), "\(plan.errors)")
    let step = await scene.engage("migrate", "advance", "cards")
    #expect(step.status == .failed)
    #expect(
      step.errors.contains("\(reason) Run \"engage migrate forget cards\""), "\(step.errors)")
    await scene.done("migrate", "forget", "cards")
    let routes = await scene.engage("routes", "list", "--json")
    #expect(routes.output.contains(#""surface":"cards","route":{"only":"now"},"isSet":false"#))
    let after = await scene.engage("migrate", "status")
    #expect(after.status == .done && after.errors.contains("Nothing moves."), "\(after)")
    await scene.stop()
  }

  @Test("X15: rollback of pushes to a provider that does not answer is refused without --force")
  func rollback() async throws {
    let scene = try await MigrationScene()
    try scene.stage.write("0aff\n", to: "token")
    await scene.done("push", "register", "--service", "apns", "--token-file", "token")
    await scene.done("sync")
    await scene.done(
      "migrate", "plan", "--from", "now", "--to", "next", "--surfaces", "push", "--shares", "50")
    for _ in 0..<2 {
      await scene.done("migrate", "advance", "push", "--force", "--why", "a test")
    }
    await scene.old.stop()
    func back(_ words: String...) async -> CommandLineFixture.Ending {
      await scene.stage.run(
        ["migrate", "rollback", "push", "--to", "off"] + words, by: CurlTransport(),
        in: .impatient)
    }
    _ = await scene.stage.run(["sync"], by: CurlTransport(), in: .impatient)
    let refused = await back()
    #expect(refused.status == .failed)
    #expect(
      refused.errors.contains("push stays at cutover: \"now\" has not answered since"),
      "\(refused.errors)")
    #expect(await back("--force").status == .usage)
    let forced = await back("--force", "--why", "next costs too much")
    #expect(forced.status == .done, "\(forced.errors)")
    let states = await scene.engage("push", "status", "--json")
    #expect(
      states.lines.contains { $0.contains(#""provider":"next""#) && $0.contains("registered") },
      "\(states.output)")
    await scene.new.stop()
  }

  @Test("X15 X16: after a forced step to removed the command and status say who has the token")
  func tokenLeft() async throws {
    let scene = try await MigrationScene()
    try scene.stage.write("0aff\n", to: "token")
    await scene.done("push", "register", "--service", "apns", "--token-file", "token")
    await scene.done("sync")
    try scene.stage.write(
      #"{"from": "now", "to": "next", "surfaces": SURFACES}"#.replacingOccurrences(
        of: "SURFACES", with: Self.surfaces.replacingOccurrences(of: "cards", with: "push")),
      to: "plan.json")
    await scene.done("migrate", "plan", "--file", "plan.json")
    await scene.old.stop()
    func impatient(_ words: String...) async -> CommandLineFixture.Ending {
      await scene.stage.run(words, by: CurlTransport(), in: .impatient)
    }
    for stage in ["cutover", "drain"] {
      let ending = await impatient(
        "migrate", "advance", "push", "--to", stage, "--force", "--why", "a test")
      #expect(ending.status == .done, "\(ending.errors)")
      #expect(!ending.errors.contains("still has the push token"), "\(ending.errors)")
    }
    let removed = await impatient(
      "migrate", "advance", "push", "--force", "--why", "now is gone")
    #expect(removed.status == .done && removed.output == "push is at removed now.\n")
    for ending in [removed, await impatient("migrate", "status")] {
      #expect(ending.errors.contains(#""now" still has the push token"#), "\(ending.errors)")
      #expect(
        ending.errors.contains("cards, person and events still lead to now: move them"),
        "\(ending.errors)")
    }
    let dropped = await impatient("outbox", "drop", "--provider", "now", "--yes")
    #expect(
      dropped.errors.contains("now has the push token, and is not asked to give it back"),
      "\(dropped)")
    await scene.new.stop()
  }

  @Test("X16: a route of pushes by which no provider has the token for certain is noted")
  func tokenNowhere() async throws {
    let scene = try await MigrationScene()
    try scene.stage.write("0aff\n", to: "token")
    let quiet = await scene.engage("routes", "set", "push", "only=now")
    #expect(!quiet.errors.contains("push token"), "\(quiet.errors)")
    await scene.done("push", "register", "--service", "apns", "--token-file", "token")
    await scene.new.stop()
    let kept = await scene.stage.run(
      ["routes", "set", "push", "only=next"], by: CurlTransport(), in: .impatient)
    #expect(kept.status == .done)
    #expect(
      kept.errors.contains("now keeps the push token until next has taken it."), "\(kept.errors)")
    let none = await scene.engage("routes", "set", "push", "none")
    #expect(
      none.errors.contains("No provider has the push token for certain now;"), "\(none.errors)")
    await scene.old.stop()
  }
}
