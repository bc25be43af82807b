import EngagementEmulator
import EngagementModel
import EngagementVendors
import Foundation
import Testing

/// What the vendors know, from one start to the next.
@Suite(.timeLimit(.minutes(20))) struct StateTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "state-\(UUID().uuidString)")
  private var path: String { folder.appending(path: "state.jsonl").path }

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func start(seed: UInt64 = 7) async throws -> Emulator {
    try await Emulator.start(
      .init(Stand.registrations, seed: seed, clock: Stand.start, state: path))
  }

  @Test("X18: after a restart a device, its token, its person and what was read are known")
  func restart() async throws {
    var emulator = try await start()
    let device = try VibesDevice(Stand(emulator: emulator))
    _ = try device.own("POST", "/assign", ["external_person_id": "ada"])
    let message = try #require(try device.inbox().first?["message_uid"]?.string)
    let inbox = try device.inboxPath()
    #expect(try device.call("PUT", "\(inbox)/\(message)", ["read": true]).status == 200)
    try await emulator.put(["content": "A new one"], in: "vibes")
    try await emulator.configure("vibes", ["tokenLifetime": 60])
    let list = try device.inbox()
    await emulator.advanceClock(by: .seconds(30))
    await emulator.stop()

    emulator = try await start(seed: 99)
    func get(_ path: String) throws -> RawAnswer {
      var request = RawRequest("GET", "/mobile_apps/demo\(path)")
      request.headers = [("Authorization", "MobileAppToken \(device.token)")]
      return try request.send(to: emulator.endpoint(of: "vibes"))
    }
    #expect(try get("/devices/\(device.id)/person").json?["external_person_id"] == "ada")
    #expect(try get(inbox).json?.array == list, "the seed of the file, and the new message")
    #expect(await emulator.effects().isEmpty, "the record begins anew")
    // The token was given before its lifetime was set; the next one ends by the clock that went on.
    #expect(try VibesDevice(Stand(emulator: emulator)).id != device.id)
    await emulator.stop()
  }

  @Test("X18: made-up items fill each vendor's feed, and stay the same after a restart and a reset")
  func filled() async throws {
    func start() async throws -> Emulator {
      try await Emulator.start(
        .init(Stand.registrations, seed: 7, itemCount: 300, clock: Stand.start, state: path))
    }
    var emulator = try await start()
    let (cards, messages) = (
      try await emulator.items(of: "braze"), try await emulator.items(of: "vibes")
    )
    #expect(cards.count == 300 && Set(cards.compactMap { $0["id"]?.string }).count == 300)
    #expect(messages.count == 200, "the vendor keeps no more")
    #expect(try VibesDevice(Stand(emulator: emulator)).inbox().count == 200)
    await emulator.stop()
    emulator = try await start()
    #expect(try await emulator.items(of: "braze") == cards)
    #expect(try await emulator.items(of: "vibes") == messages)
    await emulator.reset(seed: 7)
    #expect(try await emulator.items(of: "braze") == cards)
    await emulator.stop()
  }

  @Test(
    "a kill in the middle of a line loses that line alone, and only the owner can read the file")
  func torn() async throws {
    var emulator = try await start()
    try await emulator.put(["id": "A", "tp": "short_news", "tt": "A card"], in: "braze")
    let items = try await emulator.items(of: "braze")
    await emulator.stop()
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let whole = try Data(contentsOf: URL(filePath: path))
    try (whole + Data(#"{"vendor":"braze","put":{"#.utf8)).write(to: URL(filePath: path))
    emulator = try await start()
    #expect(try await emulator.items(of: "braze") == items)
    try await emulator.put(["id": "B", "tp": "short_news", "tt": "B card"], in: "braze")
    await emulator.stop()
    emulator = try await start()
    #expect(try await emulator.items(of: "braze").count == items.count + 1)
    await emulator.reset(seed: 7)
    let fresh = try await emulator.items(of: "braze")
    await emulator.stop()
    emulator = try await start(seed: 1)
    #expect(try await emulator.items(of: "braze") == fresh)
    await emulator.stop()
  }

  @Test(
    "a file that is something else or damaged is refused, and stays as it is",
    arguments: [
      ("notes\n", "no state"), ("{}\n", "no state"), ("x", "no state"),
      ("{\"emulator\":1,\"seed\":1,\"time\":1}\n{\"vendor\":\"braze\"}\n", "Line 2"),
      ("{\"emulator\":1,\"seed\":1,\"time\":1}\nnot JSON\n", "Line 2"),
    ])
  func refused(text: String, message: String) async throws {
    try Data(text.utf8).write(to: URL(filePath: path))
    let error = await #expect(throws: EngagementError.self) { try await start() }
    #expect(error?.code == .unreadable && error?.message.contains(message) == true)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
  }

  @Test("two emulators do not share a state")
  func shared() async throws {
    let emulator = try await start()
    let error = await #expect(throws: EngagementError.self) { try await start() }
    #expect(error?.code == .busy)
    await emulator.stop()
  }
}
