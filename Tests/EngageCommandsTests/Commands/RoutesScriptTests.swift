import EngageCommands
import EngagementAtomicTools
import EngagementBrazeTools
import EngagementCurl
import EngagementEmulator
import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementVendors
import EngagementVibesTools
import Testing

/// One script over three emulated vendors: each command with what it prints.
@Suite(.timeLimit(.minutes(20))) struct RoutesScriptTests {
  @Test("X2–X5 X9–X11 X16: a script of routes over three vendors prints the expected text")
  func script() async throws {
    let scene = try await RoutesScene()
    await scene.play("sync")
    scene.note("Two vendors in one list. The welcome is at both, and appears once.")
    await scene.play("routes")
    await scene.play("cards")
    await scene.play("cards", "dismiss", "braze/b-welcome", "--propagate")
    await scene.play("cards")

    scene.note("Braze's cards, and Atomic's while Braze fails.")
    await scene.play(
      "routes", "set", "cards",
      #"{"firstReady": ["braze", "atomic"], "failures": 1, "coolDown": "0s"}"#)
    await scene.play("cards")
    await scene.braze.setOffline(true)
    await scene.play("sync")
    await scene.play("cards")
    await scene.braze.setOffline(false)
    await scene.play("sync")
    await scene.play("cards")

    scene.note("The cards of one vendor, and an inbox of nobody.")
    await scene.play("routes", "set", "cards", "only=atomic")
    await scene.play("cards")
    await scene.play("inbox")
    await scene.play("routes", "set", "inbox", "none")
    await scene.play("inbox")
    await scene.play("routes", "reset", "inbox")
    await scene.play("routes", "reset", "cards")
    await scene.play("routes")

    scene.note("Braze's cards as messages, beside those of Vibes.")
    await scene.play("routes", "set", "inbox", "merge=vibes,braze")
    await scene.play("inbox")
    await scene.play("inbox", "read", "braze/b-roast")
    await scene.play("inbox", "delete", "braze/b-roast", "--yes")
    await scene.play("inbox")
    await scene.play("routes", "reset", "inbox")

    scene.note("Atomic is read beside Braze, compared and not shown.")
    await scene.play(
      "routes", "set", "cards",
      #"{"shadow": {"route": {"only": "braze"}, "candidates": ["atomic"]}}"#)
    await scene.play("sync")
    await scene.play("parity")
    await scene.play("parity", "--max-missing", "100%", "--max-different", "100%")

    scene.note("Half of all people have Braze's cards, and half Atomic's.")
    await scene.play(
      "routes", "set", "cards",
      #"{"split": {"experiment": "home", "arms": {"one": {"providers": ["braze"]}, "#
        + #""two": {"providers": ["atomic"]}}}}"#)
    await scene.play("cards")
    await scene.play("sync")
    await scene.play("cards")
    await scene.play("events", "--kind", "experiment.exposed")
    await scene.play("routes", "reset", "cards")

    scene.note("What the ledger has of it.")
    await scene.play("events", "--kind", "route.changed")
    await scene.play("events", "--kind", "provider.fallback")
    let text = scene.text.replacing(/milliseconds=\d+/, with: "milliseconds=…")
      .replacing(/\(curl [^)]*\)/, with: "(curl …)")
    try Golden.expect(text, "routes.txt")
    await scene.stop()
  }
}

/// Three vendors, each with a server of its own, and what the commands printed.
private final class RoutesScene {
  let braze: Emulator
  private let atomic: Emulator
  private let vibes: Emulator
  private let stage: CommandLineFixture
  private(set) var text = ""

  init() async throws {
    braze = try await Emulator.start(.init([.braze]))
    atomic = try await Emulator.start(.init([.atomic]))
    vibes = try await Emulator.start(.init([.vibes]))
    stage = try CommandLineFixture()
    try await replaceItems()
    try configure()
  }

  func stop() async {
    for emulator in [braze, atomic, vibes] { await emulator.stop() }
  }

  func note(_ sentence: String) { text += "# \(sentence)\n" }

  /// Runs a command, and notes it with what it printed and how it ended.
  func play(_ line: String...) async {
    let ending = await stage.run(
      line, by: CurlTransport(), in: .init(patience: .seconds(600)))
    let words = line.map { $0.contains(" ") ? "'\($0)'" : $0 }
    text += "$ engage \(words.joined(separator: " "))\n" + ending.output + ending.errors
    if ending.status != .done { text += "status \(ending.status.rawValue)\n" }
  }

  private func configure() throws {
    let document: JSON = [
      "user": "u-1", "consent": "full",
      "providers": [
        "braze": [
          "vendor": "braze", "endpoint": .string(braze.endpoint(of: "braze")), "apiKey": "demo",
          "contentKey": ["extra": "content"],
        ],
        "atomic": [
          "vendor": "atomic", "endpoint": .string(atomic.endpoint(of: "atomic")),
          "environmentID": "demo", "apiKey": "demo", "token": .string(AtomicScene.token()),
          "contentKey": ["extra": "content"],
        ],
        "vibes": [
          "vendor": "vibes", "endpoint": .string(vibes.endpoint(of: "vibes")), "appID": "demo",
        ],
      ],
      "containers": ["home": ["atomic": "BqWL1sT", "braze": ["extra": "slot", "is": "home"]]],
      "routes": ["cards": ["merge": ["braze", "atomic"]], "inbox": ["only": "vibes"]],
    ]
    try stage.write(String(decoding: document.encoded(), as: UTF8.self), to: "engage.json")
  }

  private func replaceItems() async throws {
    for item in try await braze.items(of: "braze") {
      try await braze.remove(item["id"]?.string ?? "", from: "braze")
    }
    for item in try await atomic.items(of: "atomic") {
      try await atomic.remove(item["instance"]?["id"]?.string ?? "", from: "atomic")
    }
    for item in try await vibes.items(of: "vibes") {
      try await vibes.remove(item["message_uid"]?.string ?? "", from: "vibes")
    }
    for (id, title, key) in [
      ("b-welcome", "Welcome", "welcome"), ("b-roast", "New beans", ""), ("b-cup", "A cup", "cup"),
    ] {
      try await braze.put(
        [
          "id": .string(id), "tp": "short_news", "tt": .string(title), "ds": "Have a look.",
          "db": true,
          "e": key.isEmpty ? ["slot": "home"] : ["slot": "home", "content": .string(key)],
        ], in: "braze")
    }
    for (place, (id, title, key)) in [
      ("a-welcome", "Hello", "welcome"), ("a-table", "A table", ""), ("a-cup", "Your cup", "cup"),
    ].enumerated() {
      try await atomic.put(
        [
          "instance": ["id": .string(id)],
          "metadata": [
            "priority": .integer(Int64(place + 1)),
            "payloadMetadata": key.isEmpty ? [:] : ["content": .string(key)],
          ],
          "payload": ["cardOptions": ["targetStreamIds": ["BqWL1sT"]]],
          "defaultView": ["nodes": [["type": "headline", "attributes": ["text": .string(title)]]]],
        ], in: "atomic")
    }
    try await vibes.put(
      ["message_uid": "m-1", "subject": "Your stamp", "content": "Nine more"], in: "vibes")
  }
}
