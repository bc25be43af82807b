import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import EngagementStore

/// Finds whose a push is, and takes in what it means: each push once in each phase, whether the
/// application was told of it or an extension.
final class PushRouter: Sendable {
  private let house: House
  private let houses: [ProviderID: ProviderHouse]
  private let turns = Turns()

  init(_ house: House, _ houses: [ProviderID: ProviderHouse]) {
    self.house = house
    self.houses = houses
  }

  /// Does what looks at pushes that were handled and adds to them: one at a time.
  func inTurn<Value>(
    _ body: () async throws(EngagementError) -> Value
  ) async throws(EngagementError) -> Value {
    await turns.take()
    defer { turns.pass() }
    return try await body()
  }

  // MARK: Whose it is

  /// A push and the provider whose it is.
  struct Claim {
    let house: ProviderHouse
    let session: SessionID?
    let received: Received
    let push: HandledPushes.Push

    var provider: Provider { house.provider }
  }

  /// The one owner of the push; nil for a push of somebody else.
  func claim(
    _ push: JSON, _ attempt: Attempt, in partition: Partition
  ) async throws(EngagementError) -> Claim? {
    let candidates = PushOwnership.candidates(for: push, among: house.providers) {
      $0.adapter.capabilities.pushMarks
    }
    for provider in candidates {
      guard let own = houses[provider.id] else { continue }
      let context = try await own.context(attempt, in: partition)
      guard let received = provider.adapter.received(push, in: context) else { continue }
      return Claim(
        house: own, session: context.session?.id, received: received,
        push: HandledPushes.Push(push, received.notification, of: provider.id))
    }
    return nil
  }

  // MARK: What it comes to

  /// What was handled in the partition so far.
  func handled(in partition: Partition) async throws(EngagementError) -> HandledPushes {
    HandledPushes(try await HouseMemory(house).value(.user, HandledPushes.name, in: partition))
  }

  /// What is to be committed for the push in the phase of the event; nil where that was done.
  ///
  /// What the push means counts in its first phase, whichever that is: an application that did not
  /// run hears of a push when it is opened.
  func folded(
    _ claim: Claim, _ event: EngagementEvent, in partition: Partition, by rule: ConsentRule,
    _ handled: inout HandledPushes
  ) -> Folded? {
    guard handled.isFirst(claim.push, event.kind.text, at: event.time) else { return nil }
    var folded = Folded(in: partition, from: claim.provider.id)
    if handled.isFirst(claim.push, "meaning", at: event.time) {
      folded.changes = claim.received.changes + claim.received.operations.map(Change.wanted)
    }
    if rule.allows(event.kind) { folded.intents = [intent(for: event, about: claim)] }
    folded.kept = [.keep(.user, HandledPushes.name, handled.json.text)]
    return folded
  }

  /// The event, with the push as what it is about, for its vendor where that wants to hear of it.
  private func intent(for event: EngagementEvent, about claim: Claim) -> Intent {
    var event = event
    event.provider = claim.provider.id
    let notification = claim.received.notification
    event.item = notification.messageID.map { id in
      ItemReference(ItemID(claim.provider.id, id), on: .push, handle: notification.handle)
    }
    let isHeard =
      event.item != nil && claim.provider.takes(event.kind)
      && claim.provider.adapter.capabilities.pushKinds.contains(event.kind)
    return house.intent(for: event, to: isHeard ? [claim.provider] : [])
  }

  // MARK: As it comes

  /// Takes in a push that the application was told of.
  func receive(
    _ push: JSON, _ phase: PushPhase
  ) async throws(EngagementError) -> PushReception? {
    try await inTurn { () async throws(EngagementError) in
      let occupant = house.occupancy.present
      let attempt = Attempt(
        by: occupant.user, house.key(), acceptedAt: house.clock.now,
        generation: occupant.generation)
      guard let claim = try await claim(push, attempt, in: occupant.partition) else { return nil }
      let rule = ConsentRule(consent: try await house.store.consent(of: occupant.partition))
      var handled = try await handled(in: occupant.partition)
      let event = house.event(phase.kind, at: claim.provider.id, in: claim.session)
      let folded = folded(claim, event, in: occupant.partition, by: rule, &handled)
      if let folded, rule.consent != .denied { try await commit(folded, of: claim, by: attempt) }
      return PushReception(
        provider: claim.provider.id, notification: claim.received.notification,
        isRepeated: folded == nil)
    }
  }

  private func commit(
    _ folded: Folded, of claim: Claim, by attempt: Attempt
  ) async throws(EngagementError) {
    let reports = try await house.occupancy.committing(by: attempt, for: claim.provider.id) {
      (speaksForInstallation) async throws(EngagementError) in
      var own = folded
      if !speaksForInstallation { own.changes.removeAll(where: \.isOfInstallation) }
      try await self.house.strongbox.keep(
        own.changes, of: claim.provider.id, for: folded.partition.user)
      return try await self.house.store.fold(
        [own], of: HouseMemory.owner, in: folded.partition, at: self.house.clock.now)
    }
    for (report, partition) in reports { await claim.house.publish(report, of: partition) }
  }
}

extension JSON {
  fileprivate var text: String { String(decoding: encoded(), as: UTF8.self) }
}
