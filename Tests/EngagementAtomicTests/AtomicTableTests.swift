import AtomicFixtures
import EngagementAdapterAPI
import EngagementAtomic
import EngagementFormats
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementTesting
import Foundation
import Testing

/// The tables of the adapter's README against what the adapter does.
@Suite("Atomic: the README's tables") struct AtomicTableTests {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The cells of the table whose head is this, without ticks, row by row.
  private static func table(_ head: String) throws -> [[String]] {
    let readme = try String(
      contentsOf: root.appending(path: "Adapters/Atomic/README.md"), encoding: .utf8)
    let lines = readme.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex { $0 == head })
    return lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
      line.split(separator: "|").map {
        $0.trimmingCharacters(in: .whitespaces).replacingOccurrences(of: "`", with: "")
      }
    }
  }

  @Test("A9 A10 A16 A19 A20 A22 A27: the README lists each verb and how it travels")
  func capabilities() throws {
    let abilities = try AtomicSamples.adapter().capabilities.abilities
    let rows = try Self.table("| verb | travels | de-duplication |")
    #expect(Set(rows.map { $0[0] }) == Set(abilities.keys.map(\.rawValue)))
    #expect(rows.count == abilities.count)
    for row in rows {
      let ability = try #require(abilities.first { $0.key.rawValue == row[0] }).value
      #expect(row[1] == ability.travel.rawValue, "\(row[0])")
      #expect(row[2] == ability.deduplication.rawValue, "\(row[0])")
    }
  }

  @Test("A19 A28: the README lists each kind of event under the word that is sent")
  func kinds() throws {
    let adapter = try AtomicSamples.adapter()
    let rows = try Self.table("| kind | wire name |")
    #expect(Set(rows.map { $0[0] }) == Set(adapter.capabilities.eventKinds.map(\.rawValue)))
    let flags = [
      "vote": ["useful"], "subview": ["exited"], "video": ["completed"],
      "snooze.options": ["cancelled"], "upload": ["failed", "completed"],
    ]
    for row in rows where row[0] != "custom" {
      let words = row[1].components(separatedBy: ", else ")
      var properties = (flags[row[0]] ?? []).map { JSONObject(dictionaryLiteral: ($0, true)) }
      properties.append([:])
      #expect(words.count == properties.count, "\(row[0])")
      for (word, properties) in zip(words, properties) {
        let sent = try Self.sent(row[0], properties)
        #expect(sent == word.split(separator: " ").first.map(String.init), "\(row[0])")
      }
    }
  }

  /// The vendor's word of an event that is uploaded.
  private static func sent(_ kind: String, _ properties: JSONObject) throws -> String? {
    let event = EngagementEvent(
      id: "e-1", kind: EngagementEvent.Kind(rawValue: kind), time: TestClock().now,
      properties: properties)
    let context = AdapterContext(
      user: "u-1", device: .test, credential: AtomicSamples.token(), now: TestClock().now,
      key: OperationKey(1, 2))
    let step = try AtomicSamples.adapter().step(for: .events([event]), in: context)
    guard case .send(let request) = step else { return nil }
    return try JSON(parsing: request.body ?? [])["data"]?.array?.first?["analyticsEvent"]?.string
  }

  // MARK: Absent and invalid members

  private struct Probe: Sendable {
    /// Where the neutral card has the member; nil where it counts as absent.
    var read: @Sendable (Card) -> String?
    var sound: String
    var wrong: String
    var unknown: String
  }

  private static let probes: [String: Probe] = [
    "instance.id": Probe(read: \.id.value, sound: #""b""#, wrong: "{}", unknown: #""x y""#),
    "instance.status": Probe(
      read: \.status, sound: #""active""#, wrong: "7", unknown: #""odd""#),
    "metadata.priority": Probe(
      read: { $0.priority.map { "\($0)" } }, sound: "3", wrong: #""3""#, unknown: "11"),
    "metadata.expiryDate": Probe(
      read: { $0.expiresAt.flatMap { ISO8601.text(of: $0) } },
      sound: #""2026-10-01T00:00:00.000Z""#, wrong: "7", unknown: #""soon""#),
    "metadata.payloadMetadata": Probe(
      read: { $0.metadata.isEmpty ? nil : "\($0.metadata)" }, sound: #"{"a":1}"#, wrong: "[]",
      unknown: #"{"b":{"c":[]}}"#),
    "actions.dismiss": Probe(
      read: { $0.actions.canDismiss ? "true" : "false" }, sound: #"{"swipe":true}"#,
      wrong: "true", unknown: #"{"hover":true}"#),
    "runtimeVariables": Probe(
      read: { $0.runtimeVariables.first.map { "\($0)" } }, sound: #"[{"name":"a"}]"#, wrong: "7",
      unknown: #"[{"name":"a","type":"colour"}]"#),
    "defaultView": Probe(
      read: { $0.components.first.map { "\($0.kind)" } },
      sound: #"{"nodes":[{"type":"text","attributes":{"text":"a"}}]}"#, wrong: "7",
      unknown: #"{"nodes":[{"type":"hologram"}]}"#),
    "subviews": Probe(
      read: { $0.subviews.first?.components.first.map { "\($0.kind)" } },
      sound: #"{"a":{"nodes":[{"type":"text","attributes":{"text":"a"}}]}}"#, wrong: "7",
      unknown: #"{"a":{"nodes":[{"type":"hologram"}]}}"#),
  ]

  @Test("A9 G17: what the README says of absent and invalid members holds")
  func leniency() throws {
    let rows = try Self.table("| field | absent | wrong type | unknown value |")
    #expect(Set(rows.map { $0[0] }) == Set(Self.probes.keys))
    for row in rows {
      let probe = try #require(Self.probes[row[0]])
      let sound = try #require(Self.card(row[0], probe.sound).map(probe.read) ?? nil)
      for (word, value) in zip(row[1...], [nil, probe.wrong, probe.unknown]) {
        let card = Self.card(row[0], value)
        let read = card.map(probe.read) ?? nil
        switch word {
        case "quarantine": #expect(card == nil, "\(row[0]) \(value ?? "absent")")
        case "nil", "skipped": #expect(card != nil && read == nil, "\(row[0]) \(value ?? "absent")")
        case "false": #expect(read == "false" && sound == "true", "\(row[0]) \(value ?? "absent")")
        case "keep": #expect(read != nil, "\(row[0]) \(value ?? "absent")")
        default: Issue.record("\(word) is no word of the table")
        }
      }
    }
  }

  /// A card whose one member has this value; nil if it is quarantined.
  private static func card(_ field: String, _ value: String?) -> Card? {
    var members = ["instance": #""id":"a""#]
    let parts = field.split(separator: ".").map(String.init)
    if field == "instance.id" { members["instance"] = nil }
    if let value, parts.count == 2 {
      let former = members[parts[0]].map { "\($0)," } ?? ""
      members[parts[0]] = #"\#(former)"\#(parts[1])":\#(value)"#
    }
    var text = members.map { #""\#($0.key)":{\#($0.value)}"# }.joined(separator: ",")
    if let value, parts.count == 1 { text += #","\#(field)":\#(value)"# }
    let item = RawItem(index: 0, bytes: Array("{\(text)}".utf8)[...])
    return try? AtomicSamples.adapter().card(in: item)
  }
}
