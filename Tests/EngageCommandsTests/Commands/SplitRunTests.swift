import EngagementBraze
import EngagementBrazeTools
import EngagementCurl
import EngagementEmulator
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementVendors
import Foundation
import Testing

@testable import EngageCommands

/// An experiment between two vendors over HTTP, and the report of its plan.
@Suite("experiments from end to end", .timeLimit(.minutes(20))) struct SplitRunTests {
  private static let people = (0..<40).map { "person-\($0)" }

  @Test("X11 X12: the people of a split are in the arms of the report, each exposed once")
  func report() async throws {
    let stage = try CommandLineFixture()
    let emulator = try await Emulator.start(.init([.braze]))
    let endpoint = emulator.endpoint(of: "braze")
    let provider = #"{"vendor": "braze", "endpoint": "\#(endpoint)", "apiKey": "demo"}"#
    let split = try Engagement.Split(
      "cards-2026",
      arms: [
        .init("old", providers: ["first"]), .init("new", weight: 2, providers: ["second"]),
        .init("nothing", providers: []),
      ], otherwise: ["first"])
    let route = String(decoding: Engagement.Route.split(split).json.encoded(), as: UTF8.self)
    try stage.write(
      """
      {"cache": "cache.sqlite", "user": "person-0", "consent": "full",
       "providers": {"first": \(provider), "second": \(provider)},
       "routes": {"cards": \(route)}}
      """, to: "engage.json")
    try stage.write(
      """
      {"name": "cards-2026", "version": 1, "control": "old",
       "arms": {"old": 0.25, "new": 0.5, "nothing": 0.25}, "metrics": ["click"],
       "schedule": {"fixed": {"people": 40}}}
      """, to: "plan.json")

    // Twice, as if the application were opened again.
    for _ in 0..<2 { try await Self.use(stage, endpoint, split) }

    let ending = await stage.run(["experiment", "report", "plan.json", "--json"])
    #expect(ending.status == .done, "\(ending.errors)")
    let report = try JSON(parsing: Array(ending.output.utf8))
    #expect(report["people"] == 40)
    #expect(
      report["leftOut"] == ["inSeveralArms": 0, "inUnknownArms": 0, "inOtherVersions": 0])
    for arm in report["arms"]?.array ?? [] {
      let name = arm["name"]?.string ?? ""
      let people = Self.people.count { split.standing(of: $0) == .arm(name) }
      #expect(people > 0 && arm["people"] == .integer(Int64(people)), "\(ending.output)")
      #expect(arm["exposed"] == .integer(Int64(people)), "\(ending.output)")
    }
    #expect(report["arms"]?.array?.count == 3)

    let events = await stage.run(["routes"])
    #expect(
      events.output.contains(
        "split cards-2026 1: old 25% first; new 50% second; nothing 25% none; else first"))
    await emulator.stop()
  }

  @Test("X11: a sign-in in a new folder puts nobody into an arm but the person")
  func signIn() async throws {
    let stage = try CommandLineFixture()
    let emulator = try await Emulator.start(.init([.braze]))
    let provider =
      #"{"vendor": "braze", "endpoint": "\#(emulator.endpoint(of: "braze"))", "apiKey": "demo"}"#
    try stage.write(
      """
      {"cache": "cache.sqlite", "consent": "full",
       "providers": {"first": \(provider), "second": \(provider)},
       "routes": {"cards": {"split": {"experiment": "e",
         "arms": {"a": {"providers": ["first"]}, "b": {"providers": ["second"]}}}},
        "inbox": "none"}}
      """, to: "engage.json")
    let ending = await stage.engage("signin", "u-1", by: CurlTransport())
    #expect(ending.status == .done, "\(ending.errors)")
    let person = await stage.engage("events", "--json")
    #expect(person.output.contains(#""kind":"experiment.assigned""#), "\(person)")
    _ = await stage.engage("signout", by: CurlTransport())
    let anonymous = await stage.engage("events", "--json")
    #expect(!anonymous.output.contains(#""kind":"experiment.assigned""#), "\(anonymous)")
    await emulator.stop()
  }

  /// Everybody opens the application, sees the cards and clicks on the first one.
  private static func use(
    _ stage: CommandLineFixture, _ endpoint: String, _ split: Engagement.Split
  ) async throws {
    let engagement = try await Engagement.open(
      cache: .file(stage.folder.appending(path: "cache.sqlite").path),
      device: .current(appID: "com.example.shop", appVersion: "1.0"), transport: CurlTransport(),
      providers: [
        "first": .braze(endpoint: endpoint, apiKey: Secret("demo")),
        "second": .braze(endpoint: endpoint, apiKey: Secret("demo")),
      ], routes: .init(cards: .split(split), inbox: .none),
      options: .init(environment: "production", loggers: []))
    for id in people {
      try await engagement.signIn(User(UserID(id)), consent: .full)
      _ = await engagement.refresh(.cards)
      let cards = engagement.cards(in: "home").cards
      let vendor = [Engagement.Split.Standing.arm("old"): "first", .arm("new"): "second"][
        split.standing(of: id)]
      #expect(Set(cards.map(\.id.provider.rawValue)) == Set([vendor].compactMap(\.self)))
      if let card = cards.first(where: { $0.url != nil }) {
        try await engagement.perform(.click, on: card)
      }
    }
    try await engagement.close()
  }
}
