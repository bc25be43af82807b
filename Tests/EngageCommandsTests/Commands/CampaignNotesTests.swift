import EngagementEmulator
import EngagementModel
import Foundation
import Testing

@testable import EngageCommands

/// What `track` and `sync` say of campaigns that were due and not drawn.
@Suite struct CampaignNotesTests {
  /// A campaign that the vendor wants presented now.
  private static func campaign(
    _ number: Int64, _ template: String = "offer", _ arguments: JSON = [:]
  ) -> JSON {
    [
      "ti": .integer(number), "delivery": "inapp_notifs", "type": "custom-code",
      "templateName": .string(template), "vars": arguments,
    ]
  }

  private func scene(_ campaigns: JSON...) async throws -> TemplatesScene {
    let scene = try await TemplatesScene()
    for item in try await scene.emulator.items(of: "clevertap") {
      guard let number = item["ti"]?.integer else { continue }
      _ = try await scene.emulator.remove("\(number)", from: "clevertap")
    }
    for campaign in campaigns { _ = try await scene.emulator.put(campaign, in: "clevertap") }
    return scene
  }

  @Test("C4: a campaign whose template is not defined is named, with the key that defines it")
  func undefined() async throws {
    let scene = try await scene(Self.campaign(4711, "banner"))
    let synced = await scene.engage("sync")
    let other = await scene.engage("track", "Tea ordered")
    await scene.emulator.stop()
    #expect(synced.status == .done)
    #expect(
      synced.errors
        == #"Campaign clevertap/4711 was not drawn: no template "banner" is defined. Define it in "#
        + #"the file that "templates" of providers.clevertap names."# + "\n")
    #expect(other.errors.isEmpty, "it is told once: \(other.errors)")
  }

  @Test("X17: a cap of engage.json lets a campaign wait for another day, and is told once")
  func caps() async throws {
    let scene = try await scene(Self.campaign(2), Self.campaign(3))
    let file = scene.stage.folder.appending(path: "engage.json")
    let document = try String(contentsOf: file, encoding: .utf8)
    try scene.stage.write(
      document.replacing(#"{"user""#, with: #"{"caps": {"perDay": 1}, "user""#), to: "engage.json")
    let first = await scene.engage("track", "Tea ordered")
    let second = await scene.engage("track", "Tea ordered")
    let listed = await scene.engage("templates", "campaigns")
    await scene.emulator.stop()
    #expect(first.output.contains("┌ offer  clevertap/2"), "\(first)")
    #expect(
      listed.lines.contains {
        $0.hasPrefix("clevertap/3") && $0.contains("held back: perDay until 20")
      }, "\(listed)")
    #expect(!(first.output + second.output).contains("clevertap/3"), "\(second)")
    #expect(
      first.errors.contains("Campaign clevertap/3 waits until ")
        && first.errors.contains(#"perDay of "caps" in engage.json allows no more now."#),
      "\(first.errors)")
    #expect(!second.errors.contains("waits"), "\(second.errors)")
  }

  @Test("C4 C8: a campaign with a missing file and one that a cap stops are named with the reason")
  func fileAndCap() async throws {
    let scene = try await scene(
      Self.campaign(1, "offer", ["picture": "https://elsewhere.example/a.png"]),
      Self.campaign(2), Self.campaign(3))
    try await scene.emulator.configure("clevertap", ["imp": 1])
    let tracked = await scene.engage("track", "Tea ordered")
    await scene.emulator.stop()
    #expect(tracked.output.contains("┌ offer  clevertap/2"), "\(tracked)")
    #expect(!tracked.output.contains("clevertap/1") && !tracked.output.contains("clevertap/3"))
    #expect(
      tracked.errors.contains(
        "Campaign clevertap/1 was not drawn: a file of it could not be had. Check its address"),
      "\(tracked.errors)")
    #expect(tracked.errors.contains(#""fileHosts" of providers.clevertap"#))
    #expect(
      tracked.errors.contains("Campaign clevertap/3 was not drawn: the vendor's caps"),
      "\(tracked.errors)")
  }

  @Test("C6: an action whose link is refused is named with the action and the rule")
  func link() async throws {
    let open: JSON = ["actions": ["type": "url", "ios": "shop://cups", "android": "shop://cups"]]
    let scene = try await scene(Self.campaign(5, "offer", ["open": open]))
    let synced = await scene.engage("sync", "--choose", "open")
    await scene.emulator.stop()
    #expect(synced.output.contains("┌ offer  clevertap/5"))
    #expect(!synced.output.contains("asked to open"))
    #expect(
      synced.errors.contains(
        "The action open of campaign clevertap/5 did nothing: its link is not https."),
      "\(synced.errors)")
  }

  @Test("C8: templates trigger says itself why a template was not drawn")
  func trigger() async throws {
    let scene = try await TemplatesScene()
    let ending = await scene.engage(
      "templates", "trigger", "offer", "picture=https://elsewhere.example/a.png")
    await scene.emulator.stop()
    #expect(ending.status == .failed)
    #expect(ending.errors.contains("was not drawn: a file of it could not be had."))
    #expect(!ending.errors.contains("engage events"), "\(ending.errors)")
  }
}
