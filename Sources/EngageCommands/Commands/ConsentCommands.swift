import EngagementKit
import EngagementModel

extension Command {
  /// `engage consent`.
  static let consent = [showConsent, setConsent]

  private static let showConsent = Command(
    name: ["consent", "show"], summary: "show what the user allows",
    examples: [Example("engage consent", "what the signed-in user allows")],
    isDefault: true,
    run: { invocation in
      let configuration = try invocation.configuration()
      try await tell(invocation, configuration) { _ in }
      return .done
    })

  private static let levels = Consent.allCases.filter { $0 != .unknown }.map(\.rawValue)

  private static let setConsent = Command(
    name: ["consent", "set"], summary: "set what the user allows",
    discussion: """
      denied: nothing leaves but the vendors' opt-out, and what the user takes back (the push
      token, this device). essential: content, and what the user does with it (clicks, reads,
      dismissals); no impressions and no custom events. full: everything. A user who was not asked
      is unknown, which allows what essential allows. The level is stored before anything is sent
      under it.
      """,
    arguments: [Argument(name: "LEVEL", help: "what the user allows", choices: levels)],
    examples: [Example("engage consent set essential", "no analytics from now on")],
    isInterruptible: true,
    run: { invocation in
      let configuration = try invocation.configuration()
      let level: Consent = try invocation.choice(try invocation.argument(), of: "LEVEL")
      try await tell(invocation, configuration) { engagement in
        let dropped = try await engagement.setConsent(level)
        guard dropped > 0 else { return }
        let actions = dropped == 1 ? "1 pending event was" : "\(dropped) pending events were"
        invocation.console.note("\(actions) dropped: this level does not allow them.")
      }
      return .done
    })

  private static func tell(
    _ invocation: Invocation, _ configuration: EngageConfiguration,
    after change: @escaping Invocation.Body<Void>
  ) async throws {
    let (user, consent) = try await invocation.delivering(configuration) { engagement in
      try await change(engagement)
      return (engagement.user, try await engagement.consent)
    }
    let name = user.id?.rawValue ?? "anonymous"
    try invocation.console.line("\(name, .bold): \(consent.rawValue)")
    var object: JSONObject = ["consent": .string(consent.rawValue)]
    object["user"] = user.id.map { .string($0.rawValue) }
    try invocation.console.object(object)
  }
}
