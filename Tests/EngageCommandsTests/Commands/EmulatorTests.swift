import EngagementBrazeTools
import EngagementCurl
import EngagementEmulator
import EngagementHTTP
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementVendors
import Foundation
import TestSupport
import Testing

@testable import EngageCommands

/// The commands over real sockets, with the vendors' servers in this process.
@Suite(.timeLimit(.minutes(20))) struct EmulatorTests {
  private static func stage(for emulator: Emulator) throws -> CommandLineFixture {
    let stage = try CommandLineFixture()
    try stage.configure(endpoint: emulator.endpoint(of: "braze"))
    return stage
  }

  @Test("X18: the demo delivers each of its actions exactly once")
  func demo() async throws {
    let ending = await (try CommandLineFixture()).engage(
      "demo", "--json", by: CurlTransport(),
      in: .init(clock: Engagement.SystemClock(), patience: .seconds(600)))
    #expect(ending.status == .done, "\(ending.errors)")
    let steps = try ending.lines.map { try JSON(parsing: Array($0.utf8)) }
    #expect(steps.allSatisfy { $0["schema"] == 1 })
    #expect(steps.last?["step"] == "end")
    #expect(steps.last?["accepted"] == 9)
    #expect(steps.last?["delivered"] == 9)
    let outcomes = steps.filter { $0["step"] == "sync" }.compactMap { $0["outcome"]?.string }
    #expect(outcomes == Array(repeating: "fresh", count: 5) + ["stale", "stale"])
    #expect(steps.contains { $0["template"] == "offer" && $0["values"]?["price.amount"] == 3.5 })
    let received = steps.filter { $0["step"] == "received" }.compactMap { $0["effect"]?.string }
    for effect in [
      "cci", "ccc", "inbox_open", "read", "card-completed", "card-snoozed", "card-voted-up",
    ] {
      #expect(received.count { $0 == effect } == 1, "\(effect) in \(received)")
    }
    #expect(received.count { ["ccd", "card-dismissed"].contains($0) } == 2, "\(received)")
  }

  @Test("the demo prints readable text within the terminal's width")
  func demoText() async throws {
    let ending = await (try CommandLineFixture()).engage(
      "demo", by: CurlTransport(),
      in: .init(width: 80, clock: Engagement.SystemClock(), patience: .seconds(600)))
    #expect(ending.status == .done, "\(ending.errors)")
    #expect(ending.output.contains("The network is gone, the feed is not: braze is stale."))
    #expect(ending.output.hasSuffix("9 of 9 actions were delivered; none is left.\n"))
    for line in ending.lines where line.hasPrefix("braze/") {
      #expect(DisplayWidth.of(line) <= 80)
    }
  }

  @Test("the demo delivers what was tried while the network was gone")
  func demoTriesAgain() async throws {
    let ending = await (try CommandLineFixture()).engage(
      "demo", by: CurlTransport(),
      in: .init(
        clock: Engagement.SystemClock(), patience: .seconds(5),
        // A slow reader gives the sender time to try before the network is back.
        hears: { Thread.sleep(forTimeInterval: 0.05) }))
    #expect(ending.status == .done, "\(ending.output)")
    #expect(ending.output.hasSuffix("9 of 9 actions were delivered; none is left.\n"))
  }

  @Test("Ctrl-C ends the demo with the interrupted status")
  func demoInterrupted() async throws {
    let ending = await (try CommandLineFixture()).engage(
      "demo", by: CurlTransport(),
      in: .init(clock: Engagement.SystemClock(), patience: .seconds(600), interruption: {}))
    #expect(ending.status == .interrupted)
  }

  @Test("G21: emulate prints the endpoints and the control token and runs until Ctrl-C")
  func emulate() async throws {
    let ending = await (try CommandLineFixture()).engage(
      "emulate", "--vendor", "braze", "--port", "0", "--json", in: .init(interruption: {}))
    #expect(ending.status == .done)
    #expect(ending.lines.count == 2)
    #expect(
      ending.lines.first?.hasPrefix(
        #"{"schema":1,"vendor":"braze","endpoint":"http://127.0.0.1:"#) == true)
    #expect(ending.lines.last?.contains(#""token":""#) == true)
  }

  @Test("emulate lists each request, without its keys and without a terminal's control characters")
  func lists() async throws {
    let stage = try CommandLineFixture()
    let program = try RunningProgram(
      Programs.built("engage"), ["emulate", "--port", "0", "--state", "state.jsonl"],
      in: stage.folder, to: .file(stage.file("out").path))
    func output() throws -> String {
      try String(contentsOf: stage.folder.appending(path: "out"), encoding: .utf8)
    }
    func wait(for text: String) async throws -> Bool {
      for _ in 0..<3_000 {
        if try output().contains(text) { return true }
        try await Task.sleep(for: .milliseconds(20))
      }
      return false
    }
    #expect(try await wait(for: "control"))
    let endpoint = try #require(
      try output().split(separator: "\n").first?.split(separator: " ").last.map(String.init))
    try stage.configure(endpoint: endpoint)
    #expect(await stage.engage("sync", by: CurlTransport()).status == .done)
    #expect(try await wait(for: "braze POST /api/v3/content_cards/sync 201: full sync of u-1"))
    var odd = HTTPRequest(.get, "\(endpoint)/%1B%5B31m\u{9b}red?key=demo-secret")
    try odd.headers.append("X-Braze-Api-Key", "demo-secret")
    _ = try await CurlTransport().send(odd)
    #expect(try await wait(for: "404"))
    let text = try output()
    #expect(!text.contains("\u{1b}") && !text.contains("\u{9b}") && !text.contains("demo-secret"))
    program.interrupt()
    #expect(program.ending().status == 0)
    #expect(try stage.names().contains("state.jsonl"))
  }

  @Test("emulate names a port that is in use and suggests the right name of an unknown fault")
  func emulateFaults() async throws {
    let emulator = try await Emulator.start(.init([.braze]))
    let port = emulator.endpoint(of: "braze").split(separator: ":").last.map(String.init) ?? ""
    let stage = try CommandLineFixture()
    let taken = await stage.engage("emulate", "--vendor", "braze", "--port", port)
    await emulator.stop()
    #expect(taken.status == .failed || (Int(port) ?? 0) > 65_526)
    #expect(taken.errors.contains(port))
    try stage.write(#"{"faults": [{"fault": "stauts"}]}"#, to: "faults.json")
    let script = await stage.engage("emulate", "--port", "0", "--faults", "faults.json")
    #expect(script.status == .failed)
    #expect(script.errors.contains(#"did you mean "status"?"#))
  }

  @Test(
    "D5: a number of cards that cannot be is a usage error that names the option",
    arguments: ["0", "-1", "many", "10001"])
  func badCount(number: String) async throws {
    let ending = await (try CommandLineFixture()).engage(
      "emulate", "--port", "0", "--cards=\(number)")
    #expect(ending.status == .usage)
    #expect(ending.output.isEmpty && ending.errors.contains("--cards"), "\(ending.errors)")
  }

  @Test("D5: emulate --cards gives a full feed")
  func manyCards() async throws {
    let stage = try CommandLineFixture()
    let program = try RunningProgram(
      Programs.built("engage"), ["emulate", "--port", "0", "--cards", "150", "--json"],
      in: stage.folder, to: .file(stage.file("out").path))
    var lines: [String] = []
    for _ in 0..<3_000 where lines.count < 3 {
      let text = try String(contentsOf: stage.folder.appending(path: "out"), encoding: .utf8)
      lines = text.split(separator: "\n").map(String.init)
      try await Task.sleep(for: .milliseconds(20))
    }
    let endpoint = try JSON(parsing: Array(try #require(lines.first).utf8))["endpoint"]?.string
    try stage.configure(endpoint: try #require(endpoint))
    #expect(await stage.engage("sync", by: CurlTransport()).status == .done)
    // One of the first cards is a control card, one a test, and one of an unknown kind.
    #expect(await stage.engage("cards", "--json").lines.count == 147)
    program.interrupt()
    #expect(program.ending().status == 0)
  }

  @Test("a delivered dismissal is in the vendor's record once")
  func record() async throws {
    let emulator = try await Emulator.start(.init([.braze]))
    let stage = try Self.stage(for: emulator)
    let sync = await stage.engage("sync", by: CurlTransport())
    #expect(sync.status == .done, "\(sync.errors)")
    let cards = await stage.engage("cards", "--json").lines
      .compactMap { try? JSON(parsing: Array($0.utf8)) }
    let card = try #require(cards.first { $0["dismissible"] == true }?["id"]?.string)
    let ending = await stage.engage(
      "cards", "dismiss", "braze/\(card)", by: CurlTransport(),
      in: .init(patience: .seconds(600)))
    #expect(ending.output == "dismiss braze/\(card.prefix(8)): delivered\n")
    #expect(await emulator.times("ccd", of: card) == 1)
    #expect(await stage.engage("doctor", by: CurlTransport()).status == .done)
    await emulator.stop()
  }

  @Test(
    "a bad answer fails the sync and keeps the cards, and the next sync works",
    arguments: [
      "status", "unauthorized", "resetBefore", "closeBefore", "html", "empty", "notHTTP",
      "redirectLoop", "redirectElsewhere", "resetMiddle", "truncate", "truncateJSON",
      "byteOrderMark", "oversize", "gzipBomb", "gzipBroken", "headerFlood", "lengthShort",
      "chunkBroken",
    ])
  func badAnswers(fault: String) async throws {
    let emulator = try await Emulator.start(.init([.braze]))
    let stage = try Self.stage(for: emulator)
    #expect(await stage.engage("sync", by: CurlTransport()).status == .done)
    let before = await stage.engage("cards", "--json").lines
    try await emulator.load(
      try EmulatorFaults(
        json: ["faults": [["fault": .string(fault), "times": "always"]]]))
    let ending = await stage.engage("sync", "--json", by: CurlTransport())
    #expect(ending.status == .failed, "\(ending.output)")
    #expect(ending.output.contains(#""outcome":"stale""#))
    #expect(await stage.engage("cards", "--json").lines == before)
    try await emulator.load(EmulatorFaults())
    #expect(await stage.engage("sync", by: CurlTransport()).status == .done)
    await emulator.stop()
  }
}
