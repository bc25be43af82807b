/// People who did the same in a comparison, as a database counts them. The arrays have a number for each of
/// the compared kinds.
struct PeopleGroup {
  let people: Int
  let arm: Int
  let isExposed: Bool
  /// Whether they are in other arms, too: then only the funnel counts them.
  let isInSeveralArms: Bool
  let startDay: Int64
  /// The values of the strata at the start, once for each assignment of that moment.
  let strata: [[StratumValue]]
  let sinceStart: [Int]
  let firstDays: [Int64]
  let past: [Int]
  let sinceExposure: [Int]
}
