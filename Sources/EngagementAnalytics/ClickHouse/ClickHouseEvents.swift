import EngagementModel

/// The events of a comparison as a subquery, each with its person, kind, arm and time.
struct ClickHouseEvents {
  /// What a code stands for; a smaller one is the index of a compared kind.
  enum Code {
    static let assigned = 200
    static let exposed = 201
    static let otherVersion = 202
    static let request = 210
    static let failure = 211
    static let rejected = 212
    /// An arm: all that the person was in before.
    static let all = 254
    static let none = 255
  }

  let table: ClickHouseTable
  let times: Range<Int64>

  /// The kind's name, as `EventType` reads it from a type and a surface.
  static var kind: String {
    let rest = "substring(`type`, \(EventType.prefix.utf8.count + 1))"
    let nouns = EventType.nouns.map { ($0.surface.rawValue, $0.noun) }
    func isBehind(_ noun: String) -> String {
      "startsWith(\(rest), concat(\(noun), '.')) AND length(\(rest)) > length(\(noun)) + 1"
    }
    let named = nouns.map { surface, noun in
      "ifNull(`surface`, '') = \(ClickHouseText.literal(surface)), \(ClickHouseText.literal(noun))"
    }
    let noun = "multiIf(\(named.joined(separator: ", ")), ifNull(`surface`, ''))"
    let unnamed = nouns.map { _, noun in
      let noun = ClickHouseText.literal(noun)
      return "\(isBehind(noun)), substring(\(rest), length(\(noun)) + 2)"
    }
    let own = ClickHouseText.list(EventType.ownKinds.sorted())
    return "multiIf(NOT startsWith(`type`, '\(EventType.prefix)') OR \(rest) = '', `type`, "
      + "isNotNull(`surface`), if(\(isBehind(noun)), substring(\(rest), length(\(noun)) + 2), \(rest)), "
      + "\(rest) IN \(own), \(rest), \(unnamed.joined(separator: ", ")), \(rest))"
  }

  /// The name of a user, or of the anonymous user of an installation.
  private static let person =
    "if(isNull(`userid`), concat('s', `source`), concat('u', assumeNotNull(`userid`)))"

  /// A number for each of the texts.
  static func index(of expression: String, in texts: [String], else other: Int) -> String {
    let numbers = texts.indices.map { String($0) }.joined(separator: ", ")
    let list = texts.map(ClickHouseText.literal).joined(separator: ", ")
    return "transform(\(expression), [\(list)], [\(numbers)], \(other))"
  }

  /// The events, with the columns `person`, `t`, `kind`, `arm_name`, `is_own`, `title` and `properties`.
  var query: String {
    // As far as differences of two times do not overflow.
    let latest = ComparisonRow.latestTime
    // What was received before counts as received at the beginning.
    let earliest = max(times.lowerBound, -latest)
    return "SELECT \(Self.person) AS person, "
      + "least(greatest(`time`, toInt64(\(earliest))), \(latest)) AS t, \(Self.kind) AS kind, ifNull(`provider`, '') AS arm_name, isNull(`provider`) AS is_own, "
      + "ifNull(`name`, '') AS title, "
      + "ifNull(`data`, '') AS properties FROM \(table.identifier) FINAL WHERE \(condition)"
  }

  private var condition: String {
    var conditions: [String] = []
    if times.lowerBound != .min {
      let receipts = ClickHouseText.list(ComparedKinds.receipts.map(\.rawValue).sorted())
      conditions.append("(`time` >= \(times.lowerBound) OR kind IN \(receipts))")
    }
    if times.upperBound != .max { conditions.append("`time` < \(times.upperBound)") }
    return conditions.isEmpty ? "1" : conditions.joined(separator: " AND ")
  }
}
