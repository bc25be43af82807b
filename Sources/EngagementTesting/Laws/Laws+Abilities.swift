import EngagementAdapterAPI
import EngagementKit
import EngagementModel

extension Law {
  static let abilities = [declaredWorks, undeclaredIsRefused, prerequisitesEnd, sameBytes]

  private static let declaredWorks = Law(
    "abilities.declared-works", "each declared ability works"
  ) { subject, findings in
    for verb in subject.uncovered {
      findings.note("A declared ability has no example in the subject's operations.", verb.rawValue)
    }
    let listings = subject.items.map(\.listing).filter { subject.declares($0.verb) }
    for operation in subject.examples + listings {
      let scenario = try await LawScenario(subject)
      try await scenario.furnish()
      let outcome = try await scenario.perform(operation)
      findings.expect(outcome, is: .done, "A declared ability fails.", operation.verb.rawValue)
    }
  }

  private static let undeclaredIsRefused = Law(
    "abilities.undeclared-is-refused", "an undeclared ability is unsupported and sends nothing"
  ) { subject, findings in
    let scenario = try await LawScenario(subject)
    let context = try await scenario.context()
    scenario.transport.forget()
    for operation in AdapterSubject.anything where !subject.declares(operation.verb) {
      let asked = [try await scenario.ask(operation), await scenario.execute(operation)]
      for outcome in asked where outcome.error?.code != .unsupported {
        findings.note(
          "An undeclared ability is not refused as unsupported.", operation.verb.rawValue)
      }
      // The runner refuses undeclared operations; the adapter must refuse them as well.
      if let step = try? scenario.adapter.step(for: operation, in: context) {
        findings.note(
          "The adapter has a step for an undeclared ability.", "\(operation.verb): \(step)")
      }
    }
    findings.expect(scenario.transport.lines, is: [], "An undeclared ability sends a request.")
  }

  private static let prerequisitesEnd = Law(
    "abilities.prerequisites-end", "prerequisites run once, in order, and end"
  ) { subject, findings in
    for samples in subject.items where subject.declares(samples.listing.verb) {
      let verb = samples.listing.verb.rawValue
      let scenario = try await LawScenario(subject)
      scenario.expectNoneTwice("sign-in", &findings)
      // Without the sign-in: a refresh requests the settings again for each user session.
      let outcome = try await scenario.refresh(samples)
      findings.expect(outcome, is: .done, "An operation fails at first use.", verb)
      scenario.expectNoneTwice(verb, &findings)
      try await scenario.refresh(samples)
      findings.expect(
        scenario.transport.lines.count <= 1, "A prerequisite runs again.",
        scenario.transport.lines.joined(separator: ", "))
    }
  }

  /// A step is a function of the operation and the context, so the law calls the adapter directly.
  private static let sameBytes = Law(
    "mapping.same-bytes", "the same input gives the same request, byte for byte"
  ) { subject, findings in
    let scenario = try await LawScenario(subject)
    try await scenario.furnish()
    let context = try await scenario.context()
    let another = subject.makeAdapter(AdapterSubject.provider)
    for operation in subject.examples + subject.items.map(\.listing) {
      guard case .send(let first)? = try? scenario.adapter.step(for: operation, in: context)
      else { continue }
      guard case .send(let second)? = try? another.step(for: operation, in: context),
        first == second
      else {
        findings.note("Two requests for one operation differ.", operation.verb.rawValue)
        continue
      }
    }
  }
}

extension LawScenario {
  /// Checks the requests sent since the last check.
  fileprivate func expectNoneTwice(_ occasion: String, _ findings: inout LawFindings) {
    let sent = transport.requests
    findings.expect(
      Set(sent).count, is: sent.count, "The same request was sent twice.", occasion)
    transport.forget()
  }

  /// Performs an unsupported operation: an action on its item, any other as usual.
  fileprivate func ask(_ operation: Operation) async throws -> OperationRunner.Outcome {
    guard case .act(let action, let item) = operation else { return try await perform(operation) }
    do throws(EngagementError) {
      try await engagement.perform(action, on: item.id, surface: item.surface)
      return .done
    } catch {
      return .refused(error)
    }
  }
}

extension OperationRunner.Outcome {
  /// The error of a failure; nil otherwise.
  var error: EngagementError? {
    switch self {
    case .retry(let error), .refused(let error), .cancelled(let error, _): error
    case .done, .partly, .wait: nil
    }
  }

  var isRetry: Bool { if case .retry = self { true } else { false } }
}
