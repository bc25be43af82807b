import EngagementCurl
import EngagementEmulator
import EngagementJSON
import EngagementModel
import Foundation
import TestSupport
import Testing

@testable import EngageCommands

/// What `engage migrate` says and refuses, over real HTTP.
@Suite(.timeLimit(.minutes(20))) struct MigrateStepsTests {
  private typealias Scene = MigrationScene

  /// A move of cards at its canary, of which the person is held out.
  private func heldOut() async throws -> Scene {
    let scene = try await Scene()
    await scene.done("sync")
    await scene.done("migrate", "plan", "--from", "now", "--to", "next", "--surfaces", "cards")
    for _ in 0..<2 {
      await scene.done("migrate", "advance", "cards", "--force", "--why", "a test")
    }
    for _ in 0..<2 { await scene.done("sync") }
    return scene
  }

  /// What two devices of a team have exported: one has moved, the other one is held out.
  private static func ledger(failures: Int = 0) -> String {
    var moved = RecordedEvents(device: "urn:uuid:moved")
    var other = RecordedEvents(device: "urn:uuid:other")
    let step: JSONObject = [
      "data": [
        "surface": "cards", "old": "now", "new": "next", "from": "shadow", "to": "canary 5 %",
      ]
    ]
    func arm(_ name: String) -> JSONObject {
      ["name": "migration now to next 5 %", "data": ["arm": .string(name), "version": 1]]
    }
    // Before the stage: it is none of the figures.
    moved.add("provider.failed", by: "u-7", ["provider": "next", "data": ["operation": "cards"]])
    moved.add("migration.stepped", by: "u-7", step)
    moved.add("experiment.assigned", by: "u-7", arm("moved"))
    other.add("migration.stepped", by: "u-8", step)
    other.add("experiment.assigned", by: "u-8", arm("hold-out"))
    for _ in 0..<8 { moved.addRequest(to: "next", by: "u-7", milliseconds: 30) }
    for _ in 0..<failures {
      moved.add("provider.failed", by: "u-7", ["provider": "next", "data": ["operation": "cards"]])
    }
    for _ in 0..<8 { other.addRequest(to: "now", by: "u-8", milliseconds: 20) }
    moved.addCard("click", by: "u-7", from: "next")
    other.add("optout", by: "u-8")
    return moved.ndjson + other.ndjson
  }

  @Test("X15: of a person who is held out the refusal says so, and a ledger of many opens the gate")
  func ledger() async throws {
    let scene = try await heldOut()
    let status = await scene.engage("migrate", "status")
    #expect(status.errors.contains("held out at canary 5 %"))
    #expect(status.errors.contains("advance cards --from FILE"))
    let refused = await scene.engage("migrate", "advance", "cards")
    #expect(refused.status == .failed && refused.errors.contains("requests is 0"))
    #expect(refused.errors.contains("held out at canary 5 %"), "\(refused.errors)")
    try scene.stage.write(Self.ledger(), to: "phones.ndjson")
    await scene.done("import", "phones.ndjson", "--into", "all.ndjson")
    let rehearsal = await scene.engage(
      "migrate", "advance", "cards", "--from", "all.ndjson", "--dry-run")
    #expect(rehearsal.status == .done, "\(rehearsal.errors)")
    #expect(rehearsal.errors.contains("2 installations at canary 5 %"))
    await scene.done("migrate", "advance", "cards", "--from", "all.ndjson")
    let events = await scene.engage("events", "--json")
    let step = try #require(
      events.lines.last { $0.contains("migration.stepped") && $0.contains("ramp 25 %") })
    #expect(step.contains(#""source":"all.ndjson""#) && step.contains(#""source":"installation""#))
    await scene.stop()
  }

  @Test("X15: a ledger with failures, without the stage or with a bad line keeps the gate shut")
  func badLedger() async throws {
    let scene = try await heldOut()
    try scene.stage.write(Self.ledger(failures: 2), to: "bad.ndjson")
    let failing = await scene.engage("migrate", "advance", "cards", "--from", "bad.ndjson")
    #expect(failing.errors.contains("errors of bad.ndjson is 20.0 %"), "\(failing.errors)")
    try scene.stage.write(
      Self.ledger().replacingOccurrences(of: "canary 5 %", with: "ramp 25 %"), to: "other.ndjson")
    let other = await scene.engage("migrate", "advance", "cards", "--from", "other.ndjson")
    #expect(other.status == .failed && other.errors.contains("came to canary 5 %"))
    try scene.stage.write(Self.ledger() + "{\"cut\n", to: "cut.ndjson")
    let cut = await scene.engage("migrate", "advance", "cards", "--from", "cut.ndjson")
    #expect(cut.status == .failed && cut.errors.contains("cut.ndjson:"), "\(cut.errors)")
    let still = await scene.engage("migrate", "status", "--json")
    #expect(still.output.contains(#""stage":"canary 5 %""#))
    await scene.stop()
  }

  @Test("X15: a note says what to do about each gate, and a step back ends in a command that works")
  func words() async throws {
    let scene = try await Scene()
    await scene.done("sync")
    await scene.done(
      "migrate", "plan", "--from", "now", "--to", "next", "--surfaces", "cards", "--shares", "25,50"
    )
    await scene.done("migrate", "advance", "cards", "--force", "--why", "a test")
    let refused = await scene.engage("migrate", "advance", "cards")
    #expect(
      refused.errors.contains("run \"engage sync\" 3 more times, a minute apart"),
      "\(refused.errors)")
    for words in ["ramp", #"{"canary": 5}"#, "canary 5", "canry"] {
      let back = await scene.engage("migrate", "rollback", "cards", "--to", words)
      #expect(back.status != .done, "\(words)")
      let hint = back.errors.firstMatch(of: /run "engage (migrate rollback [^"]+)"/)
      #expect(hint?.1 == "migrate rollback cards --to off", "\(back.errors)")
    }
    await scene.done("migrate", "advance", "cards", "--force", "--why", "a test")
    await scene.done("migrate", "advance", "cards", "--force", "--why", "a test")
    await scene.done("migrate", "rollback", "cards", "--to", "canary")
    let status = await scene.engage("migrate", "status", "--json")
    #expect(status.output.contains(#""stage":"canary 25 %""#))
    await scene.stop()
  }

  // MARK: What moves, and what does not

  @Test("X15: advance --to makes a step once, and a plan is refused in a rehearsal, too")
  func named() async throws {
    let scene = try await Scene()
    await scene.done("sync")
    await scene.done("migrate", "plan", "--from", "now", "--to", "next", "--surfaces", "cards")
    for word in ["now", "already"] {
      let ending = await scene.engage(
        "migrate", "advance", "cards", "--to", "shadow", "--force", "--why", "a test")
      #expect(ending.status == .done, "\(ending.errors)")
      #expect(ending.output == "cards is at shadow \(word).\n")
    }
    let sentence =
      "cards is at shadow, and the next stage is canary 5 %, not cutover: move it to canary 5 % first."
    for option in [["--dry-run"], ["--force", "--why", "a test"]] {
      let ending = await scene.stage.run(
        ["migrate", "advance", "cards", "--to", "cutover"] + option, by: CurlTransport())
      #expect(ending.status == .failed && ending.errors.contains(sentence), "\(ending.errors)")
    }
    let unknown = await scene.engage("migrate", "advance", "cards", "--to", "canry")
    #expect(
      unknown.errors.contains(#"run "engage migrate advance cards --to canary=5""#),
      "\(unknown.errors)")
    let status = await scene.engage("migrate", "status", "--json")
    #expect(status.output.contains(#""stage":"shadow""#), "\(status.output)")
    try scene.stage.write(
      """
      {"from": "now", "to": "next",
       "surfaces": [{"surface": "cards", "stages": ["cutover", "drain", "removed"]}]}
      """, to: "plan.json")
    for option in [["--dry-run"], []] {
      let ending = await scene.stage.run(
        ["migrate", "plan", "--file", "plan.json"] + option, by: CurlTransport())
      #expect(ending.status == .failed, "\(option)")
      #expect(ending.errors.contains("is at shadow, which the new plan has not"))
    }
    await scene.stop()
  }

  @Test("X15: a step back names each surface that went, and status what does not move with it")
  func together() async throws {
    let scene = try await Scene()
    await scene.done("sync")
    await scene.done("migrate", "plan", "--from", "now", "--to", "next", "--surfaces", "cards,push")
    for surface in ["cards", "cards", "push"] {
      await scene.done("migrate", "advance", surface, "--force", "--why", "a test")
    }
    await scene.done("routes", "set", "cards", "only=now", "--container", "news")
    let note = "The container news has a route of its own to now and does not move with cards"
    #expect(await scene.engage("migrate", "status").errors.contains(note))
    let back = await scene.engage("migrate", "rollback", "cards", "--to", "shadow")
    #expect(back.output == "cards is at shadow now.\npush is at off now.\n", "\(back)")
    #expect(back.errors.contains(note), "\(back.errors)")
    await scene.stop()
  }

  @Test("X15: a plan of all that can move says that person and events are not in it")
  func unplanned() async throws {
    let scene = try await Scene()
    let line = ["migrate", "plan", "--from", "now", "--to", "next", "--dry-run"]
    let note =
      "person and events lead to now and are not in this plan: name them, as in --surfaces "
      + "cards,push,person,events."
    let all = await scene.stage.run(line, by: StuckTransport())
    #expect(all.status == .done && all.errors.contains(note), "\(all.errors)")
    let chosen = await scene.stage.run(
      line + ["--surfaces", "cards"], by: StuckTransport())
    #expect(!chosen.errors.contains("not in this plan"), "\(chosen.errors)")
    await scene.stop()
  }

  @Test("X15: sync shows what waits for a vendor that no route of cards or inbox leads to")
  func unasked() async throws {
    let scene = try await Scene()
    await scene.done("sync")
    await scene.new.stop()
    for line in [["track", "bought"], ["sync"]] {
      let ending = await scene.stage.run(line, by: CurlTransport(), in: .impatient)
      if line == ["sync"] { #expect(ending.output.contains("not asked"), "\(ending.output)") }
    }
    let json = await scene.stage.run(["sync", "--json"], by: CurlTransport(), in: .impatient)
    let row = try #require(json.lines.first { $0.contains("notAsked") })
    #expect(row.contains(#""provider":"next""#) && !row.contains(#""pending":0"#), "\(row)")
    await scene.old.stop()
  }

  @Test("X15: plan says what a planned gate replaces, and which lines engage.json lacks")
  func planWarnings() async throws {
    let scene = try await Scene(routes: "", key: "")
    let line = [
      "migrate", "plan", "--from", "now", "--to", "next", "--surfaces", "cards,push", "--dry-run",
    ]
    let planned = await scene.stage.run(line, by: StuckTransport())
    #expect(planned.status == .done, "\(planned.errors)")
    #expect(planned.errors.contains(#""contentKey": {"extra": "NAME"} to providers.now"#))
    #expect(
      planned.errors.contains(
        #"Add "routes": {"cards": {"only": "now"}, "push": {"only": "now"}}"#), "\(planned.errors)")
    let json = await scene.stage.run(line + ["--json"], by: StuckTransport())
    try scene.stage.write(
      json.output.replacingOccurrences(
        of: #""takesBack""#,
        with: #""gates":{"cutover":{"errors":0.1,"optOuts":0,"latency":null}},"takesBack""#),
      to: "plan.json")
    let edited = await scene.stage.run(
      ["migrate", "plan", "--file", "plan.json", "--dry-run"], by: StuckTransport())
    #expect(
      edited.output.contains(
        "gates of cutover: errors at most 10.0 % (in place of 2.0 %), "
          + "latency removed (in place of 2.0 ×), optOuts at most 0 (added); the others are standard"
      ),
      "\(edited.output) \(edited.errors)")
    let full = await Scene.warnings()
    #expect(full.isEmpty, "\(full)")
    await scene.stop()
  }
}

extension MigrationScene {
  /// What the plan of a whole configuration warns of.
  fileprivate static func warnings() async -> String {
    guard let scene = try? await MigrationScene() else { return "no scene" }
    let planned = await scene.engage(
      "migrate", "plan", "--from", "now", "--to", "next", "--surfaces", "cards,push", "--dry-run")
    await scene.stop()
    return planned.errors
  }
}
