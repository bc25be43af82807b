import EngagementBraze
import EngagementBrazeTools
import EngagementCurl
import EngagementEmulator
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementVendors
import EngagementVibes
import EngagementVibesTools
import Foundation
import Testing

@testable import EngageCommands

/// Experiments between a vendor's own items and bridged ones of another, in which everybody does the same.
@Suite("experiments with a bridged arm", .timeLimit(.minutes(20))) struct BridgedSplitTests {
  private static let people = (0..<24).map { "person-\($0)" }

  @Test("X5 X12: what people do to messages among cards counts as it does for cards")
  func cards() async throws {
    let scene = try await Scene(.cards, metrics: #""impression", "click", "dismissal""#)
    try await scene.run { engagement in
      _ = await engagement.refresh(.cards)
      let card = try #require(engagement.cards(in: "home").cards.first { $0.isDismissible })
      for action in [ItemAction.impression, .click, .dismiss] {
        try await engagement.perform(action, on: card)
      }
    }
    for words in [["experiment", "report", "plan.json"], ["compare"]] {
      let report = try await scene.report(words)
      for arm in report["arms"]?.array ?? [] {
        #expect(arm["seen"] == arm["people"] && arm["clicked"] == arm["people"])
      }
    }
    await scene.emulator.stop()
  }

  @Test("X5 X12: what people do to cards in the inbox counts as it does for messages")
  func inbox() async throws {
    let scene = try await Scene(
      .inbox,
      metrics: #"{"name": "reading", "people": "read"}, {"name": "opening", "people": "open"}, "#
        + #"{"name": "removal", "people": "expire"}"#)
    try await scene.run { engagement in
      _ = await engagement.refresh(.inbox)
      let message = try #require(
        engagement.inbox.messages.first { engagement.card($0.id)?.isDismissible ?? true })
      for action in [ItemAction.read, .open, .expire(at: nil)] {
        try await engagement.perform(action, on: message)
      }
    }
    _ = try await scene.report(["experiment", "report", "plan.json"])
    await scene.emulator.stop()
  }

  /// A split between "braze", which has cards, and "vibes", which has messages.
  private struct Scene {
    let stage: CommandLineFixture
    let emulator: Emulator
    private let split: Engagement.Split
    private let surface: Surface

    init(_ surface: Surface, metrics: String) async throws {
      self.surface = surface
      stage = try CommandLineFixture()
      emulator = try await Emulator.start(.init([.braze, .vibes]))
      split = try Engagement.Split(
        "items",
        arms: [.init("old", providers: ["braze"]), .init("new", providers: ["vibes"])],
        otherwise: ["braze"])
      let route = String(decoding: Engagement.Route.split(split).json.encoded(), as: UTF8.self)
      try stage.write(
        """
        {"cache": "cache.sqlite", "user": "person-0", "consent": "full",
         "providers": {
           "braze": {"vendor": "braze", "endpoint": "\(emulator.endpoint(of: "braze"))",
                     "apiKey": "demo"},
           "vibes": {"vendor": "vibes", "endpoint": "\(emulator.endpoint(of: "vibes"))",
                     "appID": "demo"}},
         "routes": {"\(surface)": \(route), "\(surface == .cards ? "inbox" : "cards")": "none"}}
        """, to: "engage.json")
      try stage.write(
        """
        {"name": "items", "version": 1, "control": "old", "arms": {"old": 0.5, "new": 0.5},
         "metrics": [\(metrics)], "schedule": {"fixed": {"people": 24}}}
        """, to: "plan.json")
    }

    /// Everybody signs in and does it.
    func run(_ use: (Engagement) async throws -> Void) async throws {
      let route = Engagement.Route.split(split)
      let engagement = try await Engagement.open(
        cache: .file(stage.folder.appending(path: "cache.sqlite").path),
        device: .current(appID: "com.example.shop", appVersion: "1.0"),
        transport: CurlTransport(),
        providers: [
          "braze": .braze(endpoint: emulator.endpoint(of: "braze"), apiKey: Secret("demo")),
          "vibes": .vibes(appID: "demo", endpoint: emulator.endpoint(of: "vibes")),
        ],
        routes: surface == .cards
          ? .init(cards: route, inbox: .none) : .init(cards: .none, inbox: route),
        options: .init(environment: "production", loggers: []))
      for id in BridgedSplitTests.people {
        try await engagement.signIn(User(UserID(id)), consent: .full)
        try await use(engagement)
      }
      try await engagement.close()
    }

    /// The report. Everybody in both arms has done all that it counts.
    func report(_ words: [String]) async throws -> JSON {
      let ending = await stage.run(words + ["--json"])
      #expect(ending.status == .done, "\(ending.errors)")
      let report = try JSON(parsing: Array(ending.output.utf8))
      #expect(report["people"] == 24 && report["arms"]?.array?.count == 2)
      let metrics = report["metrics"]?.array ?? []
      #expect(!metrics.isEmpty)
      for metric in metrics where words[0] == "experiment" {
        for arm in metric["arms"]?.array ?? [] {
          #expect(arm["people"] != 0)
          #expect(arm["numerator"] == arm["people"], "\(words) \(metric)")
        }
      }
      return report
    }
  }
}
