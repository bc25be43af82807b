import EngagementAtomicTools
import EngagementBrazeTools
import EngagementCurl
import EngagementEmulator
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementVendors
import Foundation
import TestSupport
import Testing

@testable import EngageCommands

/// `engage migrate status --html` and what `engage migrate plan` says of the cache, over real HTTP.
@Suite(.timeLimit(.minutes(20))) struct MigrationPageTests {
  private typealias Scene = MigrationScene

  private static let hostile = "</td></title><script>alert('1')</script>\"onload=\"x&\u{202e}"

  /// A move of cards that has come to cutover: one card was dismissed before, one has a copy.
  private func moved() async throws -> Scene {
    let scene = try await Scene()
    await scene.done("sync")
    await scene.done("migrate", "plan", "--from", "now", "--to", "next", "--surfaces", "cards,push")
    await scene.done(
      "migrate", "advance", "cards", "--force", "--by", Self.hostile, "--why", "by " + Self.hostile)
    await scene.done("sync")
    await scene.done("cards", "dismiss", "now/s-one")
    for _ in 0..<4 {
      await scene.done("migrate", "advance", "cards", "--force", "--why", "a test")
    }
    await scene.done("sync")
    return scene
  }

  @Test("X15: the page of a migration has the figures that --json has, and a table for each chart")
  func figures() async throws {
    let scene = try await moved()
    let ending = await scene.engage("migrate", "status", "--html", "move.html", "--json")
    #expect(ending.errors.isEmpty || ending.status == .failed, "\(ending.errors)")
    let page = try scene.page()
    let objects = try ending.lines.map { try JSON(parsing: Array($0.utf8)) }
    let cards = try #require(objects.first { $0["surface"] == "cards" })
    #expect(cards["stage"] == "cutover" && cards["steps"]?.array?.count == 5)
    // "two" is there twice, and "one" was dismissed as the old provider's.
    #expect(cards["shownOnce"] == 1 && cards["hidden"] == 1 && cards["held"] == 2, "\(cards)")
    #expect(objects.first { $0["surface"] == "push" }?["droppedPushes"] == 0)
    var texts = ["listed by both, shown once", "ended by the user, not shown again"]
    for object in objects {
      let steps = object["steps"]?.array ?? []
      let gates = ([object] + steps).flatMap { $0["gates"]?.array ?? [] }
      for gate in gates { texts.append(try Self.row(of: gate)) }
      texts += steps.compactMap { $0["date"]?.string }
      texts.append(try #require(object["stage"]?.string))
    }
    #expect(texts.count > 30)
    for text in texts { #expect(page.contains(text), "\(text)") }
    let charts = page.matches(of: #/<svg role="img"/#).count
    #expect(charts >= 5 && page.matches(of: #/<desc /#).count == charts)
    #expect(page.matches(of: #/<figcaption>/#).count == charts)
    #expect(page.matches(of: #/<table>/#).count >= charts)
    #expect(page.matches(of: #/<h1>/#).count == 1 && page.contains(#"aria-current="step""#))
    let ids = page.matches(of: /\bid="([^"]+)"/).map { String($0.1) }
    #expect(Set(ids).count == ids.count)
    for reference in page.matches(of: /aria-labelledby="([^"]+)"/) {
      for id in reference.1.split(separator: " ") { #expect(ids.contains(String(id)), "\(id)") }
    }
    await scene.stop()
  }

  /// A gate as the table of the gates over time has it.
  private static func row(of gate: JSON) throws -> String {
    let figure = try #require(
      gate["figure"]?.string.flatMap(Engagement.MigrationFigure.init(rawValue:)))
    let limit = figure.text(of: try #require(gate["limit"]?.number))
    let cells = [
      gate["value"]?.number.map(figure.text) ?? "not known",
      "\(figure.isAtLeast ? "at least" : "at most") \(limit)",
    ]
    return "<td>\(figure.rawValue)</td><td>\(gate["holds"] == true ? "yes" : "no")</td>"
      + cells.map { "<td class=\"number\">\($0)</td>" }.joined()
  }

  @Test("X15: at shadow the page has what the last comparison found")
  func parity() async throws {
    let scene = try await Scene()
    await scene.done("sync")
    await scene.done("migrate", "plan", "--from", "now", "--to", "next", "--surfaces", "cards")
    await scene.done("migrate", "advance", "cards", "--force", "--why", "a test")
    _ = await scene.engage("migrate", "status", "--html", "early.html")
    let early = try String(
      contentsOf: scene.stage.folder.appending(path: "early.html"), encoding: .utf8)
    #expect(early.contains("Nothing was compared yet"))
    await scene.done("sync")
    _ = await scene.engage("migrate", "status", "--html", "move.html")
    // Both list "one" and "two", in another order; "three" is missing and "four" is new.
    let cells = [2, 1, 1, 0, 1].map { "<td class=\"number\">\($0)</td>" }
    #expect(try scene.page().contains("Z</td>" + cells.joined()))
    #expect(try scene.page().contains("1 of 4"))
    await scene.stop()
  }

  @Test("X15: texts from outside close no tag of the page, run nothing and turn no text round")
  func hostileTexts() async throws {
    let scene = try await moved()
    _ = await scene.engage("migrate", "status", "--html", "move.html")
    let page = try scene.page()
    #expect(page.contains("&lt;script&gt;alert(&#39;1&#39;)"))
    for text in ["<script", "http:", "https:", "url(", "src=", "href=", "onload=\"", "\u{202e}"] {
      #expect(!page.contains(text), "\(text)")
    }
    #expect(page.contains("default-src 'none'") && page.contains("prefers-color-scheme: dark"))
    #expect(try HTMLTags(page).names.isSuperset(of: ["svg", "table", "ol", "bdi"]))
    await scene.stop()
  }

  @Test("X15: the page takes no file's place, and without a migration there is none")
  func files() async throws {
    let scene = try await Scene()
    await scene.done("sync")
    await scene.done("migrate", "status", "--html", "move.html")
    #expect(try !scene.stage.names().contains("move.html"))
    await scene.done("migrate", "plan", "--from", "now", "--to", "next", "--surfaces", "cards")
    try scene.stage.write("mine", to: "move.html")
    let taken = await scene.engage("migrate", "status", "--html", "move.html")
    #expect(taken.status != .done && taken.errors.contains("move.html"), "\(taken)")
    #expect(try scene.page() == "mine")
    #expect(try scene.stage.names().filter { $0.contains("move") } == ["move.html"])
    await scene.stop()
  }

  @Test("X15: before anything has moved the page says so")
  func beginning() async throws {
    let scene = try await Scene()
    await scene.done("sync")
    await scene.done("migrate", "plan", "--from", "now", "--to", "next", "--surfaces", "cards")
    _ = await scene.engage("migrate", "status", "--html", "move.html")
    let page = try scene.page()
    #expect(page.contains("Nothing has moved yet.") && page.contains("Left to drain"))
    _ = try HTMLTags(page)
    await scene.stop()
  }

  @Test("X15: a plan says how many items the cache holds, and what the new provider is not told")
  func held() async throws {
    let stage = try CommandLineFixture()
    let emulator = try await Emulator.start(.init([.braze]))
    try stage.write(
      """
      {"user": "u-1", "consent": "full",
       "routes": {"cards": {"only": "braze"}, "inbox": "none", "templates": "none"},
       "containers": {"home": {"atomic": "BqWL1sT"}},
       "providers": {
         "braze": {"vendor": "braze", "endpoint": "\(emulator.endpoint(of: "braze"))",
                   "apiKey": "demo"},
         "atomic": \(String(decoding: Self.atomic.encoded(), as: UTF8.self))}}
      """, to: "engage.json")
    func engage(_ line: String...) async -> CommandLineFixture.Ending {
      await stage.run(line, by: CurlTransport(), in: .init(patience: .seconds(600)))
    }
    let sync = await engage("sync")
    #expect(sync.status == .done, "\(sync.errors)")
    let held = await engage("cards", "--json").lines.count
    let plan = await engage(
      "migrate", "plan", "--from", "braze", "--to", "atomic", "--surfaces", "cards", "--dry-run")
    #expect(plan.status == .done, "\(plan.errors)")
    #expect(try #require(plan.lines.first).contains("HELD"), "\(plan.output)")
    let row = try #require(plan.lines.first { $0.hasPrefix("cards ") })
    #expect(held > 0 && row.split(separator: " ").contains("\(held)"), "\(held): \(plan.output)")
    #expect(
      plan.lines.contains("cards: atomic is not told of impression (\(held)), click (\(held))."),
      "\(plan.output)")
    await emulator.stop()
  }

  private static var atomic: JSON {
    var provider = VendorRegistration.atomic.starter ?? [:]
    provider["endpoint"] = "http://127.0.0.1:9"
    return .object(provider)
  }
}
