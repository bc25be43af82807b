import EngagementEmulator
import EngagementJSON
import EngagementModel
import Testing

@testable import EngageCommands

@Suite struct CampaignListTests {
  @Test("C4: templates campaigns prints each campaign with its template and its state")
  func states() async throws {
    let scene = try await TemplatesScene()
    let nothing = await scene.engage("templates", "campaigns")
    let undefined: JSON = [
      "ti": 4711, "delivery": "inapp_notifs", "type": "custom-code", "templateName": "banner",
    ]
    _ = try await scene.emulator.put(undefined, in: "clevertap")
    _ = await scene.engage("sync")
    _ = await scene.engage("track", "Coffee ordered", "size=large")
    let people = await scene.engage("templates", "campaigns")
    let programs = await scene.engage("templates", "campaigns", "--json")
    await scene.emulator.stop()
    #expect(nothing.status == .done && nothing.output.isEmpty)
    #expect(nothing.errors.contains("There are no campaigns yet; run \"engage sync\"."))
    #expect(people.status == .done, "\(people.errors)")
    #expect(people.lines.first?.split(separator: " ").first == "CAMPAIGN")
    let objects = try programs.lines.map { try JSON(parsing: Array($0.utf8)) }
    let dropped = try #require(objects.first { $0["id"] == "4711" })
    #expect(dropped["state"] == "dropped" && dropped["reason"] == "undefined")
    #expect(dropped["template"] == "banner" && dropped["provider"] == "clevertap")
    let drawn = objects.filter { $0["state"] == "presented" }
    #expect(drawn.contains { $0["template"] == "offer" && $0["presentations"] == 1 })
    #expect(objects.contains { $0["state"] == "waiting" }, "\(programs.output)")
    #expect(people.output.contains("not drawn: undefined"))
  }
}
