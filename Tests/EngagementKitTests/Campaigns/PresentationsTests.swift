import EngagementAdapterAPI
import EngagementModel
import EngagementTesting
import Testing

@testable import EngagementKit

@Suite("presentations") struct PresentationsTests {
  @Test("C5 C7 C9: an event makes a campaign due, its template is shown, told once and dismissed")
  func wholeWay() async throws {
    let stage = try await CampaignStage()
    try await stage.list(.due("c-1", on: "paid") { $0.arguments = ["title": "Thank you"] })
    try await stage.engagement.track("paid")
    await stage.settle()
    let shown = try #require(stage.presenter["c-1"])
    #expect(shown.values.string("title") == "Thank you")
    shown.presented()
    shown.dismissed()
    shown.dismissed()
    shown.presented()
    await stage.settle()
    #expect(stage.presenter.lines == ["show offer c-1"])
    #expect(
      try await stage.story() == [
        "campaign.due c-1 paid", "template.presented c-1", "template.dismissed c-1",
      ])
    #expect(try await stage.waitingEvents() == [.custom, .templatePresented])
    #expect(try await stage.queued().isEmpty)
    try await stage.stage.end()
  }

  @Test("C7 C9: a campaign that becomes due again while it waits is shown once")
  func repeats() async throws {
    let stage = try await CampaignStage()
    try await stage.list(.due("c-1", on: "paid"))
    stage.engagement.setPresentationMode(.suspended)
    for _ in 1...3 { try await stage.engagement.track("paid") }
    #expect(try await stage.queued() == ["c-1"])
    stage.engagement.setPresentationMode(.running)
    await stage.settle()
    stage.presenter["c-1"]?.dismissed()
    await stage.settle()
    #expect(stage.presenter.lines == ["show offer c-1"])
    try await stage.engagement.track("paid")
    await stage.settle()
    #expect(stage.presenter.lines.count == 2, "it was not waiting any more")
    try await stage.stage.end()
  }

  @Test("X2 C7: what is due of a provider that leaves the route is taken away and dropped")
  func leavesRoute() async throws {
    let stage = try await CampaignStage()
    try await stage.deliver(.due("c-1"), .due("c-2"))
    await stage.settle()
    #expect(stage.presenter.lines == ["show offer c-1"])
    try await stage.engagement.setRoute(Route.none, for: .templates)
    await stage.settle()
    #expect(stage.presenter.lines == ["show offer c-1", "close offer c-1"])
    try await stage.deliver(.due("c-3"))
    await stage.settle()
    #expect(try await stage.queued().isEmpty)
    #expect(
      try await stage.story() == [
        "campaign.due c-1", "campaign.due c-2", "template.presented c-1",
        "template.dismissed c-1", "campaign.dropped c-2 route", "campaign.due c-3",
        "campaign.dropped c-3 route",
      ])
    try await stage.engagement.resetRoute(for: .templates)
    try await stage.deliver(.due("c-4"))
    await stage.settle()
    #expect(stage.presenter.lines.last == "show offer c-4")
    try await stage.stage.end()
  }

  @Test("C7: one template is visible, and the next follows when it is dismissed, by priority")
  func oneAtATime() async throws {
    let stage = try await CampaignStage()
    try await stage.deliver(
      .due("c-1"), .due("c-2") { $0.priority = 5 }, .due("c-3") { $0.priority = 9 })
    await stage.settle()
    #expect(stage.presenter.lines == ["show offer c-3"])
    stage.presenter["c-3"]?.dismissed()
    await stage.settle()
    stage.presenter["c-2"]?.dismissed()
    await stage.settle()
    #expect(stage.presenter.lines == ["show offer c-3", "show offer c-2", "show offer c-1"])
    try await stage.stage.end()
  }

  @Test("C7: run() presents by itself, and of two processes of one cache one presents")
  func running() async throws {
    let place = Stage.Place()
    let (first, second) = (try await CampaignStage(at: place), try await CampaignStage(at: place))
    let running = Task { try await first.engagement.run() }
    try await first.deliver(.due("c-1"))
    await first.presenter.wait(for: ["show offer c-1"])
    // The first has the right to present while it runs.
    #expect(try await !second.engagement.presentDueTemplates(within: .seconds(1)))
    #expect(second.presenter.lines.isEmpty)
    try await first.deliver(.due("c-2"))
    first.presenter["c-1"]?.dismissed()
    await first.presenter.wait(for: ["show offer c-1", "show offer c-2"])
    first.presenter["c-2"]?.dismissed()
    while try await !first.queued().isEmpty { await Task.yield() }
    #expect(
      try await second.engagement.presentDueTemplates(within: .seconds(1)), "nothing is due")
    running.cancel()
    _ = await running.result
    try await first.stage.end()
    try await second.stage.end()
  }

  @Test("C7: a program without run() presents what is due and returns")
  func withoutRunning() async throws {
    let stage = try await CampaignStage()
    #expect(try await stage.engagement.presentDueTemplates(within: .zero), "nothing is due")
    try await stage.deliver(.due("c-1"))
    #expect(try await !stage.engagement.presentDueTemplates(within: .zero), "it is visible")
    stage.presenter["c-1"]?.dismissed()
    #expect(try await stage.engagement.presentDueTemplates(within: .zero))
    #expect(stage.presenter.lines == ["show offer c-1"])
    try await stage.stage.end()
  }

  @Test("C7: nothing is presented before a scene is active, while suspended or in the background")
  func circumstances() async throws {
    let stage = try await CampaignStage(presentations: .init())
    try await stage.deliver(.due("c-1"))
    await stage.settle()
    #expect(stage.presenter.lines.isEmpty)
    stage.engagement.setPresentationMode(.suspended)
    stage.engagement.setScenePhase(.active)
    await stage.settle()
    #expect(stage.presenter.lines.isEmpty)
    stage.engagement.setPresentationMode(.running)
    await stage.settle()
    #expect(stage.presenter.lines == ["show offer c-1"])
    try await stage.deliver(.due("c-2"))
    stage.engagement.setScenePhase(.background)
    stage.presenter["c-1"]?.dismissed()
    await stage.settle()
    #expect(stage.presenter.lines.count == 1)
    stage.engagement.setPresentationMode(.discarding)
    stage.engagement.setScenePhase(.active)
    await stage.settle()
    #expect(try await stage.story().last == "campaign.dropped c-2 discarded")
    try await stage.stage.end()
  }

  @Test("C9 G22: the vendor's caps are decided before each presentation, over restarts")
  func caps() async throws {
    let place = Stage.Place()
    var stage = try await CampaignStage(at: place)
    try await stage.engagement.commit(
      [.settings(VendorSettings(campaignCaps: CampaignCaps(perDay: 2)))],
      from: CampaignStage.provider)
    try await stage.deliver(.due("c-1"))
    await stage.settle()
    stage.presenter["c-1"]?.dismissed()
    await stage.settle()
    try await stage.stage.end()
    stage = try await CampaignStage(at: place)
    try await stage.deliver(
      .due("c-2"), .due("c-3"), .due("c-4") { $0.isExcludedFromCaps = true })
    await stage.settle()
    stage.presenter["c-2"]?.dismissed()
    await stage.settle()
    #expect(stage.presenter.lines == ["show offer c-2", "show offer c-4"])
    #expect(try await stage.story().contains("campaign.dropped c-3 capped"))
    try await stage.stage.end()
  }

  @Test(
    "C7 G22: after a restart what was handed over is presented once more, what was presented is not"
  )
  func restart() async throws {
    let place = Stage.Place()
    var stage = try await CampaignStage(at: place)
    stage.presenter.setSilent(true)
    try await stage.deliver(.due("c-1"))
    await stage.settle()
    try await stage.stage.end()
    stage = try await CampaignStage(at: place)
    await stage.settle()
    #expect(stage.presenter.lines == ["show offer c-1"])
    try await stage.stage.end()
    stage = try await CampaignStage(at: place)
    await stage.settle()
    #expect(stage.presenter.lines.isEmpty)
    #expect(try await stage.queued().isEmpty)
    try await stage.stage.end()
  }

  @Test(
    "C7: a template that nobody defined and one whose presenter fails are skipped with an event")
  func skipped() async throws {
    let stage = try await CampaignStage()
    try await stage.deliver(.due("c-1", of: "unheard"), .due("c-2"))
    stage.presenter.setFailing(true)
    await stage.settle()
    #expect(
      try await stage.story() == [
        "campaign.due c-1", "campaign.due c-2", "campaign.dropped c-1 undefined",
        "campaign.dropped c-2 presenter",
      ])
    try await stage.stage.end()
  }

  @Test("X8 C7: a user who leaves takes the visible template and the queue away")
  func switched() async throws {
    let stage = try await CampaignStage()
    try await stage.deliver(.due("c-1"), .due("c-2"))
    await stage.settle()
    try await stage.stage.signIn(User(UserID("u-2")), consent: .full)
    #expect(stage.presenter.lines == ["show offer c-1", "close offer c-1"])
    await stage.settle()
    #expect(stage.presenter.lines.count == 2)
    #expect(try await stage.queued().isEmpty)
    try await stage.stage.signIn(User(UserID("u-1")))
    await stage.settle()
    #expect(stage.presenter.lines.count == 2)
    #expect(try await stage.story().last == "campaign.dropped c-2 discarded")
    try await stage.stage.end()
  }

  @Test("X20: after consent is withdrawn nothing of what is visible is recorded or sent")
  func withdrawn() async throws {
    let stage = try await CampaignStage()
    stage.presenter.setSilent(true)
    try await stage.deliver(.due("c-1"))
    await stage.settle()
    try await stage.engagement.setConsent(.denied)
    stage.presenter["c-1"]?.presented()
    stage.presenter["c-1"]?.trigger("more")
    stage.presenter["c-1"]?.dismissed()
    await stage.settle()
    #expect(try await stage.story() == ["campaign.due c-1"])
    #expect(try await stage.waitingEvents().isEmpty)
    try await stage.stage.end()
  }

  @Test("C7: a presenter that does not dismiss is reported, and ended where there is a limit")
  func patience() async throws {
    for limit in [nil, Duration.seconds(30)] {
      let stage = try await CampaignStage(
        presentations: .init(timeLimit: limit, withoutScene: true))
      try await stage.deliver(.due("c-1"), .due("c-2"))
      await stage.settle()
      stage.stage.clock.advance(by: .seconds(301))
      await stage.settle()
      #expect(stage.presenter.lines.contains("show offer c-2") == (limit != nil))
      #expect(
        stage.stage.lines.all.contains { $0.message.contains("visible for long") }
          == (limit == nil))
      try await stage.stage.end()
    }
  }

  @Test("C3: a template that is defined twice or has a name of the vendor's own is refused by name")
  func definitions() async throws {
    for (names, word) in [
      (["a", "a"], "\"a\" is defined twice"), (["own"], "\"own\" has the name"),
    ] {
      let error = await failure {
        try await CampaignStage(define: { presenter in
          try names.map { .template(try Template.template($0), shownBy: presenter) }
        })
      }
      #expect(error?.code == .invalidConfiguration)
      #expect(error?.message.contains(word) == true, "\(String(describing: error))")
    }
  }

  @Test("C4: a sync sends the definitions, and needs some")
  func sync() async throws {
    let stage = try await CampaignStage()
    try await stage.engagement.syncTemplates(with: CampaignStage.provider)
    #expect(stage.stage.asked.contains { $0.contains("/templates?") })
    let none = try await CampaignStage(define: { _ in [] })
    let error = await failure { try await none.engagement.syncTemplates(with: "p") }
    #expect(error?.code == .invalidArgument)
    try await stage.stage.end()
    try await none.stage.end()
  }
}
