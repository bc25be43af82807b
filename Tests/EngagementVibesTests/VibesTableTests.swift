import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementTesting
import EngagementVibes
import Foundation
import Testing
import VibesFixtures

/// The tables of the adapter's README against what the adapter does.
@Suite struct VibesTableTests {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The cells of the table whose head is this, without ticks, row by row.
  private static func table(_ head: String) throws -> [[String]] {
    let lines = try text("Adapters/Vibes/README.md").split(
      separator: "\n", omittingEmptySubsequences: false)
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
    case person(Person)
    case push(Received)
    case quarantine, refuse, drop
  }

  /// Something with fields: the smallest whole one, what is tried, and what comes of it.
  struct Subject: Sendable, CustomTestStringConvertible {
    var head: String
    var smallest: JSON
    var probes: [String: MemberValues]
    var outcome: @Sendable (JSON) throws -> Outcome

    var testDescription: String { head }

    /// What comes of it with the member set, or taken away.
    func outcome(_ field: String, _ value: JSON?) throws -> Outcome {
      let path = field.split(separator: ".").map(String.init)
      return try outcome(smallest.setting(path, to: value))
    }

    /// Whether the value has the effect that a word of the table promises.
    func holds(_ word: String, _ field: String, _ value: JSON?) throws -> Bool {
      let outcome = try outcome(field, value)
      let absent = try self.outcome(field, nil)
      switch word {
      case "default": return outcome == absent
      case "coerce":
        return outcome == (try self.outcome(field, VibesTableTests.sound(field, in: self)))
          && outcome != absent
      case "keep": return outcome != absent && !Self.failures.contains(outcome)
      case "quarantine": return outcome == .quarantine
      case "refuse": return outcome == .refuse
      case "drop": return outcome == .drop
      default: return false
      }
    }

    private static let failures: Set<Outcome> = [.quarantine, .refuse, .drop]
  }

  private static func sound(_ field: String, in subject: Subject) throws -> JSON {
    try #require(subject.probes[field]).sound
  }

  static let subjects = [message, person, apns, fcm]

  private static let id = MemberValues(
    sound: "m-2", wrong: MemberValues.others + MemberValues.numbers + [true],
    unknown: ["", ".", ".."])

  private static let message = Subject(
    head: "| field | absent | wrong type | unknown value |",
    smallest: ["message_uid": "m-1", "content": "c"],
    probes: [
      "message_uid": id, "content": .anyText, "subject": .text, "detail": .address,
      "images": MemberValues(
        sound: ["icon": "https://example.com/i"],
        wrong: [.null, [], "x", true] + MemberValues.numbers,
        unknown: [[:], ["other": "x"]]),
      "images.icon": .address, "images.main": .address,
      "read": MemberValues(
        sound: true, coercible: [1, .number(1)], wrong: MemberValues.others + ["true", ""],
        unknown: [2, -1, .number(0.5)]),
      "created_at": .time, "expires_at": .time, "collapse_key": .text,
      "inbox_custom_data": .looseObject,
      "apprefdata": MemberValues(
        sound: ["activityUid": "a"], wrong: [.null, [], "x", true] + MemberValues.numbers,
        unknown: [[:], ["other": "x"]]),
      "apprefdata.activityType": .anyText, "apprefdata.activityUid": .anyText,
    ],
    outcome: { json in
      let adapter = try Vibes.adapter()
      let item = RawItem(index: 0, bytes: json.encoded()[...])
      do throws(EngagementError) {
        return .message(try adapter.message(in: item))
      } catch {
        return .quarantine
      }
    })

  private static let person = Subject(
    head: "| field of a person | absent | wrong type | unknown value |",
    smallest: ["person_key": "p-1"],
    probes: [
      "person_key": id, "external_person_id": .text,
      "mobile_phone": MemberValues(
        sound: ["mdn": "+1"], wrong: [.null, [], "x", true] + MemberValues.numbers,
        unknown: [[:], ["other": "x"]]),
      "mobile_phone.mdn": .text, "custom_fields": .object,
    ],
    outcome: { json in
      let answer = try Vibes.adapter().answer(
        to: .person, from: HTTPResponse(200, body: json.encoded()), in: Vibes.context())
      for case .person(let person?) in answer.changes { return .person(person) }
      return .refuse
    })

  private static func received(_ push: JSON) throws -> Outcome {
    try Vibes.adapter().received(push, in: Vibes.context()).map { .push($0) } ?? .drop
  }

  private static let pushID = MemberValues(
    sound: "push-2", wrong: MemberValues.others + MemberValues.numbers + [true], unknown: ["", " "])
  private static let appData = MemberValues(
    sound: ["deep_link": "app://x"],
    coercible: [#"{"deep_link":"app://x"}"#, #"{"deep_link"=>"app://x"}"#],
    wrong: [.null, [], "x", true] + MemberValues.numbers, unknown: [[:]])

  private static let apns = Subject(
    head: "| field of an APNs push | absent | wrong type | unknown value |",
    smallest: ["message_uid": "push-1", "aps": [:]],
    probes: [
      "message_uid": pushID,
      "aps.alert": MemberValues(
        sound: ["body": "Hi"], coercible: ["Hi"], wrong: [.null, [], true] + MemberValues.numbers,
        unknown: [[:], ["other": "x"]]),
      "aps.alert.title": .anyText, "aps.alert.subtitle": .anyText, "aps.alert.body": .anyText,
      "aps.sound": MemberValues(
        sound: "horn.caf", coercible: [["critical": 1, "name": "horn.caf"]],
        wrong: MemberValues.others + MemberValues.numbers + [true], unknown: [""]),
      "aps.badge": MemberValues(
        sound: 3, wrong: MemberValues.others + ["3", true], unknown: [.number(0.5), .number(1e300)]),
      "aps.category": .anyText,
      "aps.content-available": MemberValues(
        sound: 1, coercible: [true, .number(1)], wrong: MemberValues.others + ["1", "true"],
        unknown: [0, 2, false]),
      "client_app_data": appData, "client_app_data.deep_link": .address,
      "client_app_data.media_url": .address,
      "client_app_data.inbox_message_uid": MemberValues(
        sound: "m-1", wrong: MemberValues.others + MemberValues.numbers + [true],
        unknown: ["", " "]),
      "client_app_data.activity_type": .anyText, "client_app_data.activity_uid": .anyText,
      "client_custom_data": .looseObject,
    ], outcome: received)

  private static let fcm = Subject(
    head: "| field of an FCM push | absent | wrong type | unknown value |",
    smallest: ["message_uid": "push-1"],
    probes: [
      "message_uid": pushID, "title": .anyText, "body": .anyText, "sound": .anyText,
      "badge": MemberValues(
        sound: "10", coercible: [10], wrong: MemberValues.others + [true],
        unknown: ["", "ten", "1.5", .number(0.5)]),
      "notification_channel": .anyText, "click_action": .anyText,
      "silent_push": MemberValues(
        sound: "true", coercible: [true], wrong: MemberValues.others + MemberValues.numbers,
        unknown: ["", "yes", "false"]),
      "client_app_data": appData, "client_custom_data": .looseObject,
    ], outcome: received)

  // MARK: Lenient mapping

  @Test(
    "V6 V7 V8: each absent, mistyped or unknown member has the effect that the table gives",
    arguments: subjects)
  func lenient(subject: Subject) throws {
    let rows = try Self.table(subject.head)
    for row in rows where row.count == 4 {
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

  @Test("V8: the message tables list every member that the adapter reads")
  func complete() throws {
    let source = try Self.text("Adapters/Vibes/VibesItems.swift")
    let names =
      source.matches(of: /\.(?:string|text|flag|fields|json)\("(\w+)"\)/).map { String($0.1) }
      + source.matches(of: /JSONKey = "(\w+)"/).map { String($0.1) }
    func last(_ path: String) -> String { path.split(separator: ".").last.map(String.init) ?? "" }
    let wrong = try Self.table(Self.message.head).map { last($0[0]) }
    let mapped = try Self.table("| Vibes | neutral | note |").map { last($0[0]) }
    #expect(Set(names) == Set(wrong))
    #expect(Set(names).subtracting(["images", "apprefdata"]) == Set(mapped))
  }

  // MARK: Capabilities

  @Test("X19: the README's capability table matches the adapter")
  func capabilities() throws {
    let abilities = try Vibes.adapter().capabilities.abilities.map { verb, ability in
      [verb.rawValue, ability.travel.rawValue, ability.deduplication.rawValue]
    }
    let rows = try Self.table("| verb | travels | de-duplication |")
    #expect(Set(rows) == Set(abilities))
  }

  @Test("X19 V5: the README's event kinds match the adapter")
  func kinds() throws {
    let rows = try Self.table("| kind | wire name |").map { $0[0] }
    let kinds = try Vibes.adapter().capabilities.eventKinds
    #expect(Set(rows) == Set(kinds.map(\.rawValue)))
  }
}
