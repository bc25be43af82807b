import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import EngagementTesting
import EngagementVendors
import Foundation
import Orchard
import TestSupport
import Testing

@Suite struct OwnVendorTests {
  /// The program in a folder of its own, as a user runs it.
  private final class Folder {
    let url = FileManager.default.temporaryDirectory
      .appending(path: "own-vendor-\(UUID().uuidString)")
    private let program = Program("OwnVendor")

    init() throws {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func engage(_ words: String...) throws -> String {
      try program.output(words, in: url)
    }
  }

  @Test(
    "a vendor of one's own works through emulate, init, sync, cards and doctor",
    .timeLimit(.minutes(20)))
  func commandLine() throws {
    let folder = try Folder()
    let emulator = try Program("OwnVendor").start(
      ["emulate", "--vendor", "orchard", "--port", "0", "--json"], in: folder.url)
    let line = try #require(try emulator.line())
    let endpoint = try #require(line.firstMatch(of: /"endpoint":"([^"]+)"/)).1
    #expect(line.contains(#""vendor":"orchard""#))

    #expect(try folder.engage("init").contains("Wrote"))
    let file = folder.url.appending(path: "engage.json")
    let starter = try String(contentsOf: file, encoding: .utf8)
    #expect(starter.contains(#""orchard": {"vendor": "orchard""#))
    let own = """
      {"user": "u-1", "consent": "full", "providers":
       {"orchard": {"vendor": "orchard", "endpoint": "\(endpoint)", "key": "demo"}}}
      """
    try Data(own.utf8).write(to: file)

    _ = try folder.engage("sync")
    let cards = try folder.engage("cards", "--json")
    #expect(cards.contains("The pears are ripe") && cards.contains(#""vendor":"orchard""#))
    let id = try #require(cards.firstMatch(of: /"id":"([0-9a-f]{8})"/)).1
    #expect(try folder.engage("cards", "click", "orchard/\(id)").contains("delivered"))
    #expect(try folder.engage("doctor").contains("orchard"))
    #expect(try folder.engage("decode", "--help").contains("--vendor orchard --kind cards"))
    let help = try folder.engage("emulate", "--help").split { " \n".contains($0) }
    #expect(help.contains("Orchard") && help.contains("8404,"))
    emulator.interrupt()
    #expect(emulator.wait().status == 0)
  }

  @Test(
    "the adapter of a vendor of one's own keeps every law", .timeLimit(.minutes(20)),
    arguments: Law.all)
  func law(_ law: Law) async throws {
    for breach in try await law.check(try Self.subject()) { Issue.record("\(breach)") }
  }

  private static func subject() throws -> AdapterSubject {
    let adapter = try OrchardAdapter(
      endpoint: "https://orchard.example.com", key: Secret("canary-key"),
      provider: AdapterSubject.provider)
    let server = try #require(VendorRegistration.orchard.server)
    var subject = AdapterSubject(
      "orchard", items: [cards], adapter: { _ in adapter },
      server: { server.init(seed: nil, at: $0) })
    subject.credentialHeaders = VendorRegistration.orchard.credentialHeaders
    subject.secrets = [Secret("canary-key")]
    subject.operations = [
      .events([EngagementEvent(id: "e-1", kind: .click, time: TestClock().now)])
    ]
    return subject
  }

  private static var cards: ItemSamples {
    ItemSamples(
      .cards, idMember: "id",
      fullest: """
        {"id":"c-1","title":"Pears","text":"Ripe","link":"https://orchard.example.com/pears"}
        """,
      meaning: [
        "provider": "subject", "vendor": "orchard", "id": "c-1", "kind": "classic",
        "title": "Pears", "text": "Ripe", "url": "https://orchard.example.com/pears",
        "opensInWebView": false, "pinned": false, "dismissible": false, "viewed": false,
        "clicked": false, "dismissed": false, "test": false,
        "actions": ["dismiss": false, "snooze": false, "voteUp": false, "voteDown": false],
      ],
      actions: [.click]
    ) { id, place in
      let id = JSON.string(id)
      return #"{"id":\#(String(decoding: id.encoded(), as: UTF8.self)),"title":"Card \#(place)"}"#
    }
  }
}
