import EngagementCurl
import EngagementEmulator
import EngagementJSON
import EngagementModel
import Foundation
import Testing

@testable import EngageCommands

/// Bridged routes at the command line, with the servers of two vendors in this process.
@Suite("bridged routes at the command line", .timeLimit(.minutes(20))) struct BridgeCommandsTests {
  @Test("X5: cards are read and deleted in the inbox, and routes say who is bridged")
  func inbox() async throws {
    let scene = try await CommandScene()
    await scene.engage("sync")
    let cards = try await scene.engage("cards", "--json").lines
      .map { try JSON(parsing: Array($0.utf8)) }
    let set = await scene.engage("routes", "set", "inbox", "merge=vibes,braze")
    #expect(
      set.lines.first == "The route of inbox is merge vibes, braze (bridged: braze) now.")
    let listed = await scene.engage("routes").output
    #expect(listed.contains("merge vibes, braze (bridged: braze)"))
    let json = try await scene.engage("routes", "--json").lines
      .map { try JSON(parsing: Array($0.utf8)) }
    #expect(json.first { $0["surface"] == "inbox" }?["bridged"] == ["braze"])
    #expect(json.first { $0["surface"] == "cards" }?["bridged"] == nil)
    let messages = try await scene.inbox()
    let ids = Set(messages.filter { $0["provider"] == "braze" }.compactMap { $0["id"]?.string })
    #expect(ids == Set(cards.compactMap { $0["id"]?.string }) && !ids.isEmpty)
    let card = try #require(
      cards.first { $0["dismissible"] == true && $0["viewed"] == false }?["id"]?.string)
    let shown = await scene.engage("inbox", "show", "braze/\(card)")
    #expect(shown.output.contains("subject"))
    await scene.engage("inbox", "read", "braze/\(card)")
    await scene.engage("inbox", "read", "braze/\(card)")
    #expect(await scene.emulator.times("cci", of: card) == 1)
    #expect(try await scene.inbox().first { $0["id"] == .string(card) }?["read"] == true)
    await scene.engage("inbox", "delete", "braze/\(card)", "--yes")
    #expect(await scene.emulator.times("ccd", of: card) == 1)
    #expect(try await !scene.inbox().contains { $0["id"] == .string(card) })
    let other = try #require(
      cards.compactMap { $0["id"]?.string }.first { $0 != card })
    let refused = await scene.stage.run(
      ["inbox", "expire", "braze/\(other)", "--at", "2099-12-24T18:00:00Z"], by: CurlTransport())
    #expect(refused.status != .done && refused.errors.contains("[unsupported]"))
    await scene.emulator.stop()
  }

  @Test("X5: messages are shown as cards and dismissed there")
  func cards() async throws {
    let scene = try await CommandScene()
    await scene.engage("sync")
    let set = await scene.engage("routes", "set", "cards", "only=vibes")
    #expect(set.lines.first == "The route of cards is only vibes (bridged) now.")
    await scene.engage("sync")
    let cards = try await scene.engage("cards", "--json").lines
      .map { try JSON(parsing: Array($0.utf8)) }
    #expect(cards.count == 6 && cards.allSatisfy { $0["vendor"] == "vibes" })
    let card = try #require(cards.first { $0["viewed"] == false }?["id"]?.string)
    await scene.engage("cards", "impression", "vibes/\(card)")
    #expect(await scene.emulator.times("read", of: card) == 1)
    await scene.engage("cards", "dismiss", "vibes/\(card)")
    #expect(await scene.emulator.times("expire", of: card) == 1)
    #expect(await scene.engage("cards", "--json").lines.count == 5)
    #expect(try await scene.inbox().count == 5)
    await scene.emulator.stop()
  }
}
