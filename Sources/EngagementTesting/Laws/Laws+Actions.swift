import EngagementAdapterAPI
import EngagementKit
import EngagementModel
import EngagementVendors

extension Law {
  static let actions = [actionsReach, stableRetries, refusedIsUndone, refusedCredential]

  private static let actionsReach = Law(
    "actions.reach-the-vendor", "each action reaches the item's own vendor, once",
    where: \.hasActions
  ) { subject, findings in
    for (samples, action, verb) in subject.actions {
      let scenario = try await LawScenario(subject)
      try await scenario.furnish()
      let before = await scenario.effects().count
      scenario.transport.forget()
      guard let receipt = try await scenario.act(action, of: samples, &findings) else { continue }
      try await scenario.deliver()
      let count = await scenario.effects().count - before
      if subject.capabilities.ability(verb).travel == .localOnly {
        findings.expect(
          scenario.transport.lines, is: [], "A local action was sent.", verb.rawValue)
      } else {
        findings.expect(count, is: 1, "An action does not arrive exactly once.", verb.rawValue)
      }
      findings.expect(
        try await scenario.outcome(of: receipt), is: .done,
        "An action is not reported as delivered.",
        verb.rawValue)
    }
  }

  private static let stableRetries = Law(
    "actions.stable-retries",
    "retries keep an action's ids, and it takes effect once if the vendor de-duplicates",
    where: \.hasActions
  ) { subject, findings in
    for (samples, action, verb) in subject.actions {
      guard subject.capabilities.ability(verb).travel != .localOnly else { continue }
      let scenario = try await LawScenario(subject)
      try await scenario.furnish()
      let before = await scenario.effects().count
      scenario.network.load(FaultScript([.init(.resetAfter, times: 2)]))
      guard let receipt = try await scenario.act(action, of: samples, &findings) else { continue }
      try await scenario.deliver()
      findings.expect(
        try await scenario.outcome(of: receipt), is: .done, "An action is never delivered.",
        verb.rawValue)
      let effects = await scenario.effects().dropFirst(before)
      let marks = Set(effects.map { "\($0.id ?? "") \($0.time ?? 0)" })
      findings.expect(marks.count <= 1, "A retry changes the id or time.", verb.rawValue)
      guard subject.deduplicates(verb) else { continue }
      findings.expect(effects.count, is: 1, "A retry takes effect again.", verb.rawValue)
    }
  }

  private static let refusedIsUndone = Law(
    "actions.refused-is-undone", "a refused action is undone and reported",
    where: \.hasActions
  ) { subject, findings in
    for (samples, action, verb) in subject.actions {
      guard subject.capabilities.ability(verb).travel != .localOnly else { continue }
      let scenario = try await LawScenario(subject)
      try await scenario.furnish()
      let before = scenario.look(samples)
      scenario.network.load(FaultScript([.init(.status(400), times: nil)]))
      guard let receipt = try await scenario.act(action, of: samples, &findings) else { continue }
      try await scenario.deliver()
      let outcome = try await scenario.outcome(of: receipt)
      findings.expect(
        outcome.error != nil && !outcome.isRetry, "A refusal is not reported.", verb.rawValue)
      findings.expect(
        scenario.look(samples) == before, "A refused action is still visible.", verb.rawValue)
    }
  }

  private static let refusedCredential = Law(
    "actions.credential-renewed-once",
    "a refused credential is renewed once for all waiting operations",
    where: \.renewsCredentials
  ) { subject, findings in
    let scenario = try await LawScenario(subject)
    try await scenario.furnish()
    guard let listing = subject.items.first?.listing else { return }
    await scenario.execute(listing)
    let known = Set(scenario.transport.lines)
    let asked = scenario.credentialRequests()
    await scenario.server.expireCredentials()
    scenario.transport.forget()
    // The vendor refuses all ten before any of them receives its answer.
    scenario.hold(10)
    let outcomes = await scenario.execute(Array(repeating: listing, count: 10))
    findings.expect(
      outcomes, is: Array(repeating: .done, count: 10), "An operation fails after the renewal.")
    let renewals = scenario.transport.lines.filter { !known.contains($0) }
    findings.expect(
      scenario.credentialRequests() - asked + renewals.count, is: 1,
      "The credential is not renewed exactly once.", renewals.joined(separator: ", "))
  }
}

extension LawScenario {
  /// Performs the action on the one item of a feed; nil if the kit refuses it.
  func act(
    _ action: ItemAction, of samples: ItemSamples, _ findings: inout LawFindings
  ) async throws -> Engagement.Receipt? {
    do throws(EngagementError) {
      return try await engagement.perform(
        action, on: ItemID(AdapterSubject.provider, AdapterSubject.itemID),
        surface: samples.feed.surface)
    } catch {
      findings.note("An action of the samples is refused.", "\(action.name): \(error)")
      return nil
    }
  }

  /// The vendor's effects so far on the one item of each feed.
  func effects() async -> [VendorEffect] {
    await server.effects.filter { $0.subject.hasSameBytes(as: AdapterSubject.itemID) }
  }
}

extension AdapterSubject {
  /// Whether the vendor de-duplicates the action. For an event the ability of the batch also
  /// counts.
  func deduplicates(_ verb: Operation.Verb) -> Bool {
    let ability = capabilities.ability(verb)
    guard ability.travel == .event else { return ability.deduplication != .none }
    return capabilities.ability(.events).deduplication != .none && ability.deduplication != .none
  }
}
