import EngagementCurl
import EngagementEmulator
import EngagementJSON
import EngagementModel
import Foundation
import Testing

@testable import EngageCommands

/// `engage events`, over both vendors with their servers in this process.
@Suite(.timeLimit(.minutes(20))) struct EventsCommandTests {
  private typealias Scene = CommandScene

  private static func id(_ message: JSON?) throws -> String {
    try #require(message?["id"]?.string)
  }

  @Test("X14: events --follow prints events as they happen, until Ctrl-C")
  func follow() async throws {
    let scene = try await Scene()
    await scene.engage("sync")
    let id = try Self.id(try await scene.inbox().first)
    let stage = scene.stage
    let emulator = scene.emulator
    let told = AsyncStream.makeStream(of: Void.self)
    let ending = await stage.run(
      ["events", "--follow", "--kind", "read", "--json"],
      in: .init(
        hears: { told.continuation.yield() },
        interruption: {
          _ = await stage.engage("inbox", "read", id, by: CurlTransport())
          for await _ in told.stream { break }
        }))
    #expect(ending.status == .done)
    let events = try ending.lines.map { try JSON(parsing: Array($0.utf8)) }
    #expect(events.map { $0["kind"] } == ["read"])
    await emulator.stop()
  }

  @Test(
    "X14: events --follow waits for the first event, and for a user who signs in",
    arguments: [
      ([], "The cache is empty."), (["sync", "signout"], "No event is recorded yet."),
    ])
  func followFromNothing(before: [String], reason: String) async throws {
    let scene = try await Scene()
    for line in before { await scene.engage(line) }
    let (waits, told) = (
      AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self)
    )
    let ending = await scene.stage.run(
      ["events", "--follow", "--kind", "read", "--json"],
      in: .init(
        hears: { told.continuation.yield() },
        hearsErrors: { _ in waits.continuation.yield() },
        interruption: {
          for await _ in waits.stream { break }
          if !before.isEmpty { await scene.engage("signin", "u-1") }
          await scene.engage("sync")
          guard let id = try? Self.id(try await scene.inbox().first) else { return }
          await scene.engage("inbox", "read", id)
          for await _ in told.stream { break }
        }))
    #expect(ending.status == .done)
    #expect(ending.errors == "\(reason) Waiting for new events until Ctrl-C.\n")
    let events = try ending.lines.map { try JSON(parsing: Array($0.utf8)) }
    #expect(events.map { $0["kind"] } == ["read"])
    await scene.emulator.stop()
  }

  @Test("X12: events --totals counts events and people by provider, new ones as well")
  func totals() async throws {
    let scene = try await Scene()
    await scene.engage("sync")
    let id = try Self.id(try await scene.inbox().first)
    func reads() async throws -> (events: Int64?, people: Int64?) {
      let lines = await scene.engage("events", "--totals", "--json").lines
      let kinds = try lines.map { try JSON(parsing: Array($0.utf8)) }
        .first { $0["provider"] == "vibes" }?["kinds"]?.array
      let read = kinds?.first { $0["kind"] == "read" }
      return (read?["events"]?.integer, read?["people"]?.integer)
    }
    #expect(try await reads() == (nil, nil))
    await scene.engage("inbox", "read", id)
    #expect(try await reads() == (1, 1))
    let text = await scene.engage("events", "--totals")
    #expect(text.output.contains("AND CLICKED"))
    #expect(text.output.contains("vibes"))
    // What belongs to no provider has kinds, and no steps.
    #expect(text.lines.count { $0.hasPrefix("(none)") } > 0)
    let people = try #require(text.lines.firstIndex { $0.contains("AND CLICKED") })
    #expect(!text.lines[people...].contains { $0.hasPrefix("(none)") }, "\(text.output)")
    let wrong = await scene.stage.engage("events", "--totals", "--follow")
    #expect(wrong.status == .usage)
    #expect(wrong.errors.contains("--totals and --follow exclude each other."))
    #expect(text.errors.contains("vibes: messages were read or opened"), "\(text.errors)")
    let deleted = await scene.stage.engage("events", "--kind", "delete")
    #expect(deleted.status == .usage && deleted.errors.contains(#"is recorded as "expire""#))
    await scene.emulator.stop()
  }
}
