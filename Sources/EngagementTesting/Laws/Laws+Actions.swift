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
          scenario.transport.lines, is: [], "What stays here was sent.", verb.rawValue)
      } else {
        findings.expect(count, is: 1, "An action does not arrive once.", verb.rawValue)
      }
      findings.expect(
        try await scenario.outcome(of: receipt), is: .done, "An action is not told as delivered.",
        verb.rawValue)
    }
  }

  private static let stableRetries = Law(
    "actions.stable-retries",
    "an action keeps its ids over retries, and happens once where the vendor de-duplicates",
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
      findings.expect(marks.count <= 1, "A retry has another id or time.", verb.rawValue)
      guard subject.deduplicates(verb) else { continue }
      findings.expect(effects.count, is: 1, "A retry happens again.", verb.rawValue)
    }
  }

  private static let refusedIsUndone = Law(
    "actions.refused-is-undone", "a refused action is taken back, and told",
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
        outcome.error != nil && !outcome.isRetry, "A refusal is not told.", verb.rawValue)
      findings.expect(
        scenario.look(samples) == before, "A refused action is still seen.", verb.rawValue)
    }
  }

  private static let refusedCredential = Law(
    "actions.credential-renewed-once", "a refused credential is renewed once for all who wait",
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
    // All ten are refused before any of them hears of it.
    scenario.hold(10)
    let outcomes = await scenario.execute(Array(repeating: listing, count: 10))
    findings.expect(outcomes, is: Array(repeating: .done, count: 10), "Somebody fails with it.")
    let renewals = scenario.transport.lines.filter { !known.contains($0) }
    findings.expect(
      scenario.credentialRequests() - asked + renewals.count, is: 1,
      "It is not renewed once.", renewals.joined(separator: ", "))
  }
}

extension LawScenario {
  /// Does what the user does to the one item of a feed; nil where nobody will have any of it.
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

  /// What happened at the vendor so far to the one item of each feed.
  func effects() async -> [VendorEffect] {
    await server.effects.filter { $0.subject.hasSameBytes(as: AdapterSubject.itemID) }
  }
}

extension AdapterSubject {
  /// Whether the vendor knows the action when it comes twice; events travel in batches, whose
  /// ability counts too.
  func deduplicates(_ verb: Operation.Verb) -> Bool {
    let ability = capabilities.ability(verb)
    guard ability.travel == .event else { return ability.deduplication != .none }
    return capabilities.ability(.events).deduplication != .none && ability.deduplication != .none
  }
}
