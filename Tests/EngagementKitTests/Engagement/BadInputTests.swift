import EngagementAdapterAPI
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import TestSupport
import Testing

@testable import EngagementKit

/// Bad inputs that an application may receive through no fault of its own.
@Suite("bad input", .timeLimit(.minutes(20))) struct BadInputTests {
  private let place = Stage.Place()

  private func stage(_ ids: String = #"["a","b"]"#) async throws -> Stage {
    try await Stage([PuppetAdapter("braze")], at: place) { _ in .json(200, ids) }
  }

  @Test("G19: with the clock set back a year, each action is sent once and events keep their order")
  func yearBack() async throws {
    let stage = try await stage()
    try await stage.signIn("u-1")
    _ = await stage.engagement.refresh(.cards(in: "home"))
    try await stage.engagement.perform(.dismiss, on: ItemID("braze", "a"), surface: .cards)
    stage.clock.set(to: stage.clock.now.addingTimeInterval(-31_536_000))
    try await stage.engagement.perform(.dismiss, on: ItemID("braze", "b"), surface: .cards)
    #expect(stage.engagement.cards(in: "home").cards.isEmpty)
    try await stage.end()
    let next = try await self.stage()
    #expect(next.engagement.cards(in: "home").cards.isEmpty)
    await next.drain("braze")
    #expect(next.asked.count == 2)
    #expect(try await next.engagement.pendingCounts["braze"] ?? 0 == 0)
    let store = next.engagement.dependencies.store
    let events = try await store.entries(after: 0, limit: 100).map(\.event)
      .filter { $0.kind == .dismiss }
    #expect(events.compactMap(\.item?.id.value) == ["a", "b"])
    #expect(events[0].sequence < events[1].sequence && events[0].time > events[1].time)
    #expect(await next.engagement.refresh(.cards(in: "home")).providers["braze"]?.error == nil)
    try await next.end()
  }

  @Test(
    "an event with a property that is NaN or infinite is refused, and nothing of it is recorded",
    arguments: [Double.nan, .infinity, -.infinity])
  func notFinite(number: Double) async throws {
    var vendor = PuppetAdapter("braze", abilities: [.events: .event])
    vendor.capabilities.eventKinds = [.custom, .purchase]
    let stage = try await Stage([vendor], at: place)
    try await stage.signIn("u-1", consent: .full)
    let cases: [(EngagementEvent.Kind, JSONObject, String)] = [
      (.custom, ["price": .number(number)], "price"),
      (
        .purchase, ["n": 1.5, "basket": ["items": [1, ["price": .number(number)]]]],
        "basket.items[1].price"
      ),
    ]
    let before = try await stage.engagement.events().count
    for (kind, properties, name) in cases {
      let error = await failure {
        try await stage.engagement.track(kind, name: "tea", properties)
      }
      #expect(error?.code == .invalidArgument && error?.operation == kind.rawValue)
      #expect(
        error?.message == "The property \(name) is NaN or infinite; give a finite number.")
    }
    #expect(try await stage.engagement.pendingCounts["braze"] ?? 0 == 0)
    #expect(try await stage.engagement.events().count == before)
    try await stage.engagement.track("tea", ["price": .number(.greatestFiniteMagnitude)])
    #expect(try await stage.engagement.pendingCounts["braze"] == 1)
    try await stage.end()
  }

  @Test("item and user ids that differ only in Unicode normalization stay distinct")
  func normalForms() async throws {
    let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
    let stage = try await stage(#"["\#(composed)","\#(decomposed)"]"#)
    for user in [composed, decomposed] {
      try await stage.signIn(User(UserID(user)))
      #expect(stage.engagement.cards(in: "home").cards.isEmpty)
      _ = await stage.engagement.refresh(.cards(in: "home"))
      #expect(stage.engagement.cards(in: "home").cards.count == 2)
      try await stage.engagement.perform(.dismiss, on: ItemID("braze", user), surface: .cards)
      let left = stage.engagement.cards(in: "home").cards.map { Array($0.id.value.utf8) }
      #expect(left == [Array((user.utf8.count == 5 ? decomposed : composed).utf8)])
    }
    try await stage.end()
  }

  @Test("G11: locks of a killed process do not block writing or sending")
  func deadProcess() async throws {
    try await self.stage().end()
    for suffix in [".lock", ".courier", ".recovery", ".journal"] {
      let holder = try ChildProcess(
        "/usr/bin/flock",
        ["-x", "--no-fork", place.path + suffix, "sh", "-c", "echo held; exec cat"],
        input: .pipe, output: .pipe)
      #expect(try holder.line() == "held")
      holder.kill()
      #expect(FileManager.default.fileExists(atPath: place.path + suffix))
    }
    let stage = try await stage()
    try await stage.signIn("u-1")
    try await stage.engagement.associate("person-1")
    await stage.drain("braze")
    #expect(stage.asked == ["POST /person.associate?user=u-1"])
    try await stage.end()
  }

  @Test(
    "G10: a foreign file, a newer schema or a folder is refused as a cache and left unchanged",
    arguments: [
      ("foreign", EngagementError.Code.unreadable), ("newer", .newerSchema),
      ("folder", .unreadable),
    ])
  func refused(kind: String, code: EngagementError.Code) async throws {
    try await self.stage().end()
    let file = URL(filePath: place.path)
    var bytes = try Data(contentsOf: file)
    switch kind {
    case "newer":
      // Bytes 60 to 63 of the header hold the schema version.
      bytes[63] = 99
      try bytes.write(to: file)
    case "foreign":
      // Where no cache was made.
      try FileManager.default.removeItem(atPath: place.path + ".lock")
      bytes = Data(repeating: 0x20, count: 8_192)
      try bytes.write(to: file)
    default:
      try FileManager.default.removeItem(at: file)
      try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
    }
    #expect(await failure { try await stage() }?.code == code)
    if kind != "folder" { #expect(try Data(contentsOf: file) == bytes) }
    let names = try FileManager.default.contentsOfDirectory(atPath: place.folder.path)
    #expect(!names.contains { $0.contains("corrupt") || $0.contains("damaged") })
  }
}
