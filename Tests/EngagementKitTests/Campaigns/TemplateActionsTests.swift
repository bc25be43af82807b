import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import EngagementTesting
import Testing

@testable import EngagementKit

@Suite("actions of templates") struct TemplateActionsTests {
  /// Notes what the application is asked for.
  private final class Asked: Sendable {
    private let lines = Locked<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func note(_ line: String) { lines.withLock { $0.append(line) } }
  }

  private func stage(_ asked: Asked, _ action: JSON) async throws -> CampaignStage {
    let stage = try await CampaignStage(
      presentations: .init(
        links: .init(schemes: ["https", "shop"], hosts: ["shop.example"]),
        openURL: { asked.note("open \($0)") },
        takeKeyValues: {
          asked.note("take \(String(decoding: JSON.object($0).encoded(), as: UTF8.self))")
        }, withoutScene: true))
    try await stage.deliver(.due("c-1") { $0.arguments = ["more": action] })
    await stage.settle()
    stage.presenter["c-1"]?.trigger("more")
    await stage.settle()
    return stage
  }

  @Test(
    "C6: an action opens, hands over or closes, and the vendor hears of a click",
    arguments: [
      (["action": "close"], [], "close offer c-1", nil),
      (
        ["action": "openURL", "url": "https://shop.example/a"], ["open https://shop.example/a"],
        nil, nil
      ),
      (["action": "openURL", "url": "shop://cart"], ["open shop://cart"], nil, nil),
      (["action": "openURL", "url": "https://other.example/"], [], nil, "link"),
      (["action": "openURL", "url": "http://shop.example/"], [], nil, "link"),
      (["action": "openURL", "url": "tel:123"], [], nil, "link"),
      (["action": "keyValues", "values": ["a": 1]], [#"take {"a":1}"#], nil, nil),
      (["action": "function", "template": "unheard"], [], nil, "undefined"),
      (["action": "function", "template": "offer"], [], nil, "undefined"),
    ] as [(JSON, [String], String?, String?)])
  func actions(
    _ action: JSON, _ expected: [String], _ closed: String?, _ refused: String?
  ) async throws {
    let asked = Asked()
    let stage = try await stage(asked, action)
    #expect(asked.all == expected)
    #expect(stage.presenter.lines == ["show offer c-1"] + [closed].compactMap(\.self))
    let story = try await stage.story()
    #expect(story.contains { $0.hasPrefix("click c-1 ") })
    #expect(story.contains("action.refused c-1 \(refused ?? "")") == (refused != nil))
    try await stage.stage.end()
  }

  @Test(
    "C6 C7: a function that shows nothing runs at once, beside the template, and is not told")
  func functionAtOnce() async throws {
    let stage = try await stage(Asked(), ["action": "function", "template": "rate"])
    #expect(stage.presenter.lines == ["show offer c-1", "run rate c-1"])
    let story = try await stage.story()
    #expect(story.contains("click c-1 rate"))
    #expect(
      try await stage.waitingEvents() == [.templatePresented, .click], "of the template alone")
    try await stage.stage.end()
  }

  @Test("C6 C7: a visual function comes before everything that waits")
  func visualFunction() async throws {
    let asked = Asked()
    let stage = try await stage(asked, ["action": "function", "template": "confirm"])
    try await stage.deliver(.due("c-2") { $0.priority = 10 })
    await stage.settle()
    let template = stage.presenter["c-1"]
    #expect(stage.presenter.lines == ["show offer c-1"])
    template?.dismissed()
    await stage.settle()
    #expect(stage.presenter.lines == ["show offer c-1", "run confirm c-1"])
    stage.presenter["c-1"]?.dismissed()
    await stage.settle()
    #expect(stage.presenter.lines.last == "show offer c-2")
    try await stage.stage.end()
  }

  @Test("C5: a name that is no action does nothing, and nothing happens after the end")
  func noAction() async throws {
    let stage = try await CampaignStage()
    try await stage.deliver(.due("c-1") { $0.arguments = ["more": ["action": "close"]] })
    await stage.settle()
    let shown = try #require(stage.presenter["c-1"])
    shown.trigger("title")
    shown.trigger("nothing")
    shown.dismissed()
    shown.trigger("more")
    await stage.settle()
    #expect(stage.presenter.lines == ["show offer c-1"])
    #expect(try await !stage.story().contains { $0.hasPrefix("click") })
    try await stage.stage.end()
  }

  @Test("C5 C7: a preview comes before what waits, and neither vendor nor caps hear of it")
  func preview() async throws {
    let stage = try await CampaignStage()
    try await stage.engagement.commit(
      [.settings(VendorSettings(campaignCaps: CampaignCaps(perDay: 1)))],
      from: CampaignStage.provider)
    stage.engagement.setPresentationMode(.suspended)
    try await stage.deliver(.due("c-1") { $0.priority = 10 })
    await stage.settle()
    try await stage.engagement.previewTemplate(
      "offer", of: CampaignStage.provider,
      with: ["title": "Look", "more": ["action": "keyValues", "values": ["a": 1]]])
    stage.engagement.setPresentationMode(.running)
    await stage.settle()
    let shown = try #require(stage.presenter["preview"])
    #expect(stage.presenter.lines == ["show offer preview"])
    #expect(shown.values.string("title") == "Look")
    shown.trigger("more")
    shown.dismissed()
    await stage.settle()
    #expect(stage.presenter.lines == ["show offer preview", "show offer c-1"], "the cap is unused")
    #expect(try await stage.story().contains("click preview more"))
    #expect(try await stage.waitingEvents() == [.templatePresented], "of c-1 alone")
    try await stage.stage.end()
  }

  @Test("C5 C6: the function that a preview's action calls runs")
  func previewFunction() async throws {
    let stage = try await CampaignStage()
    try await stage.engagement.previewTemplate(
      "offer", of: CampaignStage.provider,
      with: ["more": ["action": "function", "template": "rate"]])
    await stage.settle()
    stage.presenter["preview"]?.trigger("more")
    await stage.settle()
    #expect(stage.presenter.lines == ["show offer preview", "run rate preview"])
    try await stage.stage.end()
  }

  @Test("C5: a preview of a process that has ended is not shown by the next one")
  func leftPreview() async throws {
    let place = Stage.Place()
    var stage = try await CampaignStage(at: place)
    try await stage.engagement.previewTemplate("offer", of: CampaignStage.provider)
    try await stage.stage.end()
    stage = try await CampaignStage(at: place)
    await stage.settle()
    #expect(stage.presenter.lines.isEmpty)
    #expect(try await stage.story() == ["campaign.dropped preview discarded"])
    try await stage.stage.end()
  }

  @Test(
    "C1 C6: a preview with a value that is not the template's is refused with the argument's name",
    arguments: [
      (
        "offer", ["titel": "x"], EngagementError.Code.invalidArgument,
        "no such argument; it has title"
      ),
      ("offer", ["title": 1], .invalidArgument, #"argument "title": the value must be a text"#),
      ("offer", ["more": "close"], .invalidArgument, #""more": the value must be an action"#),
      ("other", [:], .notFound, #"No template "other""#),
    ] as [(String, JSONObject, EngagementError.Code, String)])
  func wrongPreview(
    _ name: String, _ values: JSONObject, _ code: EngagementError.Code, _ text: String
  ) async throws {
    let stage = try await CampaignStage()
    let error = await #expect(throws: EngagementError.self) {
      try await stage.engagement.previewTemplate(name, of: CampaignStage.provider, with: values)
    }
    #expect(error?.code == code)
    #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
    #expect(try await stage.queued().isEmpty)
    try await stage.stage.end()
  }
}
