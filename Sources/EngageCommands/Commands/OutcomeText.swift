import EngagementFormats
import EngagementKit
import EngagementModel
import EngagementPlatform

/// An outcome as it is printed.
struct OutcomeText {
  /// As programs read it.
  var word: String
  /// As people do, where that is something else.
  var name: String { word == "notModified" ? "not modified" : word }
  var style: Phrase.Style
  var note = ""
  var members = JSONObject()
}

extension Engagement.ProviderOutcome {
  /// What is said of it.
  var told: OutcomeText {
    switch self {
    case .fresh: OutcomeText(word: "fresh", style: .green)
    case .notModified: OutcomeText(word: "notModified", style: .green)
    case .unsupported: OutcomeText(word: "unsupported", style: .faint)
    case .throttled(let date):
      OutcomeText(
        word: "throttled", style: .yellow, note: "until \(ISO8601.text(of: date) ?? "later")",
        members: ["until": .string(ISO8601.text(of: date) ?? "")])
    case .stale(let age, let error):
      OutcomeText(
        word: "stale", style: .red,
        note: "from \(age.components.seconds) s ago",
        members: JSONObject(dictionaryLiteral: ("ageSeconds", .integer(age.components.seconds)))
          .merging(error))
    case .failed(let error):
      OutcomeText(
        word: "failed", style: .red, note: "nothing is there yet",
        members: JSONObject().merging(error))
    }
  }
}

extension JSONObject {
  /// With what a program needs to know of the error.
  func merging(_ error: EngagementError) -> JSONObject {
    var object = self
    object["error"] = .string(error.code.rawValue)
    object["message"] = .string(error.message)
    object["underlying"] = error.underlying.map(JSON.string)
    return object
  }
}
