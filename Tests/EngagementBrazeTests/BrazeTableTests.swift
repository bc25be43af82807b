import BrazeFixtures
import EngagementAdapterAPI
import EngagementBraze
import EngagementJSON
import EngagementModel
import EngagementTesting
import Foundation
import Testing

/// The tables of the adapter's README against what the adapter does.
@Suite struct BrazeTableTests {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The cells of the table whose head is this, without ticks, row by row.
  private static func table(_ head: String) throws -> [[String]] {
    let lines = try text("Adapters/Braze/README.md").split(
      separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex { $0 == head })
    return lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
      line.split(separator: "|").map {
        $0.trimmingCharacters(in: .whitespaces).replacingOccurrences(of: "`", with: "")
      }
    }
  }

  // MARK: Lenient mapping

  /// What is tried on one member: what it may be, other types, values that mean nothing.
  struct Probe {
    var sound: String
    /// Another type that means the same as `sound`.
    var coercible: [String] = []
    var wrong: [String]
    var unknown: [String]
  }

  private static let number = ["7", "-0.5"]
  private static let text = [#""x""#, #""""#]
  private static let others = ["null", "[]", "{}", #"["a"]"#]
  private static let textual = Probe(
    sound: #""sound""#, wrong: others + number + ["true"], unknown: [#""""#])
  private static let address = Probe(
    sound: #""https://example.com/a""#, wrong: others + number + ["true"],
    unknown: [#""""#, #""javascript:x""#, #"" data:,x""#])
  private static let truth = Probe(
    sound: "true", coercible: ["1", "1.0"], wrong: others + text + [#""true""#],
    unknown: ["2", "-1", "0.5"])
  private static let time = Probe(
    sound: "1700000000", coercible: [#""1700000000""#], wrong: others + text + ["true"],
    unknown: ["1e18", "-1e300", #""nan""#])

  private static let probes: [String: Probe] = [
    "id": Probe(sound: #""b""#, wrong: others + number + ["true"], unknown: [#""""#]),
    "tp": Probe(
      sound: #""control""#, wrong: others + number + ["true"],
      unknown: [#""hologram""#, #""Control""#]),
    "tt": textual, "ds": textual, "dm": textual, "image_alt": textual, "language": textual,
    "i": address, "u": address,
    "ar": Probe(
      sound: "1.5", coercible: [#""1.5""#], wrong: others + text + ["true"],
      unknown: ["0", "-1", #""inf""#]),
    "uw": truth, "p": truth, "db": truth, "v": truth, "cl": truth, "t": truth, "r": truth,
    "ca": time,
    "ea": Probe(
      sound: "1700000000", coercible: [#""1700000000""#], wrong: others + text + ["true"],
      unknown: ["-1", "-1e300", "1e18", #""nan""#]),
    "e": Probe(sound: #"{"k":"v"}"#, wrong: ["null", "[]"] + number + text, unknown: ["{}"]),
  ]

  /// What one member makes of a card.
  private enum Outcome: Hashable {
    case card(Card)
    case removed, quarantine, drop
  }

  private static func outcome(_ field: String, _ value: String?) throws -> Outcome {
    var members = ["id": #""a""#, "tp": #""short_news""#]
    members[field] = value
    let body = members.sorted { $0.key < $1.key }.map { #""\#($0.key)":\#($0.value)"# }
    let adapter = try BrazeScene.adapter()
    let item = "{\(body.joined(separator: ","))}"
    let answer = adapter.answer(
      to: BrazeScene.cards, from: .json(200, BrazeScene.sync(full: true, [item])),
      in: BrazeScene.context())
    for change in answer.changes {
      switch change {
      case .removed(.cards, let ids): return ids == ["a"] ? .removed : .drop
      case .items(.cards, _, let items):
        let item = try #require(items.first)
        do throws(EngagementError) {
          return .card(try adapter.card(in: item))
        } catch {
          return error.code == .unsupported ? .drop : .quarantine
        }
      default: continue
      }
    }
    throw EngagementError(.internalFailure, "The answer says nothing of the card.")
  }

  /// Whether the value has the effect that a word of the table promises.
  private static func holds(_ word: String, _ field: String, _ value: String?) throws -> Bool {
    let outcome = try outcome(field, value)
    switch word {
    case "default":
      return outcome == (try Self.outcome("unheard of", nil))
    case "coerce":
      let sound = try Self.outcome(field, try #require(probes[field]).sound)
      let absent = try Self.outcome("unheard of", nil)
      return outcome == sound && sound != absent
    case "quarantine": return outcome == .quarantine
    case "drop": return outcome == .drop
    default: return false
    }
  }

  @Test("B2: each absent, mistyped or unknown member has the effect that the table gives")
  func lenient() throws {
    let rows = try Self.table("| field | absent | wrong type | unknown value |")
    for row in rows where row.count == 4 {
      let field = row[0]
      let probe = try #require(Self.probes[field], "the table has \(field)")
      let words = row[2].components(separatedBy: ", ")
      #expect((words.count == 2) == !probe.coercible.isEmpty, "\(field) coerces or does not")
      #expect(try Self.holds(row[1], field, nil), "\(field) absent")
      for value in probe.coercible {
        #expect(try Self.holds(words[0], field, value), "\(field): \(value)")
      }
      for value in probe.wrong {
        #expect(try Self.holds(words.last ?? "", field, value), "\(field): \(value)")
      }
      for value in probe.unknown {
        #expect(try Self.holds(row[3], field, value), "\(field): \(value)")
      }
    }
    #expect(rows.count == Self.probes.count)
  }

  @Test("B2: the mapping tables list every member that the adapter reads")
  func complete() throws {
    let names = try ["BrazeItems", "BrazeSync"].flatMap { file in
      try Self.text("Adapters/Braze/\(file).swift")
        .matches(of: /fields\.(?:\w+)\("(\w+)"\)/).map { String($0.1) }
    }
    let wrong = try Self.table("| field | absent | wrong type | unknown value |").map { $0[0] }
    let mapped = try Self.table("| Braze | neutral | note |").map { $0[0] }
    #expect(Set(names) == Set(wrong))
    #expect(Set(names) == Set(mapped))
  }

  // MARK: Capabilities

  @Test("X19: the README's capability table matches the adapter")
  func capabilities() throws {
    let abilities = try BrazeScene.adapter().capabilities.abilities.map { verb, ability in
      [verb.rawValue, ability.travel.rawValue, ability.deduplication.rawValue]
    }
    let rows = try Self.table("| verb | travels | de-duplication |")
    #expect(Set(rows) == Set(abilities))
  }

  @Test("X19: the README's event kinds match the adapter")
  func kinds() throws {
    let rows = try Self.table("| kind | wire name |").map { $0[0] }
    let kinds = try BrazeScene.adapter().capabilities.eventKinds
    #expect(Set(rows) == Set(kinds.map(\.rawValue)))
  }
}
