import EngagementAdapterAPI
import EngagementModel
import EngagementTesting
import Foundation
import TestSupport
import Testing

@testable import EngagementKit

@Suite("random schedules of campaigns") struct CampaignScheduleTests {
  /// What is visible now, as a presenter knows it.
  private final class Screen: TemplatePresenter, FunctionPresenter {
    private struct Contents {
      var visible: [Int64: Presentation] = [:]
      var most = 0
      var random: SeededGenerator
    }

    private let contents: Locked<Contents>

    init(seed: UInt64) { contents = Locked(Contents(random: SeededGenerator(seed: seed))) }

    private struct Broken: Error {}

    /// How many were visible at the same time at most.
    var most: Int { contents.withLock { $0.most } }
    var users: Set<String> {
      contents.withLock { Set($0.visible.values.map { String($0.campaign.value.prefix(1)) }) }
    }

    func present(_ presentation: Presentation) throws {
      let (fails, isSilent) = contents.withLock { contents in
        let fails = Int.random(in: 0..<10, using: &contents.random) == 0
        if !fails { contents.visible[presentation.id] = presentation }
        contents.most = max(contents.most, contents.visible.count)
        return (fails, Int.random(in: 0..<5, using: &contents.random) == 0)
      }
      if fails { throw Broken() }
      if !isSilent { presentation.presented() }
    }

    func run(_ presentation: Presentation) throws {
      if presentation.template.isVisual { return try present(presentation) }
      presentation.presented()
      presentation.dismissed()
    }

    func close(_ presentation: Presentation) {
      contents.withLock { $0.visible[presentation.id] = nil }
      presentation.dismissed()
    }

    /// The user takes away what is visible, perhaps after choosing its action.
    func dismiss(choosing: Bool) {
      for presentation in contents.withLock({ $0.visible.values.sorted { $0.id < $1.id } }) {
        if choosing { presentation.trigger("more") }
        close(presentation)
      }
    }

    /// The process ends.
    func forget() { contents.withLock { $0.visible = [:] } }
  }

  /// An engagement over one cache, opened again at each restart.
  private struct World {
    let place = Stage.Place()
    let screen: Screen
    var stage: CampaignStage
    var random: SeededGenerator
    var user = "a"
    var due = 0
    var count = 0

    init(seed: UInt64) async throws {
      let screen = Screen(seed: seed)
      self.screen = screen
      random = SeededGenerator(seed: seed)
      stage = try await CampaignStage(
        at: place, signsIn: false, define: { _ in try Self.templates(screen) })
      try await stage.stage.signIn(User(UserID("a")), consent: .full)
      try await list()
    }

    private static func templates(_ screen: Screen) throws -> [PresentedTemplate] {
      [
        .template(try Template.template("offer").action("more"), shownBy: screen),
        .function(try Template.function("rate", isVisual: false), runBy: screen),
        .function(try Template.function("confirm", isVisual: true), runBy: screen),
      ]
    }

    private mutating func campaign(on event: String?) -> Campaign {
      count += 1
      let template = ["offer", "offer", "rate", "confirm", "unheard"].randomElement(using: &random)
      let action = ["close", "function"].randomElement(using: &random) ?? ""
      return .due("\(user)\(count)", on: event, of: template ?? "offer") { campaign in
        campaign.priority = Int.random(in: 1...3, using: &random)
        campaign.arguments = [
          "more": ["action": .string(action), "template": "confirm", "arguments": [:]]
        ]
        campaign.delaySeconds = [nil, 20].randomElement(using: &random) ?? nil
        campaign.lifetimeSeconds = [nil, 60].randomElement(using: &random) ?? nil
        campaign.limits = [[], [.init(.ever, 1)]].randomElement(using: &random) ?? []
      }
    }

    private mutating func list() async throws {
      try await stage.list(campaign(on: "e0"), campaign(on: "e1"), campaign(on: "e1"))
    }

    mutating func step() async throws {
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<25:
        try await stage.engagement.track("e\(Int.random(in: 0...1, using: &random))")
      case 25..<40: try await stage.deliver(campaign(on: nil))
      case 40..<45: try await list()
      case 45..<65: screen.dismiss(choosing: Bool.random(using: &random))
      case 65..<72: try await restart()
      case 72..<78:
        user = user == "a" ? "b" : "a"
        try await stage.stage.signIn(User(UserID(user)), consent: .full)
        #expect(screen.users.isEmpty, "the former user's template is gone")
        try await list()
      case 78..<82:
        stage.engagement.setPresentationMode(
          PresentationMode.allCases.randomElement(using: &random) ?? .running)
      default: place.clock.advance(by: .seconds(Int.random(in: 1...90, using: &random)))
      }
      // Sometimes several things happen before a turn.
      if Int.random(in: 0..<4, using: &random) > 0 { await stage.settle() }
      #expect(screen.most <= 1, "two are visible")
      #expect(screen.users.isSubset(of: [user]))
    }

    private mutating func restart() async throws {
      try await stage.stage.end()
      screen.forget()
      stage = try await CampaignStage(
        at: place, signsIn: false, define: { [screen] _ in try Self.templates(screen) })
    }

    /// Everything that was due has ended once, with an event.
    mutating func finish() async throws {
      stage.engagement.setPresentationMode(.running)
      for _ in 0..<60 {
        await stage.settle()
        screen.dismiss(choosing: false)
        await stage.settle()
        if try await stage.queued().isEmpty { break }
        place.clock.advance(by: .seconds(30))
      }
      #expect(try await stage.queued().isEmpty)
      for id in ["a", "b"] {
        try await stage.stage.signIn(User(UserID(id)), consent: .full)
        let events = try await stage.engagement.events().filter { $0.item?.surface == .campaigns }
        var begun: [String: Int] = [:]
        for event in events {
          let id = event.item?.id.value ?? ""
          switch event.kind {
          case .campaignDue: begun[id, default: 0] += 1
          // What an action calls is queued without an event of its own.
          case .click where event.properties["button"] == "confirm": begun[id, default: 0] += 1
          case .templateDismissed, .campaignDropped: begun[id, default: 0] -= 1
          default: break
          }
        }
        #expect(begun.values.allSatisfy { $0 == 0 }, "\(begun.filter { $0.value != 0 })")
      }
      try await stage.stage.end()
    }
  }

  @Test("C7 X8 G22: in any order of events one template is visible, and all that is due ends once")
  func schedules() async throws {
    let environment = ProcessInfo.processInfo.environment
    let first = environment["CAMPAIGN_SEED"].flatMap(UInt64.init) ?? 0
    let runs = environment["CAMPAIGN_RUNS"].flatMap(UInt64.init)
    for seed in first..<first + (runs ?? UInt64(Effort.share(of: 200))) {
      var world = try await World(seed: seed)
      for _ in 0..<40 { try await world.step() }
      try await world.finish()
    }
  }
}
