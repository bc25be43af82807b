import EngagementJSON
package import EngagementModel

/// Makes the counts of a comparison from the rows of its queries.
package struct ClickHouseCounts {
  /// Sends a query and returns its rows.
  package typealias Ask = (String) async throws(EngagementError) -> [[JSON]]

  private var comparison: ClickHouseComparison
  private var counts: ComparisonCounts
  private var tally: PersonTally
  /// How many people are in so many arms, once for each arm.
  private var several: [Int: Int] = [:]
  /// How much the sums may still grow, so that no answer of a server makes one overflow.
  private var room = Int.max / 128

  package init(_ comparison: ClickHouseComparison) {
    self.comparison = comparison
    counts = ComparisonCounts(comparison.design)
    tally = PersonTally(comparison.design, comparison.kinds, [])
  }

  /// The counts of all people.
  package mutating func read(_ ask: Ask) async throws(EngagementError) -> ComparisonCounts {
    if let query = comparison.membershipQuery {
      try addMemberships(try await ask(query))
      guard !comparison.memberships.isEmpty else {
        if let query = comparison.laterQuery { counts.areAllLater = try await !ask(query).isEmpty }
        return counts
      }
      tally = PersonTally(comparison.design, comparison.kinds, comparison.strata)
    }
    let people = try await ask(comparison.sizeQuery).first?.first?.integer ?? 0
    let slices = comparison.slices(ofPeople: Int(clamping: people))
    for slice in 0..<slices {
      for row in try await ask(comparison.groups(slice, of: slices)) { try addGroup(row) }
      for row in try await ask(comparison.requests(slice, of: slices)) { try addRequests(row) }
      guard let query = comparison.days(slice, of: slices) else { continue }
      for row in try await ask(query) { try addDay(row) }
    }
    for (arms, people) in several { counts.peopleInSeveralArms += people / arms }
    try counts.validate()
    return counts
  }

  // MARK: Memberships

  private mutating func addMemberships(_ rows: [[JSON]]) throws(EngagementError) {
    guard rows.count <= ClickHouseComparison.mostMemberships else {
      throw EngagementError(
        .unsupported,
        "The assignments have more than \(ClickHouseComparison.mostMemberships) different properties; "
          + "export them to files, and read those with --from.")
    }
    guard case .experiment(_, let version) = comparison.design.split else { return }
    var indices: [[StratumValue]: Int] = [:]
    for row in rows {
      guard row.count == 2, let hash = row[0].string, UInt64(hash) != nil, let text = row[1].string
      else { throw Self.foreign }
      let properties = (try? JSON(parsing: Array(text.utf8)))?.object ?? [:]
      guard ComparisonAccumulator.version(in: properties) == Int64(version) else {
        counts.otherVersions.insert(ComparisonAccumulator.versionText(in: properties))
        comparison.memberships.append((hash, ClickHouseComparison.otherVersion))
        continue
      }
      let name = properties["arm"]?.string
      let arm = comparison.design.arms.firstIndex { name?.hasSameBytes(as: $0.name) == true }
      if arm == nil, let name { counts.unknownArms.insert(name) }
      let values = comparison.design.strata.map {
        StratumValue(ComparisonAccumulator.text(of: properties[$0]))
      }
      let index = indices[values] ?? comparison.strata.count
      if index == comparison.strata.count { comparison.strata.append(values) }
      indices[values] = index
      let number = arm ?? ClickHouseEvents.Code.none
      comparison.memberships.append((hash, number << ClickHouseComparison.strataBits | index))
    }
  }

  // MARK: People

  private mutating func addGroup(_ row: [JSON]) throws(EngagementError) {
    guard row.count == 11, let people = row[0].integer, people >= 0, let state = row[1].integer
    else { throw Self.foreign }
    try reserve(Int(people), 1)
    if comparison.design.isExperiment {
      if row[4] != 0 { counts.peopleInOtherVersions += Int(people) }
      switch state {
      case 0: break
      case 2:
        counts.peopleInUnknownArms += Int(people)
        return
      case 3:
        counts.peopleInSeveralArms += Int(people)
        return
      default: return
      }
    } else if state > 1 {
      several[Int(state), default: 0] += Int(people)
    }
    tally.add(try group(row, people: Int(people), isSeveral: state > 1), to: &counts)
  }

  private mutating func group(
    _ row: [JSON], people: Int, isSeveral: Bool
  ) throws(EngagementError) -> PeopleGroup {
    let mask = 1 << ClickHouseComparison.strataBits - 1
    guard let arm = row[2].integer, counts.arms.indices.contains(Int(arm)),
      let day = row[5].integer, Self.days.contains(day),
      let strata = row[6].array?.map({ Int($0.integer ?? 0) & mask }),
      strata.allSatisfy(comparison.strata.indices.contains)
    else { throw Self.foreign }
    let firsts = try numbers(row[8]).map { Int64($0) }
    guard firsts.allSatisfy(Self.days.contains) else { throw Self.foreign }
    let group = PeopleGroup(
      people: people, arm: Int(arm), isExposed: row[3] != 0, isInSeveralArms: isSeveral,
      startDay: day, strata: strata.map { comparison.strata[$0] }, sinceStart: try numbers(row[7]),
      firstDays: firsts, past: try numbers(row[9]), sinceExposure: try numbers(row[10]))
    for count in group.sinceStart + group.past + group.sinceExposure {
      guard count >= 0 else { throw Self.foreign }
      try reserve(people, count)
      let value = min(count, ComparisonMetric.largestCount)
      try reserve(people, value * value)
    }
    return group
  }

  /// A number for each kind.
  private func numbers(_ value: JSON) throws(EngagementError) -> [Int] {
    let numbers = value.array?.compactMap { $0.integer.map { Int($0) } } ?? []
    guard numbers.count == comparison.kinds.kinds.count else { throw Self.foreign }
    return numbers
  }

  // MARK: Requests and days

  private mutating func addRequests(_ row: [JSON]) throws(EngagementError) {
    guard row.count == 4, let arm = row[0].integer, counts.arms.indices.contains(Int(arm)),
      let code = row[1].integer, let text = row[2].string, let found = row[3].integer, found >= 0
    else { throw Self.foreign }
    let properties = (try? JSON(parsing: Array(text.utf8)))?.object ?? [:]
    guard code != ClickHouseEvents.Code.rejected else {
      let rejected = Int(ComparisonAccumulator.rejected(in: properties))
      try reserve(Int(found), rejected)
      counts.arms[Int(arm)].rejected += Int(found) * rejected
      return
    }
    let duration = ComparisonAccumulator.duration(in: properties)
    try reserve(Int(found), Int(duration) + 1)
    counts.arms[Int(arm)].requests.add(
      Int(found), failed: code == ClickHouseEvents.Code.failure,
      milliseconds: duration == ComparisonRow.noDuration ? nil : Int(duration))
  }

  private mutating func addDay(_ row: [JSON]) throws(EngagementError) {
    guard row.count == 4, let arm = row[0].integer, counts.arms.indices.contains(Int(arm)),
      let kind = row[1].integer, let day = row[2].integer, Self.days.contains(day),
      let events = row[3].integer, events >= 0
    else { throw Self.foreign }
    try reserve(Int(events), 1)
    tally.add(Int(events), of: Int(kind), on: day, to: &counts.arms[Int(arm)])
  }

  // MARK: Bounds

  private static let days: ClosedRange<Int64> = -(1 << 35)...(1 << 35)

  private mutating func reserve(_ people: Int, _ count: Int) throws(EngagementError) {
    let (product, overflows) = people.multipliedReportingOverflow(by: count)
    guard !overflows, product <= room else { throw Self.foreign }
    room -= product
  }

  private static let foreign = EngagementError(
    .malformedResponse, "The counts are not those of this comparison: the table is another one.")
}
