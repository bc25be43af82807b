import EngagementCurl
import EngagementEmulator
import EngagementJSON
import EngagementKit
import EngagementModel
import Foundation
import Testing

@testable import EngageCommands

/// The commands over real sockets, with the vendors' servers in this process.
@Suite(.timeLimit(.minutes(20))) struct EmulatorTests {
  private static func stage(for emulator: Emulator) throws -> Stage {
    let stage = try Stage()
    try stage.configure(endpoint: emulator.endpoint(of: "braze"))
    return stage
  }

  @Test("the demonstration delivers all that it did, each once, and leaves nothing behind (X18)")
  func demo() async throws {
    let ending = await (try Stage()).engage(
      "demo", "--json", by: CurlTransport(),
      in: .init(clock: SystemClock(), patience: .seconds(600)))
    #expect(ending.status == .done, "\(ending.errors)")
    let steps = try ending.lines.map { try JSON(parsing: Array($0.utf8)) }
    #expect(steps.allSatisfy { $0["schema"] == 1 })
    #expect(steps.last?["step"] == "end")
    #expect(steps.last?["accepted"] == 6)
    #expect(steps.last?["delivered"] == 6)
    let outcomes = steps.filter { $0["step"] == "sync" }.compactMap { $0["outcome"]?.string }
    #expect(outcomes == ["fresh", "fresh", "stale"])
    let received = steps.filter { $0["step"] == "received" }.compactMap { $0["effect"]?.string }
    for (effect, count) in [("cci", 1), ("ccc", 1), ("ccd", 2), ("inbox_open", 1), ("read", 1)] {
      #expect(received.count { $0 == effect } == count, "\(effect) in \(received)")
    }
  }

  @Test("the demonstration reads as a story")
  func demoText() async throws {
    let ending = await (try Stage()).engage(
      "demo", by: CurlTransport(),
      in: .init(width: 80, clock: SystemClock(), patience: .seconds(600)))
    #expect(ending.status == .done, "\(ending.errors)")
    #expect(ending.output.contains("The network is gone, the feed is not: braze is stale."))
    #expect(ending.output.hasSuffix("6 of 6 actions were delivered; none is left.\n"))
    for line in ending.lines where line.hasPrefix("braze/") {
      #expect(DisplayWidth.of(line) <= 80)
    }
  }

  @Test("Ctrl-C in the demonstration ends it in order")
  func demoInterrupted() async throws {
    let ending = await (try Stage()).engage(
      "demo", by: CurlTransport(),
      in: .init(clock: SystemClock(), patience: .seconds(600), interruption: {}))
    #expect(ending.status == .interrupted)
  }

  @Test("emulate says where the vendors are and runs until Ctrl-C (G21)")
  func emulate() async throws {
    let ending = await (try Stage()).engage(
      "emulate", "--vendor", "braze", "--port", "0", "--json", in: .init(interruption: {}))
    #expect(ending.status == .done)
    #expect(ending.lines.count == 2)
    #expect(
      ending.lines.first?.hasPrefix(
        #"{"schema":1,"vendor":"braze","endpoint":"http://127.0.0.1:"#) == true)
    #expect(ending.lines.last?.contains(#""token":""#) == true)
  }

  @Test("a port in use is told with its number, and so is a script of faults that is none")
  func emulateFaults() async throws {
    let emulator = try await Emulator.start(.init(vendors: ["braze"]))
    let port = emulator.endpoint(of: "braze").split(separator: ":").last.map(String.init) ?? ""
    let stage = try Stage()
    let taken = await stage.engage("emulate", "--vendor", "braze", "--port", port)
    await emulator.stop()
    #expect(taken.status == .failed || (Int(port) ?? 0) > 65_526)
    #expect(taken.errors.contains(port))
    try stage.write(#"{"faults": [{"fault": "stauts"}]}"#, to: "faults.json")
    let script = await stage.engage("emulate", "--port", "0", "--faults", "faults.json")
    #expect(script.status == .failed)
    #expect(script.errors.contains(#"did you mean "status"?"#))
  }

  @Test("what a command delivers is in the vendor's own record, once")
  func record() async throws {
    let emulator = try await Emulator.start(.init(vendors: ["braze"]))
    let stage = try Self.stage(for: emulator)
    let sync = await stage.engage("sync", by: CurlTransport())
    #expect(sync.status == .done, "\(sync.errors)")
    let cards = await stage.engage("cards", "--json").lines
      .compactMap { try? JSON(parsing: Array($0.utf8)) }
    let card = try #require(cards.first { $0["dismissible"] == true }?["id"]?.string)
    let ending = await stage.engage(
      "cards", "dismiss", "braze/\(card)", by: CurlTransport(),
      in: .init(patience: .seconds(600)))
    #expect(ending.output == "dismiss braze/\(card): delivered\n")
    #expect(await emulator.times("ccd", of: card) == 1)
    #expect(await stage.engage("doctor", by: CurlTransport()).status == .done)
    await emulator.stop()
  }

  @Test(
    "whatever a network answers, the sync fails by name, the cards stay and the next one works",
    arguments: [
      "status", "unauthorized", "resetBefore", "closeBefore", "html", "empty", "notHTTP",
      "redirectLoop", "redirectElsewhere", "resetMiddle", "truncate", "truncateJSON",
      "byteOrderMark", "oversize", "gzipBomb", "gzipBroken", "headerFlood", "lengthShort",
      "chunkBroken",
    ])
  func badAnswers(fault: String) async throws {
    let emulator = try await Emulator.start(.init(vendors: ["braze"]))
    let stage = try Self.stage(for: emulator)
    #expect(await stage.engage("sync", by: CurlTransport()).status == .done)
    let before = await stage.engage("cards", "--json").lines
    await emulator.load(
      try EmulatorFaults(
        json: ["faults": [["fault": .string(fault), "times": "always"]]]))
    let ending = await stage.engage("sync", "--json", by: CurlTransport())
    #expect(ending.status == .failed, "\(ending.output)")
    #expect(ending.output.contains(#""outcome":"stale""#))
    #expect(await stage.engage("cards", "--json").lines == before)
    await emulator.load(EmulatorFaults())
    #expect(await stage.engage("sync", by: CurlTransport()).status == .done)
    await emulator.stop()
  }
}
