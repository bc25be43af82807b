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

  @Test("C5: templates campaigns says which event a campaign waits for, and with what")
  func awaited() async throws {
    let scene = try await TemplatesScene()
    for item in try await scene.emulator.items(of: "clevertap") {
      let id = item["ti"]?.integer.map { "\($0)" } ?? item["_id"]?.string ?? ""
      _ = try await scene.emulator.remove(id, from: "clevertap")
    }
    let campaign = #"""
      {"ti": 4711, "type": "custom-code", "templateName": "offer", "whenTriggers": [
        {"eventName": "Coffee ordered", "eventProperties": [
          {"propertyName": "size", "operator": 1, "propertyValue": "large"},
          {"propertyName": "cups", "operator": 4, "propertyValue": [1, 5]},
          {"propertyName": "milk", "operator": 26}]},
        {"eventName": "Tea ordered"}]}
      """#
    _ = try await scene.emulator.put(JSON(parsing: Array(campaign.utf8)), in: "clevertap")
    #expect(await scene.engage("sync").status == .done)
    let people = await scene.engage("templates", "campaigns")
    let programs = await scene.engage("templates", "campaigns", "--json")
    await scene.emulator.stop()
    #expect(
      people.output.contains(
        #"waits for "Coffee ordered" with size equals large and cups between 1 and 5 and milk is "#
          + #"set, or "Tea ordered""#), "\(people.output)")
    let object = try JSON(parsing: Array(try #require(programs.lines.first).utf8))
    #expect(object["triggers"]?.array?.map { $0["event"] } == ["Coffee ordered", "Tea ordered"])
  }
}
