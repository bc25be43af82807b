import EngagementModel

/// A comparison as queries. The server groups the events of each person, and then the people who did the
/// same; the sums over these groups are made here, by the code that makes those of the ledger.
package struct ClickHouseComparison: Sendable {
  let design: ComparisonDesign
  let kinds: ComparedKinds
  private let table: ClickHouseTable
  private let times: Range<Int64>
  /// From the end of the design on.
  private let later: Range<Int64>
  /// What puts people into arms, by the hash of its properties; none for a comparison of providers.
  var memberships: [(hash: String, value: Int)] = []
  /// The strata that the values of memberships name by index.
  var strata: [[StratumValue]] = []

  /// A value of a membership has the arm above these bits, and the strata in them.
  static let strataBits = 20
  static let otherVersion = 1 << 40
  /// That of what came after the memberships were asked for. It is not counted.
  private static let unknown = 1 << 41
  /// More of them make a query too long.
  static let mostMemberships = 20_000
  /// So many people are grouped by one query.
  private let peopleOfSlice: Int

  package init(
    _ design: ComparisonDesign, of table: ClickHouseTable, at times: Range<Int64>,
    peopleOfSlice: Int = 100_000
  ) {
    self.peopleOfSlice = peopleOfSlice
    let end = max(min(times.upperBound, design.endMilliseconds ?? .max), times.lowerBound)
    (self.design, self.table, self.times) = (design, table, times.lowerBound..<end)
    later = end..<times.upperBound
    kinds = ComparedKinds(design)
  }

  /// Gives each provider, and whether it has sent something.
  package static func providers(of table: ClickHouseTable, at times: Range<Int64>) -> String {
    let receivers = ClickHouseText.list(ComparedKinds.ofReceivers.map(\.rawValue))
    return "SELECT arm_name, max(kind IN \(receivers)) AS is_sender FROM "
      + "(\(ClickHouseEvents(table: table, times: times).query)) WHERE NOT is_own "
      + "GROUP BY arm_name \(format)"
  }

  /// Gives on how many devices the people of hashed ids are at most, and the number of these devices where
  /// that is one.
  package static func devices(of table: ClickHouseTable) -> String {
    let (user, source) = (EventColumn.user, EventColumn.source)
    let names = [user, source].map { ClickHouseText.identifier($0.name) }
    return "SELECT max(devices), uniqExact(device) FROM "
      + "(SELECT uniqExact(\(names[1])) AS devices, any(\(names[1])) AS device "
      + "FROM \(table.identifier) WHERE match(\(names[0]), '^[0-9a-f]{64}$') GROUP BY \(names[0])) \(format)"
  }

  /// Gives what `EventCoverage` knows: the events in the times, those of them without a user, all events,
  /// and the newest time.
  package static func coverage(of table: ClickHouseTable, at times: Range<Int64>) -> String {
    var bounds: [String] = []
    if times.lowerBound != .min { bounds.append("`time` >= \(times.lowerBound)") }
    if times.upperBound != .max { bounds.append("`time` < \(times.upperBound)") }
    func count(_ conditions: [String]) -> String {
      conditions.isEmpty ? "count()" : "countIf(\(conditions.joined(separator: " AND ")))"
    }
    return "SELECT \(count(bounds)) AS found, "
      + "\(count(bounds + ["isNull(`userid`)"])) AS userless, count() AS total, "
      + "max(`time`) AS newest FROM \(table.identifier) FINAL \(format)"
  }

  /// Gives the names of experiments that have events.
  package static func experiments(of table: ClickHouseTable) -> String {
    let events = ClickHouseEvents(table: table, times: .min ..< .max).query
    return "SELECT title FROM (\(events)) WHERE kind IN \(memberKinds) GROUP BY title "
      + "ORDER BY title LIMIT 20 \(format)"
  }

  /// Gives the different properties of what puts people into arms, with a hash.
  var membershipQuery: String? {
    guard case .experiment(let name, _) = design.split else { return nil }
    return
      "SELECT toString(cityHash64(properties)) AS hash, any(properties) AS text FROM (\(source)) "
      + "WHERE kind IN \(Self.memberKinds) AND title = \(ClickHouseText.literal(name)) "
      + "GROUP BY hash LIMIT \(Self.mostMemberships + 1) \(Self.format)"
  }

  /// Gives a row if somebody was assigned after the end; nil without one.
  var laterQuery: String? {
    guard case .experiment(let name, _) = design.split, design.endMilliseconds != nil else {
      return nil
    }
    let events = ClickHouseEvents(table: table, times: later).query
    return "SELECT title FROM (\(events)) WHERE kind IN \(Self.memberKinds) "
      + "AND title = \(ClickHouseText.literal(name)) LIMIT 1 \(Self.format)"
  }

  /// Gives the number of people, to choose the slices.
  var sizeQuery: String { "SELECT uniq(person) AS people FROM (\(coded)) \(Self.format)" }

  func slices(ofPeople people: Int) -> Int { max(1, people / peopleOfSlice + 1) }

  private static let format =
    "FORMAT JSONCompact"
  private static let memberKinds = ClickHouseText.list([
    EngagementEvent.Kind.experimentAssigned.rawValue,
    EngagementEvent.Kind.experimentExposed.rawValue,
  ])

  private var source: String { ClickHouseEvents(table: table, times: times).query }

  // MARK: Events

  /// The events that a figure needs, with the columns `person`, `t`, `code`, `arm`, `member` and
  /// `properties`.
  private var coded: String {
    typealias Code = ClickHouseEvents.Code
    let others: [(kind: EngagementEvent.Kind, code: Int)] =
      [(.providerRequest, Code.request), (.providerFailed, Code.failure)]
      + (kinds.tellRejections ? [(.outboxDropped, Code.rejected)] : [])
    let names = (others.map(\.kind) + kinds.kinds).map(\.rawValue)
    let numbers = others.map(\.code) + Array(kinds.kinds.indices)
    let plain =
      "transform(kind, [\(names.map(ClickHouseText.literal).joined(separator: ", "))], "
      + "[\(numbers.map { String($0) }.joined(separator: ", "))], \(Code.none))"
    var code = plain
    let optOut = ClickHouseText.literal(EngagementEvent.Kind.optOut.rawValue)
    var (arm, member) = (
      "if(is_own, if(kind = \(optOut), \(Code.all), \(Code.none)), "
        + ClickHouseEvents.index(of: "arm_name", in: design.arms.map(\.name), else: Code.none)
        + ")",
      "0"
    )
    if case .experiment(let name, _) = design.split {
      let hashes = memberships.map(\.hash).joined(separator: ", ")
      let values = memberships.map { String($0.value) }.joined(separator: ", ")
      member = "transform(cityHash64(properties), [\(hashes)], [\(values)], \(Self.unknown))"
      arm = "0"
      let exposed = ClickHouseText.literal(EngagementEvent.Kind.experimentExposed.rawValue)
      code =
        "multiIf(kind NOT IN \(Self.memberKinds), \(plain), "
        + "title != \(ClickHouseText.literal(name)) OR member = \(Self.unknown), \(Code.none), "
        + "member = \(Self.otherVersion), \(Code.otherVersion), "
        + "kind = \(exposed), \(Code.exposed), \(Code.assigned))"
    }
    return "SELECT person, t, properties, \(member) AS member, \(arm) AS arm, \(code) AS code "
      + "FROM (\(source)) WHERE code != \(Code.none)"
  }

  private func coded(_ slice: Int, of slices: Int) -> String {
    slices == 1 ? coded : "\(coded) AND cityHash64(person) % \(slices) = \(slice)"
  }

  /// A day, as a whole number that is never rounded up.
  private static func day(_ time: String) -> String {
    "intDiv(if(\(time) < 0, \(time) - 86399999, \(time)), 86400000)"
  }

  // MARK: People

  /// Gives groups of people, as `ClickHouseCounts` reads them.
  func groups(_ slice: Int, of slices: Int) -> String {
    design.isExperiment
      ? assigned(coded(slice, of: slices)) : receivers(coded(slice, of: slices))
  }

  private static let columns =
    "state, arm, exposures > 0 AS is_exposed, others > 0 AS is_other, start_day, strata, since, firsts, "
    + "earlier, later"

  private func assigned(_ events: String) -> String {
    func counts(_ condition: String) -> String {
      list { "arrayCount((c, x) -> c = \($0) AND \(condition), codes, ts)" }
    }
    let firsts = list { kind in
      let days = "arrayReduce('min', arrayFilter((x, c) -> c = \(kind) AND x >= start, ts, codes))"
      return "if(state = 0, \(Self.day(days)), 0)"
    }
    // ClickHouse 18 takes a column from a subquery only if it stands outside of a lambda, too. No exposure
    // is earlier than the start.
    let lookBack = Int64(design.lookBackDays) * 86_400_000
    let values =
      "arraySort(arrayDistinct(arrayFilter((m, x) -> state = 0 AND x = start, members, mts)))"
    return "SELECT count() AS people, \(Self.columns) FROM (SELECT state, "
      + "if(state = 0, arm_of, 0) AS arm, if(state = 0 AND exposure >= start, exposed, 0) AS exposures, others, "
      + "if(state = 0, \(Self.day("start")), 0) AS start_day, \(values) AS strata, "
      + "\(counts("state = 0 AND x >= start")) AS since, \(firsts) AS firsts, "
      + "\(counts("state = 0 AND x < start AND x >= start - \(lookBack)")) AS earlier, "
      + "\(counts("state = 0 AND exposed > 0 AND x >= exposure")) AS later "
      + "FROM (\(people(events)))) GROUP BY \(Self.names) \(Self.format)"
  }

  private static let names =
    "state, arm, is_exposed, is_other, start_day, strata, since, firsts, earlier, later"

  /// A row for each person who is in an arm, or was in another version. `state` is 0 for one who counts.
  private func people(_ events: String, _ more: String = "") -> String {
    typealias Code = ClickHouseEvents.Code
    let isMember = "code IN (\(Code.assigned), \(Code.exposed))"
    let isDone = "code < \(Code.assigned)"
    let armOf = "intDiv(member, \(1 << Self.strataBits))"
    return
      "SELECT person, countIf(\(isMember)) AS found, countIf(code = \(Code.otherVersion)) AS others, "
      + "minIf(t, \(isMember)) AS start, maxIf(\(armOf), \(isMember)) AS arm_of, "
      + "minIf(\(armOf), \(isMember)) AS least, countIf(code = \(Code.exposed)) AS exposed, "
      + "minIf(t, code = \(Code.exposed)) AS exposure, "
      + "multiIf(found = 0, 1, arm_of = \(Code.none), 2, least < arm_of, 3, 0) AS state, "
      + "groupArrayIf(t, \(isDone)) AS ts, groupArrayIf(code, \(isDone)) AS codes, \(more)"
      + "groupArrayIf(t, \(isMember)) AS mts, groupArrayIf(member, \(isMember)) AS members "
      + "FROM (\(events)) GROUP BY person HAVING found > 0 OR others > 0"
  }

  private func receivers(_ events: String) -> String {
    let optOut = kinds.index(of: .optOut)
    let own =
      "SELECT person, arm, start, \(list { $0 == optOut ? "owns[\($0 + 1)] + length(laters)" : "owns[\($0 + 1)]" }) AS counts, "
      + "\(list { Self.day($0 == optOut ? Self.firstOptOut(optOut + 1) : "times[\($0 + 1)]") }) AS days "
      + "FROM (\(ownDeeds(events)))"
    let people =
      "SELECT groupArray(arm) AS arms, groupArray(start) AS starts, groupArray(counts) AS all_counts, "
      + "groupArray(days) AS all_days, count() AS several FROM (\(own)) GROUP BY person"
    let blank = list { _ in "0" }
    return "SELECT count() AS people, several AS state, arm, 0 AS is_exposed, 0 AS is_other, "
      + "if(several = 1, \(Self.day("start")), 0) AS start_day, emptyArrayInt64() AS strata, "
      + "since, if(several = 1, firsts, \(blank)) AS seen, \(blank) AS earlier, \(blank) AS later "
      + "FROM (\(people)) ARRAY JOIN arms AS arm, starts AS start, all_counts AS since, "
      + "all_days AS firsts GROUP BY several, arm, start_day, since, seen \(Self.format)"
  }

  /// A row for each person and provider. `laters` are the opt-outs of no provider from the start on.
  private func ownDeeds(_ events: String) -> String {
    typealias Code = ClickHouseEvents.Code
    let isOwn = "origin = arm"
    let counts = list { "countIf(code = \($0) AND \(isOwn))" }
    let times = list { "minIf(t, code = \($0) AND \(isOwn))" }
    let arms = design.arms.indices.map { String($0) }.joined(separator: ", ")
    let spread =
      "SELECT person, t, code, arm AS origin, arrayJoin(if(arm = \(Code.all), [\(arms)], [arm])) AS place "
      + "FROM (\(events)) WHERE code < \(Code.assigned) AND arm != \(Code.none)"
    let deeds =
      "SELECT person, place AS arm, countIf(\(isOwn)) AS found, minIf(t, \(isOwn)) AS start, "
      + "\(counts) AS owns, \(times) AS times, groupArrayIf(t, origin = \(Code.all)) AS outs "
      + "FROM (\(spread)) GROUP BY person, place HAVING found > 0"
    return
      "SELECT person, arm, start, owns, times, arrayFilter(x -> x >= start, outs) AS laters FROM (\(deeds))"
  }

  private static func firstOptOut(_ place: Int) -> String {
    let (own, first) = ("times[\(place)]", "arrayReduce('min', laters)")
    return
      "multiIf(length(laters) = 0, \(own), owns[\(place)] = 0, \(first), least(\(own), \(first)))"
  }

  private func list(_ element: (Int) -> String) -> String {
    "[\(kinds.kinds.indices.map(element).joined(separator: ", "))]"
  }

  // MARK: Requests and days

  /// Gives the requests of each arm, and what was rejected, with their properties.
  func requests(_ slice: Int, of slices: Int) -> String {
    typealias Code = ClickHouseEvents.Code
    let events = coded(slice, of: slices)
    let isRequest = "code IN (\(Code.request), \(Code.failure), \(Code.rejected))"
    guard design.isExperiment else {
      return "SELECT arm, code, properties, count() AS requests FROM (\(events)) "
        + "WHERE \(isRequest) AND arm != \(Code.none) GROUP BY arm, code, properties \(Self.format)"
    }
    let more =
      "groupArrayIf(t, \(isRequest)) AS rts, groupArrayIf(code, \(isRequest)) AS rcodes, "
      + "groupArrayIf(properties, \(isRequest)) AS rtexts, "
    return "SELECT arm_of, rc, rp, count() AS requests FROM (\(people(events, more))) "
      + "ARRAY JOIN rts AS rt, rcodes AS rc, rtexts AS rp WHERE state = 0 AND rt >= start "
      + "GROUP BY arm_of, rc, rp \(Self.format)"
  }

  /// Gives the events of each arm by kind and day; nil where no metric counts events.
  func days(_ slice: Int, of slices: Int) -> String? {
    guard design.metrics.contains(where: { !$0.isShare }) else { return nil }
    let events = coded(slice, of: slices)
    guard design.isExperiment else {
      let isOwn = "arm != \(ClickHouseEvents.Code.all)"
      let own =
        "SELECT person, uniqExactIf(arm, \(isOwn)) AS arms, minIf(arm, \(isOwn)) AS arm_of, "
        + "minIf(t, \(isOwn)) AS start, groupArray(t) AS ts, "
        + "groupArray(code) AS codes FROM (\(events)) "
        + "WHERE code < \(ClickHouseEvents.Code.assigned) "
        + "AND arm != \(ClickHouseEvents.Code.none) GROUP BY person HAVING arms = 1"
      return "SELECT arm_of, c, \(Self.day("x")) AS day, count() AS events FROM (\(own)) "
        + "ARRAY JOIN ts AS x, codes AS c WHERE x >= start GROUP BY arm_of, c, day \(Self.format)"
    }
    return "SELECT arm_of, c, \(Self.day("x")) AS day, count() AS events FROM (\(people(events))) "
      + "ARRAY JOIN ts AS x, codes AS c WHERE state = 0 AND x >= start GROUP BY arm_of, c, day \(Self.format)"
  }
}
