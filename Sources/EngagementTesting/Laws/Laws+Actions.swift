import EngagementAdapterAPI
import EngagementKit
import EngagementModel

extension Law {
  static let actions = [actionsReach, stableRetries, refusedIsUndone, refusedCredential]

  private static let actionsReach = Law(
    "actions.reach-the-vendor", "each action reaches the item's own vendor, once",
    where: \.hasActions
  ) { subject, findings in
    for (samples, action, verb) in subject.actions {
      let stage = try await Stage(subject)
      try await stage.furnish()
      let before = await stage.effects().count
      stage.transport.forget()
      guard let receipt = try await stage.act(action, of: samples, &findings) else { continue }
      try await stage.deliver()
      let count = await stage.effects().count - before
      if subject.capabilities.ability(verb).travel == .localOnly {
        findings.expect(stage.transport.lines, is: [], "What stays here was sent.", verb.text)
      } else {
        findings.expect(count, is: 1, "An action does not arrive once.", verb.text)
      }
      findings.expect(
        try await stage.outcome(of: receipt), is: .done, "An action is not told as delivered.",
        verb.text)
    }
  }

  private static let stableRetries = Law(
    "actions.stable-retries",
    "an action keeps its ids over retries, and happens once where the vendor de-duplicates",
    where: \.hasActions
  ) { subject, findings in
    for (samples, action, verb) in subject.actions {
      guard subject.capabilities.ability(verb).travel != .localOnly else { continue }
      let stage = try await Stage(subject)
      try await stage.furnish()
      let before = await stage.effects().count
      stage.network.load(FaultScript([.init(.deadAfter, times: 2)]))
      guard let receipt = try await stage.act(action, of: samples, &findings) else { continue }
      try await stage.deliver()
      findings.expect(
        try await stage.outcome(of: receipt), is: .done, "An action is never delivered.",
        verb.text)
      let effects = await stage.effects().dropFirst(before)
      let marks = Set(effects.map { "\($0.id ?? "") \($0.time ?? 0)" })
      findings.expect(marks.count <= 1, "A retry has another id or time.", verb.text)
      guard subject.deduplicates(verb) else { continue }
      findings.expect(effects.count, is: 1, "A retry happens again.", verb.text)
    }
  }

  private static let refusedIsUndone = Law(
    "actions.refused-is-undone", "a refused action is taken back, and told",
    where: \.hasActions
  ) { subject, findings in
    for (samples, action, verb) in subject.actions {
      guard subject.capabilities.ability(verb).travel != .localOnly else { continue }
      let stage = try await Stage(subject)
      try await stage.furnish()
      let before = stage.look(samples)
      stage.network.load(FaultScript([.init(.status(400), times: nil)]))
      guard let receipt = try await stage.act(action, of: samples, &findings) else { continue }
      try await stage.deliver()
      let outcome = try await stage.outcome(of: receipt)
      findings.expect(
        outcome.error != nil && !outcome.isRetry, "A refusal is not told.", verb.text)
      findings.expect(
        stage.look(samples) == before, "A refused action is still seen.", verb.text)
    }
  }

  private static let refusedCredential = Law(
    "actions.credential-renewed-once", "a refused credential is renewed once for all who wait",
    where: \.renewsCredentials
  ) { subject, findings in
    let stage = try await Stage(subject)
    try await stage.furnish()
    guard let listing = subject.items.first?.listing else { return }
    await stage.exchange(listing)
    let known = Set(stage.transport.lines)
    let asked = stage.credentialRequests()
    await stage.server.expireCredentials()
    stage.transport.forget()
    // All ten are refused before any of them hears of it.
    stage.hold(10)
    let outcomes = await stage.exchange(Array(repeating: listing, count: 10))
    findings.expect(outcomes, is: Array(repeating: .done, count: 10), "Somebody fails with it.")
    let renewals = stage.transport.lines.filter { !known.contains($0) }
    findings.expect(
      stage.credentialRequests() - asked + renewals.count, is: 1,
      "It is not renewed once.", renewals.joined(separator: ", "))
  }
}

extension Stage {
  /// Does what the user does to the one item of a feed; nil where nobody will have any of it.
  func act(
    _ action: ItemAction, of samples: ItemSamples, _ findings: inout Findings
  ) async throws -> Receipt? {
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
    await server.effects.filter { $0.item?.hasSameBytes(as: AdapterSubject.itemID) ?? false }
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
