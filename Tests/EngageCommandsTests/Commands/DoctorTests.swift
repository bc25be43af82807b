import EngageCommands
import EngagementHTTP
import EngagementModel
import Foundation
import Testing

/// What `engage doctor` finds, and what heals it.
@Suite("engage doctor and engage cache", .timeLimit(.minutes(20))) struct DoctorTests {
  /// A vendor that gives every request the same answer.
  private struct Constant: HTTPTransport {
    let response: HTTPResponse

    init(_ status: Int, _ body: String) { response = HTTPResponse(status, body: Array(body.utf8)) }

    func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse { response }
  }

  /// A folder with a cache that was synced once.
  private static func synced() async throws -> (CommandLineFixture, PlayedBraze) {
    let (stage, braze) = (try CommandLineFixture(), PlayedBraze())
    try stage.configure(endpoint: "http://127.0.0.1:8400")
    #expect(await stage.engage("sync", by: braze).status == .done)
    return (stage, braze)
  }

  private func cache(_ stage: CommandLineFixture) throws -> String {
    let names = try FileManager.default.contentsOfDirectory(atPath: stage.folder.path)
    return try #require(names.first { $0.hasSuffix(".sqlite") })
  }

  @Test("doctor says whether an endpoint is its vendor's and takes the key")
  func endpoints() async throws {
    let (stage, braze) = try await Self.synced()
    let well = await stage.engage("doctor", by: braze)
    #expect(well.status == .done)
    #expect(well.output.contains("answers as braze does, and takes what providers.braze says"))
    let refused = await stage.engage(
      "doctor", by: Constant(401, #"{"message":"Invalid API key"}"#))
    #expect(refused.status == .failed)
    #expect(refused.output.contains("check the key and the ids of providers.braze"))
    let sync = await stage.engage("sync", by: Constant(401, #"{"message":"Invalid API key"}"#))
    #expect(sync.errors.contains("Check the endpoint, the key and the ids of providers.braze"))
    let stranger = await stage.engage("doctor", by: Constant(200, "<html>Welcome</html>"))
    #expect(stranger.status == .failed && !stranger.output.contains("provider braze  ok"))
    let fresh = try CommandLineFixture()
    try fresh.configure(endpoint: "http://127.0.0.1:8400")
    let first = await fresh.engage("doctor", by: braze)
    #expect(first.output.contains("the first sync shows whether it is braze's"))
  }

  @Test("doctor finds files that others can read, and a folder that takes no write")
  func files() async throws {
    let (stage, braze) = try await Self.synced()
    let path = stage.folder.appending(path: try cache(stage)).path
    chmod(path, 0o644)
    let shown = await stage.engage("doctor", by: braze)
    #expect(shown.status == .failed && shown.output.contains("privacy: run \"chmod 600"))
    chmod(path, 0o600)
    #expect(await stage.engage("doctor", by: braze).status == .done)
  }

  @Test("G9: a damaged cache is told by every command until a person has read it")
  func acknowledgement() async throws {
    let (stage, braze) = try await Self.synced()
    let path = stage.folder.appending(path: try cache(stage)).path
    var bytes = try Data(contentsOf: URL(filePath: path))
    bytes[100] ^= 0xff
    bytes[105] ^= 0xff
    try bytes.write(to: URL(filePath: path))
    _ = await stage.engage("sync", by: braze)
    for command in ["cards", "consent", "outbox"] {
      #expect(
        await stage.engage(command, by: braze).errors.contains(
          "The cache was set aside as damaged"),
        "\(command)")
    }
    #expect(await stage.engage("doctor", by: braze).output.contains("recovery"))
    #expect(!(await stage.engage("doctor", "--acknowledge", by: braze).output.contains("recovery")))
    #expect(!(await stage.engage("cards", by: braze).errors.contains("set aside")))
  }

  @Test(
    "G9: after a cache is gone, the next command says so and signs nobody in",
    arguments: ["cards", "inbox", "events", "outbox", "sync", "doctor"], [false, true])
  func gone(command: String, isPipe: Bool) async throws {
    let (stage, braze) = try await Self.synced()
    let path = stage.folder.appending(path: try cache(stage)).path
    for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
    if isPipe { #expect(mkfifo(path, 0o600) == 0) }
    let first = await stage.engage(command, by: braze)
    #expect(first.status == .done && !first.errors.contains("The cache is empty"), "\(first)")
    let told = isPipe ? "The cache was set aside as damaged" : "The cache was found gone"
    #expect(await stage.engage("cards", by: braze).errors.contains(told))
    #expect(await stage.engage("consent", by: braze).output == "anonymous: unknown\n")
  }

  @Test("G9: a repair saves what waits and fetches the rest anew, and a reset needs a confirmation")
  func repair() async throws {
    let (stage, braze) = try await Self.synced()
    braze.goDown()
    _ = await stage.engage("track", "hello", by: braze, in: .impatient)
    let sound = await stage.engage("cache", "repair")
    #expect(sound.output == "The cache is sound; there is nothing to repair.\n")
    #expect(await stage.engage("consent", by: braze).output == "u-1: full\n")
    let file = stage.folder.appending(path: "engagement.sqlite")
    var bytes = try Data(contentsOf: file)
    // A card's text: its row no longer matches its checksum.
    let text = try #require(bytes.range(of: Data("Bring a friend".utf8)))
    bytes[text.lowerBound] ^= 1
    try bytes.write(to: file)
    let repaired = await stage.engage("cache", "repair")
    #expect(repaired.output.hasPrefix("A new cache is in place, with 1 pending action."))
    #expect(repaired.status == .done)
    braze.comeBack()
    let sync = await stage.engage("sync", "--json", by: braze)
    #expect(sync.lines.first?.contains(#""outcome":"fresh","items":3,"pending":0"#) == true)
    #expect(braze.events.contains("ce hello"))
    #expect(await stage.engage("cache", "reset").status == .usage)
    let device = stage.folder.appending(path: "engagement.sqlite.device")
    let former = try Data(contentsOf: device)
    #expect(await stage.engage("cache", "reset", "--yes").status == .done)
    #expect(try Data(contentsOf: device) != former, "nobody's actions go under the former id")
    #expect(await stage.engage("consent", by: braze).output == "anonymous: unknown\n")
    let empty = try CommandLineFixture()
    try empty.configure(endpoint: "http://127.0.0.1:8400")
    #expect(await empty.engage("cache", "repair").errors.contains("There is no cache"))
  }

  @Test("G9: a repair sets a cache aside once whose damage shows when it is opened")
  func repairOnce() async throws {
    let (stage, braze) = try await Self.synced()
    let file = stage.folder.appending(path: try cache(stage))
    var bytes = try Data(contentsOf: file)
    bytes.replaceSubrange(100..<400, with: [UInt8](repeating: 0xFF, count: 300))
    try bytes.write(to: file)
    let repaired = await stage.engage("cache", "repair", by: braze)
    #expect(repaired.status == .done, "\(repaired)")
    #expect(repaired.output.contains("The former one, with the recorded events, is "))
    let former = try FileManager.default.contentsOfDirectory(atPath: stage.folder.path)
      .filter { $0.contains(".corrupt-") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
    #expect(former.count == 1, "\(former)")
    let kept = try Data(contentsOf: stage.folder.appending(path: try #require(former.first)))
    #expect(kept == bytes)
  }

  @Test("doctor finds what a configuration asks of a vendor that cannot do it")
  func impossible() async throws {
    let stage = try CommandLineFixture()
    try stage.configure(
      endpoint: "http://127.0.0.1:8400", ", \"containers\": {\"home\": {\"braze\": \"x\"}}")
    let doctor = await stage.engage("doctor", by: PlayedBraze())
    #expect(doctor.status == .failed)
    #expect(doctor.output.contains("configuration  bad"))
    #expect(doctor.output.contains("is a container, and the vendor has none"))
  }

  @Test("a configuration is found from a folder below it, and one that names no file is refused")
  func discovery() async throws {
    let (stage, braze) = try await Self.synced()
    try FileManager.default.createDirectory(
      at: stage.folder.appending(path: "a/b"), withIntermediateDirectories: true)
    let below = await stage.engage("cards", by: braze, in: .init(folder: "a/b"))
    #expect(below.status == .done && below.output.contains("3 cards"))
    let configuration = stage.folder.appending(path: "engage.json").path
    for place in [".", "engage.json", "a/"] {
      try stage.configure(endpoint: "http://127.0.0.1:8400", ", \"cache\": \"\(place)\"")
      let refused = await stage.engage("sync", by: braze)
      #expect(refused.status == .failed, "\(place)")
      #expect(!FileManager.default.fileExists(atPath: "\(configuration).device"))
    }
  }

  @Test("a cache that is no file is refused by name, and nothing is written beside it")
  func noFile() async throws {
    let stage = try CommandLineFixture()
    let folder = stage.folder.appending(path: "taken")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for place in ["taken", "/dev/null"] {
      try stage.configure(endpoint: "http://127.0.0.1:8400", ", \"cache\": \"\(place)\"")
      let refused = await stage.engage("track", "hello", by: PlayedBraze())
      #expect(refused.status == .failed)
      #expect(
        refused.errors.contains("\(place) is no file; name another place for the cache"),
        "\(refused.errors)")
      let names = try FileManager.default.contentsOfDirectory(atPath: stage.folder.path)
      #expect(names.sorted() == ["engage.json", "taken"])
      #expect(!FileManager.default.fileExists(atPath: "/dev/null.device"))
    }
  }
}
