import EngagementFormats
import EngagementModel
import EngagementPlatform

/// What the cache keeps of the comparisons with one candidate: the report, and what the next comparison
/// needs to know.
struct ParityRecord: Hashable, Sendable {
  var report: ParityReport
  var memory = ShadowComparison.Memory()

  init(_ report: ParityReport) { self.report = report }

  /// Adds a comparison.
  ///
  /// - Parameter shown: The providers that are shown now. What was missing beside others is forgotten.
  mutating func add(
    shown: [ProviderID], at now: Date,
    _ compare: (inout ShadowComparison.Memory) -> ShadowComparison
  ) {
    if report.shown != shown { memory = ShadowComparison.Memory() }
    let comparison = compare(&memory)
    report.shown = shown
    report.comparisons += 1
    report.firstComparedAt = report.firstComparedAt ?? now
    report.comparedAt = now
    report.last = comparison.figures
    report.total.add(comparison.figures)
    report.examples = comparison.examples
    report.longestDelay = [report.longestDelay, comparison.longestDelay].compactMap(\.self).max()
    (report.failure, report.failedAt) = (nil, nil)
  }

  mutating func addFailure(_ code: EngagementError.Code, at now: Date) {
    report.failures += 1
    report.failure = code
    report.failedAt = now
  }

  // MARK: In the cache

  /// The name of its value, of one user.
  var name: String {
    let words = [
      "parity", report.candidate.rawValue, report.surface.rawValue,
      report.container?.rawValue ?? "",
    ]
    return words.joined(separator: "\n")
  }

  /// Whether it is about the same as another report.
  func isAbout(_ other: ParityReport) -> Bool {
    report.surface == other.surface && report.container == other.container
      && report.candidate == other.candidate
  }

  var json: JSON {
    var missing: JSONObject = [:]
    for (key, since) in memory.missing.sorted(by: { $0.value < $1.value }) {
      missing[Hex.text(of: key.bytes)] = .integer(since.milliseconds)
    }
    let ended = memory.ended.map { JSON.string(Hex.text(of: $0.bytes)) }
    return ["report": report.json, "missing": .object(missing), "ended": .array(ended)]
  }

  /// Reads what `json` writes; nil for anything else.
  init?(json: JSON) {
    guard let report = json["report"].flatMap(ParityReport.init(json:)) else { return nil }
    self.init(report)
    for member in json["missing"]?.object?.members ?? [] {
      guard let key = ContentKey(hex: member.key), let since = member.value.integer, since >= 0
      else { continue }
      memory.missing[key] = .milliseconds(since)
    }
    memory.ended = Set(
      (json["ended"]?.array ?? []).compactMap { $0.string.flatMap(ContentKey.init(hex:)) })
  }
}

extension ContentKey {
  fileprivate init?(hex text: String) {
    guard let bytes = Hex.bytes(from: text) else { return nil }
    self.init(bytes: bytes)
  }
}
