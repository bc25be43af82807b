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

/// `engage parity` over real HTTP: one vendor is shown, another one is read beside it.
@Suite(.timeLimit(.minutes(20))) struct ParityCommandTests {
  private struct Scene {
    let stage: CommandLineFixture
    let shown: Emulator
    let candidate: Emulator

    /// - Parameters:
    ///   - route: The route of cards in `engage.json`.
    ///   - key: What follows `next`'s endpoint there.
    init(
      route: String = #"{"shadow": {"route": {"only": "now"}, "candidates": ["next"]}}"#,
      key: String = #", "contentKey": {"extra": "sku"}"#
    ) async throws {
      stage = try CommandLineFixture()
      shown = try await Emulator.start(.init([.braze]))
      candidate = try await Emulator.start(.init([.braze]))
      for emulator in [shown, candidate] {
        for item in try await emulator.items(of: "braze") {
          try await emulator.remove(item["id"]?.string ?? "", from: "braze")
        }
      }
      try stage.write(
        """
        {"user": "u-1", "consent": "full", "routes": {"cards": \(route), "inbox": "none"},
         "providers": {
           "now": {"vendor": "braze", "endpoint": "\(shown.endpoint(of: "braze"))",
                   "apiKey": "demo", "contentKey": {"extra": "sku"}},
           "next": {"vendor": "braze", "endpoint": "\(candidate.endpoint(of: "braze"))",
                    "apiKey": "demo"\(key)}}}
        """, to: "engage.json")
    }

    /// Puts a card; a smaller place is shown first.
    func put(
      _ id: String, _ sku: String?, _ place: Int64, title: String = "A title", at emulator: Emulator
    ) async throws {
      var extras: JSONObject = [:]
      if let sku { extras["sku"] = .string(sku) }
      try await emulator.put(
        [
          "id": .string(id), "tp": "short_news", "ca": .integer(1_700_000_000 - place), "ea": -1,
          "tt": .string(title), "ds": "A text", "u": "", "uw": false, "p": false, "r": false,
          "db": true, "t": false, "e": .object(extras),
        ], in: "braze")
    }

    func engage(_ line: String...) async -> CommandLineFixture.Ending {
      await stage.run(line, by: CurlTransport(), in: .init(patience: .seconds(600)))
    }

    func stop() async {
      await shown.stop()
      await candidate.stop()
    }
  }

  @Test("X10: a sync says which shadow it does not compare, and until when")
  func interval() async throws {
    let scene = try await Scene()
    try await scene.put("s-one", "one", 0, at: scene.shown)
    let first = await scene.engage("sync")
    #expect(!first.errors.contains("not compared"), "\(first.errors)")
    let second = await scene.engage("sync")
    #expect(
      second.errors.contains(
        #"cards: next was not compared; "every" of its shadow allows it from 20"#),
      "\(second.errors)")
    await scene.stop()
  }

  @Test("X10: planted mismatches of every kind are told, and limits decide the status")
  func mismatches() async throws {
    let scene = try await Scene()
    for (place, sku) in ["one", "two", "three", "four"].enumerated() {
      try await scene.put("s-\(sku)", sku, Int64(place), at: scene.shown)
    }
    try await scene.put("s-plain", nil, 9, at: scene.shown)
    try await scene.put("c-one", "one", 0, title: "Another title", at: scene.candidate)
    try await scene.put("c-four", "four", 1, at: scene.candidate)
    try await scene.put("c-two", "two", 2, at: scene.candidate)
    try await scene.put("c-five", "five", 3, at: scene.candidate)
    let missing = await scene.engage("parity")
    #expect(missing.status == .failed && missing.errors.contains("run \"engage sync\""))
    #expect(await scene.engage("sync").status == .done)
    let ending = await scene.engage("parity")
    #expect(ending.status == .failed)
    #expect(
      ending.output == """
        SURFACE  CANDIDATE  BOTH  MISSING  EXTRA  DIFFERENT  MOVED  LATER  NO KEY  COMPARED  VERDICT
        cards    next          3        1      1          1      1      0       1  0 s ago   differs
          different: now/s-one and next/c-one: title
          missing: now/s-three
          extra: next/c-five
          moved: now/s-four and next/c-four

        """)
    #expect(
      ending.errors == """
        cards, next: 1 of 4 missing, 25%, and --max-missing is 0%.
        cards, next: 1 of 4 extra, 25%, and --max-extra is 0%.
        cards, next: 1 of 3 different, 33.33%, and --max-different is 0%.
        cards, next: 1 of 3 moved, 33.33%, and --max-moved is 0%.
        cards, next: 1 of 5 shown items had no content key when it was compared at 2026-10-01T09:00:00.000Z, and were left out.

        """)
    let loose = await scene.engage(
      "parity", "--max-missing", "25%", "--max-extra", "25", "--max-different", "33.34%",
      "--max-moved", "100%")
    #expect(loose.status == .done)
    let strict = await scene.engage(
      "parity", "--max-missing", "25%", "--max-extra", "25", "--max-different", "33.34%",
      "--max-moved", "100%", "--max-no-key", "19%")
    #expect(strict.status == .failed && strict.errors.contains("--max-no-key is 19%"))
    let few = await scene.engage(
      "parity", "--max-missing", "25%", "--max-extra", "25", "--max-different", "33.34%",
      "--max-moved", "100%", "--min-compared", "6")
    #expect(few.status == .failed && few.errors.contains("only 5 were compared"))
    let cards = await scene.engage("cards", "--json")
    #expect(cards.lines.count == 5 && !cards.output.contains("c-"))
    let events = await scene.engage("events", "--json")
    #expect(!events.output.contains("c-one"))
    await scene.stop()
  }

  @Test("X10: a candidate that equals what is shown is at parity, and the JSON has all figures")
  func equal() async throws {
    let scene = try await Scene()
    for emulator in [scene.shown, scene.candidate] {
      try await scene.put("x-one", "one", 0, at: emulator)
      try await scene.put("x-two", "two", 1, at: emulator)
    }
    #expect(await scene.engage("sync").status == .done)
    #expect(await scene.engage("parity").status == .done)
    let ending = await scene.engage("parity", "--json")
    let object = try JSON(parsing: Array(ending.output.utf8))
    #expect(object["verdict"] == "parity" && object["reasons"] == .array([]))
    #expect(object["candidate"] == "next" && object["shown"] == ["now"])
    #expect(object["last"]?["both"] == 2 && object["last"]?["onlyShown"] == 0)
    // Too soon for another reading.
    #expect(await scene.engage("sync").status == .done)
    let again = try JSON(parsing: Array(await scene.engage("parity", "--json").output.utf8))
    #expect(again == object)
    await scene.stop()
  }

  @Test("X10: a candidate that is down leaves the sync as it is, and is not at parity")
  func down() async throws {
    let scene = try await Scene()
    try await scene.put("s-one", "one", 0, at: scene.shown)
    await scene.candidate.setOffline(true)
    let sync = await scene.engage("sync")
    #expect(sync.status == .done && !sync.output.contains("next"))
    let ending = await scene.engage("parity")
    #expect(ending.status == .failed && ending.output.contains("not compared"))
    #expect(ending.errors.contains("The last reading of it failed: unavailable."))
    await scene.stop()
  }

  @Test("X10: without content keys, and without a shadow, nothing is at parity")
  func uncompared() async throws {
    let keyless = try await Scene(key: "")
    for emulator in [keyless.shown, keyless.candidate] {
      try await keyless.put("x-one", "one", 0, at: emulator)
    }
    #expect(await keyless.engage("sync").status == .done)
    let ending = await keyless.engage("parity")
    #expect(ending.status == .failed)
    #expect(ending.errors.contains("next has no contentKey in engage.json"))
    await keyless.stop()
    let plain = try await Scene(route: #"{"only": "now"}"#)
    let early = await plain.engage("parity")
    #expect(early.status == .failed && early.errors.contains("engage sync"))
    #expect(await plain.engage("sync").status == .done)
    let none = await plain.engage("parity")
    #expect(none.status == .failed && none.errors.contains("No route has a shadow"))
    await plain.stop()
  }

  @Test("X10: a key that is added is compared with the next sync, and every lacking one is named")
  func addedKey() async throws {
    let scene = try await Scene(key: "")
    for emulator in [scene.shown, scene.candidate] {
      try await scene.put("x-one", "one", 0, at: emulator)
    }
    let file = scene.stage.folder.appending(path: "engage.json")
    let text = try String(contentsOf: file, encoding: .utf8)
    let key = #", "contentKey": {"extra": "sku"}"#
    try scene.stage.write(text.replacing(key, with: ""), to: "engage.json")
    #expect(await scene.engage("sync").status == .done)
    let ending = await scene.engage("parity")
    #expect(
      ending.errors.contains("now and next have no contentKey in engage.json"), "\(ending)")
    let keyed = text.replacing(#""apiKey": "demo""#, with: #""apiKey": "demo""# + key)
    try scene.stage.write(keyed.replacing(key + key, with: key), to: "engage.json")
    #expect(await scene.engage("sync").status == .done)
    let compared = await scene.engage("parity")
    #expect(compared.status == .done, "\(compared)")
    await scene.stop()
  }

  @Test(
    "X10: a limit that is none is refused",
    arguments: [
      ["--max-missing", "101%"], ["--max-extra", "-1"], ["--max-different", "few"],
      ["--max-moved", "1e1"], ["--max-moved", ""], ["--min-compared", "0"], ["--max-age", "0"],
    ])
  func usage(options: [String]) async throws {
    let ending = await (try CommandLineFixture()).run(["parity"] + options)
    #expect(ending.status == .usage && ending.errors.contains(options[0]))
  }

  @Test(
    "X10: what was compared too long ago, or in the future, is not at parity",
    arguments: [(86_400.0, true), (86_401.0, false), (-60.0, true), (-61.0, false)])
  func age(seconds: Double, isAtParity: Bool) async throws {
    var report = Engagement.ParityReport(.cards, in: "home", of: "b", shown: ["a"])
    let now = Date(timeIntervalSince1970: 1_000_000)
    report.comparisons = 1
    report.last.both = 3
    report.comparedAt = now.addingTimeInterval(-seconds)
    let verdict = ParityLimits().verdict(on: report, at: now)
    #expect((verdict == .parity) == isAtParity)
    if !isAtParity { #expect(verdict.reasons.first?.contains("run \"engage sync\"") == true) }
  }

  @Test("X10: of a candidate that has asked for a pause it is said until when no sync helps")
  func paused() {
    var report = Engagement.ParityReport(.cards, in: "home", of: "b", shown: ["a"])
    report.failure = .rateLimited
    let now = Date(timeIntervalSince1970: 1_000_000)
    let verdict = ParityLimits().verdict(
      on: report, at: now, pausedUntil: now.addingTimeInterval(600))
    let reason = verdict.reasons.first ?? ""
    #expect(
      reason.contains("left alone until 1970-01-12T13:56:40") && reason.contains("sync\" then"),
      "\(reason)")
  }
}
