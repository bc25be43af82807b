import EngagementAdapterAPI
import EngagementFormats
import EngagementKit
import EngagementModel
import EngagementVendors

extension Command {
  /// `engage push status`.
  static let pushStatus = Command(
    name: ["push", "status"], summary: "show which providers have the push token",
    discussion: """
      pending: the provider has not answered yet; registered: it has the token; replaced: it has one
      token of a device, and that of the other environment came later; failed: it refused, and WHY
      says so; unregistered: it has given the token up. A provider that was never told of a token is
      not listed, and where a request waits that takes the token back, WHY says so. The status is 1
      if one failed.

      What failed is not sent again by itself, and the provider may still have the token that it had
      before. "engage push register" sends it again.
      """,
    examples: [
      Example("engage push status", "the current user's providers"),
      Example("engage push status --json", "for a program"),
    ],
    run: { invocation in
      let configuration = try invocation.configurationWithCache()
      let (all, former) = try await invocation.reading(configuration) { engagement in
        (try await engagement.pushStates(), try await engagement.formerTokenHolders())
      }
      for provider in former.sorted() {
        invocation.console.note(
          """
          \(provider.rawValue) may still push to people who were signed in here before: it was not told to \
          stop. Sign them in and out again once it answers.
          """)
      }
      let states = PushRow.all(of: all, at: configuration.providers)
      for state in states { try invocation.console.object(state.object) }
      guard !states.isEmpty else {
        invocation.console.note("No provider was told of a token; \"engage push register\" does.")
        return .done
      }
      var table = Table([
        .init("PROVIDER"), .init("ENVIRONMENT"), .init("STATE"), .init("SINCE"),
        .init("WHY", isFlexible: true),
      ])
      for state in states {
        table.add([
          Phrase(state.state.provider.rawValue, .bold),
          Phrase(state.state.environment.rawValue), state.phrase,
          Phrase(ISO8601.text(of: state.state.changedAt) ?? ""), Phrase(state.reason ?? ""),
        ])
      }
      try invocation.console.table(table)
      let failed = states.filter(\.hasFailed)
      guard !failed.isEmpty else { return .done }
      invocation.console.note(
        """
        What failed is not sent again by itself, and the provider may still have the token that it had \
        before. Mend the cause, then run "engage push register".
        """)
      return .failed
    })
}

/// One line of `engage push status`.
private struct PushRow: Sendable {
  let state: PushState
  /// The other environment, whose token has come later to a vendor that has one token of a device.
  private var other: PushState?

  static func all(of states: [PushState], at providers: [ConfiguredProvider]) -> [PushRow] {
    let single = Set(
      providers.filter { $0.adapter.capabilities.limits.pushTokens == 1 }.map(\.id))
    return states.map { state in
      let later = states.first {
        $0.provider == state.provider && $0.environment != state.environment
          && $0.changedAt > state.changedAt
      }
      let isKnown = state.phase == .registered && single.contains(state.provider)
      return PushRow(state: state, other: isKnown ? later : nil)
    }
  }

  private var isReplaced: Bool { other?.phase == .registered }

  private var name: String { isReplaced ? "replaced" : state.phase.name }

  var hasFailed: Bool { if case .failed = state.phase { true } else { false } }

  var reason: String? {
    if case .failed(_, let reason) = state.phase { return reason }
    if state.isBeingTakenBack { return "a request waits that takes the token back" }
    guard let other else { return nil }
    if isReplaced { return "the \(other.environment.rawValue) token took its place" }
    guard other.phase == .unregistered else { return nil }
    return "unless the \(other.environment.rawValue) token had taken its place before it was given "
      + "back; \"engage push register\" makes sure"
  }

  var phrase: Phrase {
    switch state.phase {
    case .registered: Phrase(name, isReplaced ? .yellow : .green)
    case .failed: Phrase(name, .red)
    case .pending, .unregistered: Phrase(name)
    }
  }

  var object: JSONObject {
    var object: JSONObject = [
      "provider": .string(state.provider.rawValue),
      "environment": .string(state.environment.rawValue), "state": .string(name),
    ]
    if state.isBeingTakenBack { object["isBeingTakenBack"] = true }
    object["changedAt"] = ISO8601.text(of: state.changedAt).map(JSON.string)
    if case .failed(let code, let reason) = state.phase {
      object["code"] = .string(code.rawValue)
      object["reason"] = .string(reason)
    }
    return object
  }
}
