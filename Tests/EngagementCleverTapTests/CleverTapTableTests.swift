import CleverTapFixtures
import EngagementAdapterAPI
import EngagementCleverTap
import EngagementJSON
import EngagementModel
import EngagementTesting
import Foundation
import Testing

/// The tables of the adapter's README against what the adapter does.
@Suite("CleverTap: the README's tables") struct CleverTapTableTests {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The cells of the table whose head is this, without ticks, row by row.
  private static func table(_ head: String) throws -> [[String]] {
    let readme = try String(
      contentsOf: root.appending(path: "Adapters/CleverTap/README.md"), encoding: .utf8)
    let lines = readme.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex { $0 == head })
    return lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
      line.split(separator: "|").map {
        $0.trimmingCharacters(in: .whitespaces).replacingOccurrences(of: "`", with: "")
      }
    }
  }

  // MARK: Subjects

  /// What one member makes of the whole.
  enum Outcome: Hashable {
    case message(InboxMessage)
    case campaign(Campaign)
    case push(PushNotification?)
    case quarantine
  }

  /// The values that a test gives one member.
  struct Values: Sendable {
    var sound: JSON
    /// Other types that mean the same as `sound`.
    var coercible: [JSON] = []
    var wrong: [JSON] = [.null, [], true, .number(-0.5)]
    var unknown: [JSON] = []

    static let text = Values(sound: "sound", unknown: ["another"])
    static let address = Values(
      sound: "https://example.com/a", unknown: ["", "javascript:x", " data:,x"])
    static let flag = Values(
      sound: true, coercible: [1], wrong: [.null, [], "true", "1"], unknown: [2, -1])
    static let time = Values(
      sound: 1_790_900_000, wrong: [.null, [], true, "soon"], unknown: [.number(1e300)])
    static let limits = Values(
      sound: [["type": "ever", "limit": 1]], wrong: [[:], true, 7, "x", [7]],
      unknown: [[["type": "fortnights", "limit": 1]], [["type": "ever", "limit": -2]]])
    static let cap = Values(sound: 1, wrong: [[], true, "1", .number(0.5)], unknown: [-2])
  }

  /// Something with fields: the smallest whole one, what is tried, and what comes of it.
  struct Subject: Sendable, CustomTestStringConvertible {
    var head: String
    var smallest: JSON
    var probes: [String: Values]
    var outcome: @Sendable (JSON) throws -> Outcome

    var testDescription: String { head }

    func outcome(_ field: String, _ value: JSON?) throws -> Outcome {
      try outcome(smallest.setting(field.split(separator: ".").map(String.init), to: value))
    }

    /// Whether the value has the effect that a word of the table promises.
    func holds(_ word: String, _ field: String, _ value: JSON?) throws -> Bool {
      let outcome = try outcome(field, value)
      let absent = try self.outcome(field, nil)
      switch word {
      case "default": return outcome == absent
      case "coerce":
        return outcome == (try self.outcome(field, probes[field]?.sound)) && outcome != absent
      case "keep": return outcome != absent && outcome != .quarantine
      case "quarantine": return outcome == .quarantine
      case "never":
        if case .campaign(let campaign) = outcome { return campaign.limits.contains(.unreadable) }
        return false
      default: return false
      }
    }
  }

  private static func mapped(
    _ json: JSON, _ map: (RawItem) throws(EngagementError) -> Outcome
  ) -> Outcome {
    do throws(EngagementError) {
      return try map(RawItem(index: 0, bytes: json.encoded()[...]))
    } catch {
      return .quarantine
    }
  }

  private static let message = Subject(
    head: "| field | absent | wrong type | unknown value |",
    smallest: ["_id": "m-1"],
    probes: [
      "_id": Values(sound: "m-2", wrong: [.null, [], true, 7], unknown: [""]),
      "isRead": .flag, "date": .time, "wzrk_ttl": .time,
      "msg": Values(sound: ["tags": ["a"]], wrong: [.null, [], true, 7], unknown: [["new": 1]]),
      "msg.tags": Values(sound: ["a"], wrong: [.null, true, 7, "a"], unknown: [[]]),
      "msg.custom_kv": Values(
        sound: [["key": "k", "value": ["text": "v"]]], wrong: [.null, true, 7, [:]],
        unknown: [[["key": "k"]], [7]]),
      "msg.content": Values(
        sound: [["title": ["text": "t"]]], wrong: [.null, true, 7, [:]], unknown: [[]]),
    ],
    outcome: { json in
      let adapter = try CleverTap.adapter()
      return mapped(json) { item throws(EngagementError) in
        var message = try adapter.message(in: item)
        // What events need is not what the table is about.
        message.handle = [:]
        return .message(message)
      }
    })

  private static let campaign = Subject(
    head: "| field of a campaign | absent | wrong type | unknown value |",
    smallest: ["type": "custom-code", "templateName": "t", "ti": 1],
    probes: [
      "templateName": Values(sound: "u", wrong: [.null, [], true, 7], unknown: [""]),
      "ti": Values(sound: "7", coercible: [7], unknown: [""]),
      "vars": Values(
        sound: ["a": 1], wrong: [.null, [], true, 7], unknown: [["a": .null], ["a": [1]]]),
      "priority": Values(sound: 7, wrong: [.null, [], true, "7"], unknown: [-3, 1_000]),
      "wzrk_ttl": .time,
      "wzrk_ttl_offset": Values(sound: 60, wrong: [.null, [], true, "60"], unknown: [1]),
      "delayAfterTrigger": Values(
        sound: 30, wrong: [.null, [], true, "30"], unknown: [0, 1_201, -1]),
      "efc": .flag, "excludeGlobalFCaps": .flag, "suppressed": .flag,
      "whenTriggers": Values(
        sound: [["eventName": "e"]], wrong: [.null, [:], true, "e"],
        unknown: [
          [["eventProperties": []]],
          [["eventName": "e", "eventProperties": [["propertyName": "p", "operator": 99]]]],
          [["eventName": "e", "geoRadius": [["lat": "north"]]]],
        ]),
      "frequencyLimits": .limits, "occurrenceLimits": .limits, "mdc": .cap, "tdc": .cap,
      "tlc": .cap,
    ],
    outcome: { json in
      let adapter = try CleverTap.adapter()
      return mapped(json) { item throws(EngagementError) in
        var campaign = try adapter.campaign(in: item)
        campaign.handle = [:]
        return .campaign(campaign)
      }
    })

  private static let push = Subject(
    head: "| field of a push | absent | wrong type | unknown value |",
    smallest: ["wzrk_x": 1],
    probes: [
      "wzrk_pid": Values(sound: "7", coercible: [7], unknown: [""]),
      "aps.alert": Values(sound: ["body": "Hi"], coercible: ["Hi"], unknown: [["new": 1]]),
      "aps.alert.title": .text, "nt": .text, "nm": .text, "wzrk_dl": .address,
      "wzrk_bp": .address, "wzrk_sound": .text,
      "aps.badge": Values(sound: 3, wrong: [.null, [], true, "3"], unknown: [.number(0.5)]),
      "wzrk_cid": .text,
      "wzrk_pn_s": Values(
        sound: true, coercible: ["true", 1], wrong: [.null, [], .number(0.5)],
        unknown: ["yes", 2, false]),
    ],
    outcome: { json in
      var push = try CleverTap.adapter().received(json, in: CleverTap.context())?.notification
      push?.handle = [:]
      return .push(push)
    })

  static let subjects = [message, campaign, push]

  // MARK: Lenient mapping

  @Test(
    "C7 C9 C10 C11: each absent, mistyped or unknown member has the effect that the table gives",
    arguments: subjects)
  func lenient(subject: Subject) throws {
    let rows = try Self.table(subject.head)
    for row in rows {
      let field = row[0]
      let probe = try #require(subject.probes[field], "the table has \(field)")
      let words = row[2].components(separatedBy: ", ")
      #expect((words.count == 2) == !probe.coercible.isEmpty, "\(field) coerces or does not")
      #expect(try subject.holds(row[1], field, nil), "\(field) absent")
      #expect(try subject.outcome(field, probe.sound) != subject.outcome(field, nil), "\(field)")
      for value in probe.coercible {
        #expect(try subject.holds(words[0], field, value), "\(field): \(value)")
      }
      for value in probe.wrong {
        #expect(try subject.holds(words.last ?? "", field, value), "\(field): \(value)")
      }
      for value in probe.unknown {
        #expect(try subject.holds(row[3], field, value), "\(field): \(value)")
      }
    }
    #expect(rows.count == subject.probes.count)
  }

  // MARK: Capabilities

  @Test("X19: the README's capability table matches the adapter")
  func capabilities() throws {
    let abilities = try CleverTap.adapter().capabilities.abilities.map { verb, ability in
      [verb.rawValue, ability.travel.rawValue, ability.deduplication.rawValue]
    }
    #expect(Set(try Self.table("| verb | travels | de-duplication |")) == Set(abilities))
  }

  @Test("X19 C11: the README's event kinds match the adapter")
  func kinds() throws {
    let rows = try Self.table("| kind | wire name |").map { $0[0] }
    let kinds = try CleverTap.adapter().capabilities.eventKinds
    #expect(Set(rows) == Set(kinds.map(\.rawValue)))
  }
}

extension JSON {
  /// With the member at the path set, or taken away; objects on the way are made.
  func setting(_ path: [String], to value: JSON?) -> JSON {
    guard let name = path.first else { return value ?? .null }
    var object = self.object ?? [:]
    if path.count == 1 {
      object[name] = value
    } else if value != nil || object[name] != nil {
      object[name] = (object[name] ?? [:]).setting(Array(path.dropFirst()), to: value)
    }
    return .object(object)
  }
}
