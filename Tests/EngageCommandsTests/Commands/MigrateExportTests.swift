import EngageCommands
import EngagementCurl
import EngagementEmulator
import EngagementHTTP
import EngagementJSON
import EngagementModel
import Foundation
import Testing

/// `engage migrate export`, from a cache and from files of other devices.
@Suite(.timeLimit(.minutes(20))) struct MigrateExportTests {
  /// A cache with u-0, who denies everything, and u-1, whose token is here and whose email waits.
  private static func stage() async throws -> CommandLineFixture {
    let (stage, braze) = (try CommandLineFixture(), PlayedBraze())
    try stage.configure(endpoint: "http://127.0.0.1:8400")
    try stage.write("0AFFEE", to: "token")
    for line in [
      ["signin", "u-0"], ["consent", "set", "denied"], ["signin", "u-1"],
      ["consent", "set", "full"],
      ["push", "register", "--service", "apns", "--token-file", "token"],
    ] {
      let ending = await stage.run(line, by: braze)
      #expect(ending.status == .done, "\(line): \(ending.errors)")
    }
    braze.goDown()
    _ = await stage.engage(
      "person", "set", "email=u1@example.com", "custom.tier=gold", by: braze, in: .impatient)
    return stage
  }

  private static let export = [
    "migrate", "export", "--for", "braze", "--app-id", "app", "--out", "moved", "--personal-data",
  ]

  private static func texts(_ stage: CommandLineFixture, _ folder: String = "moved") throws
    -> [String: String]
  {
    let place = stage.folder.appending(path: folder)
    var texts: [String: String] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: place.path) {
      texts[name] = try String(contentsOf: place.appending(path: name), encoding: .utf8)
    }
    return texts
  }

  @Test("X15: an export with push tokens says which of them a server may import")
  func tokens() async throws {
    let stage = try await Self.stage()
    let sentence = "import only tokens of people whose installations are still without the kit"
    let ending = await stage.run(Self.export)
    #expect(ending.status == .done && ending.errors.contains(sentence), "\(ending.errors)")
    let without = await stage.engage("migrate", "export", "--for", "atomic", "--dry-run")
    #expect(!without.errors.contains(sentence), "\(without.errors)")
  }

  @Test("X15: the export says how many people had no fields")
  func withoutFields() async throws {
    let stage = try await Self.stage()
    for user in ["u-2", "u-3"] {
      for line in [["signin", user], ["consent", "set", "full"]] {
        _ = await stage.run(line, in: .impatient)
      }
    }
    let ending = await stage.run(Self.export + ["--json"])
    #expect(ending.status == .done, "\(ending.errors)")
    #expect(ending.output.contains(#""withoutFields":2"#), "\(ending.output)")
    let words = await stage.run(Self.export)
    #expect(words.errors.contains("2 people had no fields"), "\(words.errors)")
  }

  @Test("X15: the people of a cache become bodies for the vendor, suppressed ones first")
  func cache() async throws {
    let stage = try await Self.stage()
    let ending = await stage.run(Self.export)
    #expect(ending.status == .done, "\(ending.errors)")
    #expect(
      ending.output == "1 person, 1 suppressed, 1 token in 3 files of moved, 3 of them new\n")
    let texts = try Self.texts(stage)
    #expect(
      texts["1-suppressed-00001.json"]
        == #"{"attributes":[{"external_id":"u-0","email_subscribe":"unsubscribed","#
        + #""push_subscribe":"unsubscribed"}]}"#)
    #expect(
      texts["2-people-00001.json"]
        == #"{"attributes":[{"external_id":"u-1","email":"u1@example.com","tier":"gold"}]}"#)
    #expect(
      texts["3-tokens-00001.json"]?.lowercased()
        == #"{"attributes":[{"external_id":"u-1","push_tokens":[{"app_id":"app","token":"0affee"}]}]}"#
    )
    let manifest = try JSON(parsing: Array((texts["_manifest.json"] ?? "").utf8))
    #expect(manifest["suppressed"] == ["denied": 1] && manifest["people"] == 1)
    #expect(manifest["files"]?.array?.first?["call"] == "POST /users/track")
    #expect(texts.count == 4, "\(texts.keys)")
    let names = try FileManager.default.attributesOfItem(
      atPath: stage.folder.appending(path: "moved/2-people-00001.json").path)
    #expect(names[.posixPermissions] as? Int == 0o600)
  }

  @Test("X15: the same run again writes nothing new, and completes what a kill has left")
  func resumed() async throws {
    let stage = try await Self.stage()
    #expect(await stage.run(Self.export).status == .done)
    let whole = try Self.texts(stage)
    let again = await stage.run(Self.export)
    #expect(again.status == .done)
    #expect(again.output == "1 person, 1 suppressed, 1 token: nothing new in moved\n")
    // As a run that was killed in its second file leaves it.
    let folder = stage.folder.appending(path: "moved")
    for name in ["_manifest.json", "3-tokens-00001.json", "2-people-00001.json"] {
      try FileManager.default.removeItem(at: folder.appending(path: name))
    }
    try stage.write("{\"attr", to: "moved/.2-people-00001.json.engage-draft")
    let resumed = await stage.run(Self.export)
    #expect(resumed.output.contains("2 of them new"), "\(resumed)")
    #expect(try Self.texts(stage) == whole)
    // As a run that was killed after it had named a file, and before it removed the draft.
    for name in ["_manifest.json", "1-suppressed-00001.json"] {
      try FileManager.default.linkItem(
        at: folder.appending(path: name), to: folder.appending(path: ".\(name).engage-draft"))
    }
    #expect(await stage.run(Self.export).output == again.output)
    #expect(try Self.texts(stage) == whole, "no draft is left, and no file is cut")
  }

  @Test("X15: a folder with anything else is refused, and nothing in it changes")
  func taken() async throws {
    let stage = try await Self.stage()
    #expect(await stage.run(Self.export).status == .done)
    let whole = try Self.texts(stage)
    _ = await stage.engage("person", "set", "city=Varna", in: .impatient)
    let changed = await stage.run(Self.export)
    #expect(changed.status == .failed && changed.errors.contains("of another export"))
    #expect(try Self.texts(stage) == whole)
    try FileManager.default.createDirectory(
      at: stage.folder.appending(path: "mine"), withIntermediateDirectories: true)
    try stage.write("x", to: "mine/diary.txt")
    let mine = await stage.engage(
      "migrate", "export", "--for", "vibes", "--out", "mine", "--personal-data")
    #expect(mine.status == .failed && mine.errors.contains("mine has diary.txt"))
    #expect(try Self.texts(stage, "mine") == ["diary.txt": "x"])
  }

  @Test(
    "X15: what is missing on the command line is told with status 64, and nothing is written",
    arguments: [
      (["--for", "orchard"], #"--for does not take "orchard""#),
      (["--out", "m", "--personal-data"], "needs --for"),
      (["--for", "braze", "--personal-data"], "needs --out"),
      (["--for", "braze", "--out", "m"], "say --personal-data"),
      (["--for", "braze", "--out", "m", "--personal-data"], "give --app-id"),
    ])
  func usage(options: [String], message: String) async throws {
    let stage = try await Self.stage()
    let before = try stage.names()
    let ending = await stage.run(["migrate", "export"] + options)
    #expect(ending.status == .usage && ending.errors.contains(message), "\(ending)")
    #expect(try stage.names() == before)
  }

  @Test("X15: a rehearsal tells what would be written, names nobody and writes nothing")
  func rehearsal() async throws {
    let stage = try await Self.stage()
    let before = try stage.names()
    let ending = await stage.engage("migrate", "export", "--for", "clevertap", "--dry-run")
    #expect(ending.status == .failed)
    #expect(
      ending.output == "1 person, 1 suppressed, 0 tokens in 2 files; nothing is written\n")
    #expect(ending.errors.hasPrefix("person 2, token: CleverTap does not know the device yet"))
    #expect(!ending.errors.contains("u-1"))
    #expect(try stage.names() == before)
    let atomic = await stage.engage("migrate", "export", "--for", "atomic", "--dry-run", "--json")
    #expect(atomic.status == .done)
    let object = try JSON(parsing: Array(atomic.output.utf8))
    #expect(object["suppressed"] == 1 && object["people"] == 1 && object["files"] == 1)
    #expect(
      atomic.errors
        == "custom of 1 person: atomic takes none from a server.\n"
        + "email of 1 person: atomic takes none from a server.\n"
        + "tokens of 1 person: atomic takes none from a server.\n")
  }

  // MARK: Vendors that are there already

  /// Syncs and registers a token, and returns the bodies of the requests.
  private static func register(_ stage: CommandLineFixture) async throws -> [JSON] {
    let transport = OverheardTransport()
    try stage.write("0AFFEE", to: "token")
    for line in [
      ["sync"], ["push", "register", "--service", "apns", "--token-file", "token"],
    ] {
      let ending = await stage.run(line, by: transport)
      #expect(ending.status == .done, "\(ending.errors)")
    }
    return transport.bodies.compactMap { try? JSON(parsing: $0) }
  }

  private static func tokens(
    _ stage: CommandLineFixture, for vendor: String
  ) async throws -> String? {
    let ending = await stage.engage(
      "migrate", "export", "--for", vendor, "--out", "moved", "--personal-data")
    #expect(ending.status == .done, "\(ending.errors)")
    return try texts(stage)["3-tokens-00001.json"]
  }

  @Test("X15: CleverTap gets the token of the device that it knows by its own id")
  func cleverTap() async throws {
    let scene = try await TemplatesScene()
    let bodies = try await Self.register(scene.stage)
    await scene.emulator.stop()
    let devices = bodies.compactMap { $0.array?.first?["g"]?.string }
    let device = try #require(devices.last)
    #expect(
      try await Self.tokens(scene.stage, for: "clevertap")?.lowercased()
        == (#"{"d":[{"type":"token","tokenData":{"id":"0affee","type":"apns"},"#
        + #""objectId":"\#(device)"}]}"#).lowercased())
  }

  @Test("X15: Vibes gets the token as its client registers it")
  func vibes() async throws {
    let scene = try await CommandScene()
    let bodies = try await Self.register(scene.stage)
    await scene.emulator.stop()
    let registered = bodies.compactMap { $0["device"]?["push_token"]?.string }
    let token = try #require(registered.last)
    #expect(
      try await Self.tokens(scene.stage, for: "vibes")
        == #"{"devices":[{"platform":"IOS","token":"\#(token)","external_person_id":"u-1"}]}"#)
  }

  // MARK: Other devices

  private static func optOut(_ user: String, of source: String = "urn:uuid:other") -> String {
    #"{"specversion":"1.0","id":"1","source":"\#(source)","type":"engage.optout","#
      + #""time":"2026-10-01T09:00:00.000Z","sequence":1,"userid":"\#(user)"}"# + "\n"
  }

  private static let phone = """
    {"record":"user","id":"u-7","environment":"production"}
    {"record":"consent","value":"full"}
    {"record":"person","provider":"vibes","vendor":"vibes","key":"k","phone":"+359881234567"}
    {"record":"event","kind":"click"}
    {"record":"user","id":"u-8"}
    {"record":"user","id":"u-1"}
    {"record":"consent","value":"essential"}
    {"record":"user","id":"u-9"}
    {"record":"consent","value":"denied"}

    """

  @Test("X15: other devices' records add people, where there is no cache")
  func records() async throws {
    let stage = try CommandLineFixture()
    try stage.write(Self.phone, to: "phone.ndjson")
    try stage.write("gone-1\r\ngone-2\n", to: "erased")
    let ending = await stage.engage(
      "migrate", "export", "--for", "vibes", "--out", "moved", "--personal-data", "--suppressed",
      "erased", "phone.ndjson")
    #expect(ending.status == .done, "\(ending.errors)")
    #expect(
      ending.output == "2 people, 4 suppressed, 0 tokens in 2 files of moved, 2 of them new\n")
    let texts = try Self.texts(stage)
    #expect(
      texts["1-suppressed-00001.ndjson"]
        == ["gone-1", "gone-2", "u-8", "u-9"].map { "{\"external_person_id\":\"\($0)\"}\n" }
        .joined())
    #expect(
      texts["2-people-00001.ndjson"]
        == #"{"external_person_id":"u-1"}"# + "\n"
        + #"{"external_person_id":"u-7","mobile_phone":{"mdn":"+359881234567"}}"# + "\n")
    let manifest = try JSON(parsing: Array((texts["_manifest.json"] ?? "").utf8))
    #expect(manifest["suppressed"] == ["denied": 1, "listed": 2, "undecided": 1])
  }

  @Test(
    "X15: blanks and a byte order mark around an id of --suppressed are none of it",
    arguments: ["\u{feff}u-1\nu-7\n", "  u-1\t\r\n\n u-7 ", "u-7\u{2028}u-1"])
  func listed(text: String) async throws {
    let stage = try CommandLineFixture()
    try stage.write(Self.phone, to: "phone.ndjson")
    try stage.write(text, to: "list")
    let ending = await stage.engage(
      "migrate", "export", "--for", "vibes", "--dry-run", "--suppressed", "list", "phone.ndjson")
    #expect(ending.output.hasPrefix("0 people, 4 suppressed"), "\(ending)")
  }

  @Test(
    "X15: a list of --suppressed in which an id could be missed is refused, and nothing is written",
    arguments: ["u-1,reason\n", "\"u-1\"\n", "u-1\u{0}\n", "u-2\nu-1\u{7}\n"])
  func unlisted(text: String) async throws {
    let stage = try CommandLineFixture()
    try stage.write(Self.phone, to: "phone.ndjson")
    try stage.write(text, to: "list")
    let ending = await stage.engage(
      "migrate", "export", "--for", "vibes", "--out", "moved", "--personal-data", "--suppressed",
      "list", "phone.ndjson")
    #expect(ending.status == .failed && ending.errors.contains("Nothing is written"), "\(ending)")
    #expect(!(try stage.names().contains("moved")))
  }

  @Test(
    "X15: a line that cannot be read may be an opt-out: it is told, and nothing is written",
    arguments: [
      phone + "nonsense\n", phone + #"{"record":"user","id":7}"# + "\n",
      #"{"record":"consent","value":"full"}"# + "\n", optOut("u-1") + "{}\n", "nonsense\n",
    ])
  func unreadable(text: String) async throws {
    let stage = try CommandLineFixture()
    try stage.write(text, to: "phone.ndjson")
    let ending = await stage.engage(
      "migrate", "export", "--for", "vibes", "--out", "moved", "--personal-data", "phone.ndjson")
    #expect(ending.status == .failed && ending.errors.hasPrefix("phone.ndjson:"), "\(ending)")
    #expect(ending.errors.contains("1 line cannot be read"))
    #expect(try stage.names() == ["phone.ndjson"])
  }

  @Test("X15: who has opted out on another device is suppressed, with no field and no token")
  func optedOut() async throws {
    let stage = try await Self.stage()
    try stage.write(Self.optOut("u-1") + Self.optOut("u-5"), to: "other.ndjson")
    let ending = await stage.run(Self.export + ["other.ndjson"])
    #expect(ending.status == .done, "\(ending.errors)")
    #expect(
      ending.output == "0 people, 3 suppressed, 0 tokens in 1 file of moved, 1 of them new\n")
    let texts = try Self.texts(stage)
    #expect(Set(texts.keys) == ["1-suppressed-00001.json", "_manifest.json"])
    #expect(!texts.values.joined().contains("example.com"))
  }

  @Test("X15: an opt-out that this cache has recorded does not outlive the consent that followed")
  func ownEvents() async throws {
    let stage = try await Self.stage()
    for level in ["denied", "full"] {
      #expect(await stage.engage("consent", "set", level, in: .impatient).status == .done)
    }
    let events = await stage.engage("export", "--user-ids", "--out", "own.ndjson")
    #expect(events.status == .done)
    let text = try String(
      contentsOf: stage.folder.appending(path: "own.ndjson"), encoding: .utf8)
    #expect(text.contains("engage.optout"))
    let ending = await stage.run(Self.export + ["own.ndjson"])
    #expect(ending.output.hasPrefix("1 person, 1 suppressed"), "\(ending)")
  }

  @Test("X15: hashes of people who have opted out stop the export, unless their key is given")
  func hashes() async throws {
    let stage = try await Self.stage()
    try stage.write("0123456789abcdef", to: "key")
    let other = try await Self.stage()
    try other.write("0123456789abcdef", to: "key")
    #expect(await other.engage("consent", "set", "denied", in: .impatient).status == .done)
    let hashed = await other.engage(
      "export", "--user-hash-key", "key", "--kind", "optout", "--out", "o.ndjson")
    #expect(hashed.status == .done, "\(hashed.errors)")
    let text = try String(contentsOf: other.folder.appending(path: "o.ndjson"), encoding: .utf8)
    #expect(!text.contains("u-1"))
    try stage.write(text, to: "o.ndjson")
    let refused = await stage.run(Self.export + ["o.ndjson"])
    #expect(refused.status == .failed && refused.errors.contains("nobody can tell who they are"))
    #expect(!(try stage.names().contains("moved")))
    let taken = await stage.run(Self.export + ["--user-hash-key", "key", "o.ndjson"])
    #expect(taken.output.hasPrefix("0 people, 2 suppressed, 0 tokens"), "\(taken)")
  }

  @Test("X15: an erased person is in no file")
  func erased() async throws {
    let stage = try await Self.stage()
    let gone = await stage.engage("person", "erase", "u-1", "--yes", in: .impatient)
    // No vendor answers here, so none was told of the sign-out.
    #expect(gone.status == .failed && gone.errors.contains("may still push"), "\(gone.errors)")
    let ending = await stage.run(Self.export)
    #expect(ending.status == .done, "\(ending.errors)")
    let texts = try Self.texts(stage)
    #expect(!texts.values.joined().contains("u-1") && !texts.values.joined().contains("example"))
  }
}

/// The network, and what was sent over it.
private final class OverheardTransport: HTTPTransport {
  private let network = CurlTransport()
  private let sent = Locked<[[UInt8]]>([])

  var bodies: [[UInt8]] { sent.withLock { $0 } }

  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    sent.withLock { $0.append(request.body ?? []) }
    return try await network.send(request)
  }
}
