import EngagementFormats
import EngagementKit
import EngagementModel

extension Command {
  /// `engage push status`.
  static let pushStatus = Command(
    name: ["push", "status"], summary: "show which providers have the push token",
    discussion: """
      pending: the provider has not answered yet; registered: it has the token; failed: it refused,
      and WHY says so; unregistered: it has given the token up. A provider that was never told of a
      token is not listed. The status is 1 if one failed.
      """,
    examples: [
      Example("engage push status", "the current user's providers"),
      Example("engage push status --json", "for a program"),
    ],
    run: { invocation in
      let configuration = try invocation.configurationWithCache()
      let states = try await invocation.reading(configuration) { try await $0.pushStates() }
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
          Phrase(state.provider.rawValue, .bold), Phrase(state.environment.rawValue), state.phrase,
          Phrase(ISO8601.text(of: state.changedAt) ?? ""), Phrase(state.reason ?? ""),
        ])
      }
      try invocation.console.table(table)
      return states.contains { $0.reason != nil } ? .failed : .done
    })
}

extension PushState {
  fileprivate var reason: String? {
    if case .failed(_, let reason) = phase { reason } else { nil }
  }

  fileprivate var phrase: Phrase {
    switch phase {
    case .registered: Phrase(phase.name, .green)
    case .failed: Phrase(phase.name, .red)
    case .pending, .unregistered: Phrase(phase.name)
    }
  }

  fileprivate var object: JSONObject {
    var object: JSONObject = [
      "provider": .string(provider.rawValue), "environment": .string(environment.rawValue),
      "state": .string(phase.name),
    ]
    object["changedAt"] = ISO8601.text(of: changedAt).map(JSON.string)
    if case .failed(let code, let reason) = phase {
      object["code"] = .string(code.rawValue)
      object["reason"] = .string(reason)
    }
    return object
  }
}
