import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

/// Two vendors with campaigns, and one presenter. It is 12:00 in the device's time zone.
struct CapsStage: Sendable {
  let stage: Stage
  let presenter = NotingPresenter()
  var engagement: Engagement { stage.engagement }
  var clock: TestClock { stage.clock }

  static let vendors: [PuppetAdapter] = ["a", "b"].map { (id: ProviderID) in
    var adapter = PuppetAdapter(
      id, abilities: [.campaigns: .idempotentRequest, .events: .request])
    adapter.capabilities.eventKinds = [.custom]
    return adapter
  }

  init(
    _ caps: Options.Caps, contentKeys: ContentKeys = [:], at place: Stage.Place? = nil,
    withoutScene: Bool = true
  ) async throws {
    let offers = try CampaignStage.offers(presenter)
    stage = try await Stage(
      Self.vendors, routes: Routes(cards: .none, inbox: .none),
      templates: ["a": offers, "b": offers], contentKeys: contentKeys,
      presentations: .init(withoutScene: withoutScene, caps: caps), at: place)
    try await stage.signIn(User(UserID("u-1")), consent: .full)
  }

  /// The vendor wants the campaign presented now.
  func deliver(
    _ id: String, from provider: ProviderID, _ title: String? = nil, of template: String = "offer",
    _ change: (inout Campaign) -> Void = { _ in }
  ) async throws {
    var campaign = Campaign(ItemID(provider, id), vendor: "puppet", template: template)
    if let title { campaign.arguments = ["title": .string(title)] }
    campaign.expiresAt = clock.now.addingTimeInterval(30 * 86_400)
    change(&campaign)
    try await engagement.commit(
      [.items(.dueCampaigns, .put, [RawItem(0, campaign)])], from: provider)
    await settle()
  }

  func settle() async { await engagement.presentations.settle() }

  func dismiss(_ id: String) async {
    presenter[id]?.dismissed()
    await settle()
  }

  func advance(hours: Double) async {
    clock.advance(by: .seconds(hours * 3_600))
    await settle()
  }

  var shown: [String] { presenter.lines.map { String($0.split(separator: " ")[2]) } }

  /// What was held back or dropped: `kind id reason`.
  func story() async throws -> [String] {
    try await engagement.events().filter { [.itemHeld, .campaignDropped].contains($0.kind) }.map {
      "\($0.kind) \($0.item?.id.value ?? "") \($0.properties["reason"]?.string ?? "")"
    }
  }
}

@Suite("caps", .timeLimit(.minutes(20))) struct CapsTests {
  @Test("X17: a cap counts over all vendors, and what it holds back is shown on the next day")
  func perDay() async throws {
    let stage = try await CapsStage(.init(perDay: 2))
    for (id, provider) in [("1", "a"), ("2", "b"), ("3", "a"), ("4", "b")] {
      try await stage.deliver(id, from: ProviderID(provider))
      await stage.dismiss(id)
    }
    #expect(stage.shown == ["1", "2"])
    // What waits is told once, also when nothing may be presented for a while.
    for mode in [PresentationMode.suspended, .running] {
      stage.engagement.setPresentationMode(mode)
      await stage.settle()
    }
    #expect(try await stage.story() == ["item.held 3 perDay", "item.held 4 perDay"])
    let held = try await stage.engagement.events().first { $0.kind == .itemHeld }
    #expect(held?.properties["until"] == "2026-10-01T21:00:00.000Z")
    await stage.advance(hours: 11.9)
    #expect(stage.shown == ["1", "2"])
    await stage.advance(hours: 0.2)
    await stage.dismiss("3")
    #expect(stage.shown == ["1", "2", "3", "4"])
    #expect(try await stage.story().count == 2)
    try await stage.stage.end()
  }

  @Test("X17 C7: what may never be shown later is dropped, and the ledger says why")
  func never() async throws {
    let stage = try await CapsStage(.init(perDay: 0, held: .never))
    try await stage.deliver("1", from: "a")
    await stage.advance(hours: 24)
    #expect(stage.shown.isEmpty)
    #expect(try await stage.story() == ["campaign.dropped 1 perDay"])
    try await stage.stage.end()
  }

  @Test("X17: what is held back ends when it expires")
  func expires() async throws {
    let stage = try await CapsStage(.init(perDay: 0))
    try await stage.deliver("1", from: "a") {
      $0.expiresAt = stage.clock.now.addingTimeInterval(3_600)
    }
    await stage.advance(hours: 2)
    #expect(try await stage.story() == ["item.held 1 perDay", "campaign.dropped 1 expired"])
    try await stage.stage.end()
  }

  @Test("X17 X4: the same content of two vendors counts once, and others go first")
  func contents() async throws {
    let stage = try await CapsStage(
      .init(contentPerDay: 1, contentEver: 2),
      contentKeys: ["a": .extra("title"), "b": .extra("title")])
    try await stage.deliver("1", from: "a", "Sale")
    await stage.dismiss("1")
    try await stage.deliver("2", from: "b", "Sale")
    try await stage.deliver("3", from: "b", "News")
    await stage.dismiss("3")
    #expect(stage.shown == ["1", "3"])
    await stage.advance(hours: 13)
    await stage.dismiss("2")
    #expect(stage.shown == ["1", "3", "2"])
    await stage.advance(hours: 24)
    try await stage.deliver("4", from: "a", "Sale")
    #expect(
      try await stage.story() == ["item.held 2 contentPerDay", "campaign.dropped 4 contentEver"])
    try await stage.stage.end()
  }

  @Test("X17: in a quiet time nothing is presented, by the clock and the zone of the device")
  func quiet() async throws {
    let stage = try await CapsStage(
      .init(quietTimes: [try Options.QuietTime(fromHour: 22, toHour: 7)]))
    try await stage.deliver("1", from: "a")
    await stage.dismiss("1")
    await stage.advance(hours: 10)
    try await stage.deliver("2", from: "b")
    await stage.advance(hours: 8.9)
    #expect(stage.shown == ["1"])
    #expect(try await stage.story() == ["item.held 2 quietTime"])
    await stage.advance(hours: 0.2)
    #expect(stage.shown == ["1", "2"])
    try await stage.stage.end()
  }

  @Test("X17 G10: a restart and another process of the cache count on, with one event for each")
  func processes() async throws {
    let place = Stage.Place()
    let first = try await CapsStage(.init(perDay: 1), at: place)
    try await first.deliver("1", from: "a")
    await first.dismiss("1")
    try await first.stage.end()
    let second = try await CapsStage(.init(perDay: 1), at: place)
    try await second.deliver("2", from: "b")
    #expect(second.shown.isEmpty)
    try await second.stage.end()
    let third = try await CapsStage(.init(perDay: 1), at: place)
    let other = try await CapsStage(.init(perDay: 1), at: place)
    await third.settle()
    await other.settle()
    #expect(third.shown.isEmpty && other.shown.isEmpty)
    #expect(try await third.story() == ["item.held 2 perDay"])
    await third.advance(hours: 13)
    #expect(third.shown == ["2"])
    await third.dismiss("2")
    try await other.deliver("3", from: "a")
    #expect(other.shown.isEmpty, "the presentation of the other process counts")
    try await third.stage.end()
    try await other.stage.end()
  }

  @Test("X17: a clock that jumps by years changes no cap", arguments: [-20.0, 20])
  func jumps(years: Double) async throws {
    let place = Stage.Place()
    let stage = try await CapsStage(.init(perDay: 1), at: place)
    try await stage.deliver("1", from: "a")
    await stage.dismiss("1")
    let now = stage.clock.now
    stage.clock.set(to: now.addingTimeInterval(years * 31_536_000))
    try await stage.deliver("2", from: "b")
    #expect(stage.shown == ["1"])
    try await stage.stage.end()
    let next = try await CapsStage(.init(perDay: 1), at: place)
    await next.settle()
    #expect(next.shown.isEmpty)
    // The day still ends when it would have ended.
    await next.advance(hours: 11.9)
    #expect(next.shown.isEmpty)
    await next.advance(hours: 0.2)
    #expect(next.shown == ["2"])
    try await next.stage.end()
  }

  @Test("X17: a session of use has its own cap, the same for every vendor")
  func sessions() async throws {
    let stage = try await CapsStage(.init(perSession: 1), withoutScene: false)
    stage.engagement.setScenePhase(.active)
    try await stage.deliver("1", from: "a")
    await stage.dismiss("1")
    try await stage.deliver("2", from: "b")
    #expect(stage.shown == ["1"])
    stage.engagement.setScenePhase(.background)
    await stage.advance(hours: 1)
    stage.engagement.setScenePhase(.active)
    await stage.settle()
    #expect(stage.shown == ["1", "2"])
    #expect(try await stage.story() == ["item.held 2 perSession"])
    try await stage.stage.end()
  }

  @Test("X17 X8: each user has counts of their own")
  func users() async throws {
    let stage = try await CapsStage(.init(perDay: 1))
    try await stage.deliver("1", from: "a")
    await stage.dismiss("1")
    try await stage.stage.signIn(User(UserID("u-2")), consent: .full)
    try await stage.deliver("2", from: "a")
    await stage.dismiss("2")
    try await stage.stage.signIn(User(UserID("u-1")), consent: .full)
    try await stage.deliver("3", from: "a")
    #expect(stage.shown == ["1", "2"])
    try await stage.stage.end()
  }

  @Test("X17: previews, and functions that show nothing, neither count nor wait")
  func exempt() async throws {
    let stage = try await CapsStage(.init(perDay: 1))
    try await stage.deliver("1", from: "a", of: "rate")
    try await stage.engagement.previewTemplate("offer", of: "a")
    await stage.settle()
    await stage.dismiss("preview")
    try await stage.deliver("2", from: "b")
    await stage.dismiss("2")
    try await stage.engagement.previewTemplate("offer", of: "a")
    await stage.settle()
    try await stage.deliver("3", from: "a", of: "rate")
    #expect(stage.shown == ["1", "preview", "2", "preview", "3"])
    try await stage.stage.end()
  }

  @Test("X17 C9: a vendor's caps hold beside those of the application")
  func beside() async throws {
    let stage = try await CapsStage(.init(perDay: 3))
    try await stage.engagement.commit(
      [.settings(VendorSettings(campaignCaps: CampaignCaps(perDay: 1)))], from: "a")
    for (id, provider) in [("1", "a"), ("2", "a"), ("3", "b"), ("4", "b"), ("5", "b")] {
      try await stage.deliver(id, from: ProviderID(provider))
      await stage.dismiss(id)
    }
    #expect(stage.shown == ["1", "3", "4"])
    #expect(try await stage.story() == ["campaign.dropped 2 capped", "item.held 5 perDay"])
    try await stage.stage.end()
  }

  @Test(
    "X17: a cap below zero is refused with its field and its value",
    arguments: [
      (Options.Caps(perDay: -1), "perDay is -1"), (.init(perSession: -2), "perSession is -2"),
      (.init(contentPerDay: -3), "contentPerDay is -3"),
      (.init(contentEver: -4), "contentEver is -4"),
    ])
  func belowZero(caps: Options.Caps, text: String) async throws {
    let error = await #expect(throws: EngagementError.self) { _ = try await CapsStage(caps) }
    #expect(error?.code == .invalidConfiguration)
    #expect(
      error?.message.hasPrefix("options.presentations.caps.\(text), which is below zero") == true)
  }

  @Test(
    "X17: a quiet time that is none is refused",
    arguments: [
      (24, 0, 7, [.everyDay]), (-1, 0, 7, [.everyDay]), (22, 60, 7, [.everyDay]),
      (7, 0, 7, [.everyDay]), (22, 0, 7, []),
    ] as [(Int, Int, Int, Set<PersonUpdate.Day>)])
  func badQuietTimes(hour: Int, minute: Int, end: Int, days: Set<PersonUpdate.Day>) {
    let error = #expect(throws: EngagementError.self) {
      _ = try Options.QuietTime(fromHour: hour, fromMinute: minute, toHour: end, on: days)
    }
    #expect(error?.code == .invalidConfiguration)
  }
}
