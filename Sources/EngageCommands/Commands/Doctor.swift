import EngagementKit
import EngagementModel

extension Command {
  private static let acknowledge = Option(
    "acknowledge", "do not tell again that a damaged cache was replaced")

  static let doctor = Command(
    name: ["doctor"], summary: "check the configuration, the vendors and the cache",
    discussion: """
      Every line that is not ok says what to do next. Checks every page of the cache, and
      that no action was lost: accepted = pending + delivered + kept here + rejected + expired +
      evicted + wiped.
      """,
    options: [acknowledge],
    examples: [
      Example("engage doctor", "everything"),
      Example("engage doctor --json", "one object for each check"),
    ], isInterruptible: true,
    run: { invocation in
      if invocation.has(acknowledge) {
        RecoveryNotice(besideCacheAt: try invocation.configuration(isTold: false).cache).remove()
      }
      let findings = try await invocation.console.progress("Checking …") {
        try await DoctorChecks(invocation).findings()
      }
      for finding in findings { try invocation.console.object(finding.object) }
      try invocation.console.table(CheckResult.table(of: findings))
      for finding in findings {
        guard let next = finding.next else { continue }
        try invocation.console.line("\(finding.subject, .bold): \(next)")
      }
      return findings.contains { $0.verdict == .bad } ? .failed : .done
    })
}

/// What one check found.
struct CheckResult: Hashable, Sendable {
  enum Verdict: String, Sendable {
    case good = "ok"
    /// Nothing is wrong with it, and something is to be known of it.
    case note
    case bad = "bad"
  }

  var subject: String
  var verdict: Verdict
  var detail: String
  /// What to do about it; nil where nothing has to be done.
  var next: String?

  static func good(_ subject: String, _ detail: String) -> CheckResult {
    CheckResult(subject: subject, verdict: .good, detail: detail)
  }

  static func note(_ subject: String, _ detail: String, next: String? = nil) -> CheckResult {
    CheckResult(subject: subject, verdict: .note, detail: detail, next: next)
  }

  static func bad(_ subject: String, _ detail: String, next: String) -> CheckResult {
    CheckResult(subject: subject, verdict: .bad, detail: detail, next: next)
  }

  var object: JSONObject {
    var object: JSONObject = [
      "check": .string(subject), "verdict": .string(verdict.rawValue), "detail": .string(detail),
    ]
    object["next"] = next.map(JSON.string)
    return object
  }

  static func table(of findings: [CheckResult]) -> Table {
    var table = Table([.init("CHECK"), .init("VERDICT"), .init("DETAIL", isFlexible: true)])
    for finding in findings {
      let style: Phrase.Style =
        switch finding.verdict {
        case .good: .green
        case .note: .yellow
        case .bad: .red
        }
      table.add([
        Phrase(finding.subject, .bold), Phrase(finding.verdict.rawValue, style),
        Phrase(finding.detail),
      ])
    }
    return table
  }
}
