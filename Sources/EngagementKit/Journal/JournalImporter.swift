import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import EngagementStore

/// Imports the entries that extensions appended to the journal.
///
/// An entry belongs to the user that it names, or else to the current user. Before the user
/// changes, the journal is imported, in one step with the change. An entry was accepted when the
/// extension appended it, so no limit of the outbox refuses it now.
final class JournalImporter: Sendable {
  private let dependencies: KitDependencies
  private let pushes: PushRouter
  private let sessions: Sessions
  private let journal: ExtensionJournal
  private let plans: @Sendable () -> RoutePlans
  /// The user of the entries that name none; changed while no extension can add one.
  private let owner: Locked<Partition>

  init(
    _ journal: ExtensionJournal, in dependencies: KitDependencies, _ pushes: PushRouter,
    _ sessions: Sessions, plans: @escaping @Sendable () -> RoutePlans
  ) {
    self.journal = journal
    self.plans = plans
    self.sessions = sessions
    self.dependencies = dependencies
    self.pushes = pushes
    owner = Locked(dependencies.currentUser.userSession.partition)
  }

  /// The name of the stored value that has the id of the last imported entry.
  private static let mark = "journal"
  private static let patience: Duration = .seconds(5)

  /// Imports every entry once.
  ///
  /// Throws `busy`, and has done nothing, if an extension writes for longer than the patience.
  func importEntries() async throws(EngagementError) {
    try await importEntries { () async throws(EngagementError) in }
  }

  /// Imports every entry and then makes the next user current, before an extension can append
  /// more.
  func importEntries(
    before next: Partition, _ change: () async throws(EngagementError) -> Void
  ) async throws(EngagementError) {
    try await importEntries { () async throws(EngagementError) in
      try await change()
      owner.withLock { $0 = next }
    }
  }

  /// Sets the user of entries that name none. No entry of the former user may be left.
  func setOwner(_ next: Partition) { owner.withLock { $0 = next } }

  private func importEntries(
    then last: () async throws(EngagementError) -> Void
  ) async throws(EngagementError) {
    let found = try await journal.importEntries(within: Self.patience, then: last) {
      (entries, damaged) async throws(EngagementError) in
      try await self.commit(entries, damaged: damaged, as: self.owner.withLock { $0 })
    }
    guard found.damaged > 0 else { return }
    dependencies.log(
      .warning, "\(found.damaged) damaged places in the extension's journal were skipped.")
  }

  /// As `importEntries()`, but only logs an error. The entries are imported the next time.
  func importOrLog() async {
    do throws(EngagementError) {
      try await importEntries()
    } catch {
      dependencies.log(.error, "The extension's journal could not be imported: \(error.code)")
    }
  }

  private func commit(
    _ entries: [ExtensionJournal.Entry], damaged: Int, as present: Partition
  ) async throws(EngagementError) {
    let done = try await KitState(dependencies).value(.installation, Self.mark, in: present)?.string
    // A former import may have been killed after its commit, before it emptied the file.
    let start = entries.lastIndex { $0.id.rawValue == done }.map { $0 + 1 } ?? 0
    let new = entries[start...]
    guard !new.isEmpty || damaged > 0 else { return }
    var (results, handled) = ([EntryResult](), [Partition.ID: PushLog]())
    for entry in new { results.append(try await result(entry, as: present, &handled)) }
    let dropped = results.count { if case .dropped = $0 { true } else { false } }
    if dropped > 0 {
      dependencies.log(.warning, "\(dropped) entries of an extension were dropped.")
    }
    let mark = new.last.map {
      KitState.change(.installation, Self.mark, .string($0.id.rawValue))
    }
    let committed = try await dependencies.store.commit(
      marking: mark, of: KitState.owner, in: present, at: dependencies.clock.now
    ) { [self, results] (memory) throws(EngagementError) in
      IncomingBatch(try imported(results, memory), dropping: dropped + damaged)
    }
    for (report, partition) in committed.reports {
      await dependencies.commitPublisher.publish(report, of: partition)
    }
  }

  // MARK: Entries

  /// A push to import.
  private struct PushEntry: Sendable {
    let claim: PushRouter.Claim
    let event: EngagementEvent
    let rule: ConsentPolicy
    let owner: Partition
    let isPresent: Bool
  }

  private enum EntryResult: Sendable {
    case imported(IncomingChanges)
    case push(PushEntry)
    /// A push that was handled before.
    case repeated
    /// For an unknown user, about a missing item, not supported, of no provider, or against the
    /// user's consent.
    case dropped

    init(_ changes: IncomingChanges?) { self = changes.map(Self.imported) ?? .dropped }
  }

  /// What is committed of the entries. Another process may have handled a push since it was looked up.
  private func imported(
    _ results: [EntryResult], _ memory: Store.ValueSource
  ) throws(EngagementError) -> [IncomingChanges] {
    var (imported, handled) = ([IncomingChanges](), [Partition.ID: PushLog]())
    for result in results {
      switch result {
      case .imported(let changes): imported.append(changes)
      case .push(let push):
        var known: PushLog
        if let log = handled[push.owner.id] {
          known = log
        } else {
          known = PushLog(try memory(push.owner))
        }
        let incoming = pushes.incoming(
          push.claim, push.event, in: push.owner, by: push.rule,
          speakingForInstallation: push.isPresent, &known)
        if let incoming { imported.append(incoming) }
        handled[push.owner.id] = known
      case .repeated, .dropped: break
      }
    }
    return imported
  }

  private func result(
    _ entry: ExtensionJournal.Entry, as present: Partition,
    _ handled: inout [Partition.ID: PushLog]
  ) async throws(EngagementError) -> EntryResult {
    guard let owner = try await owner(of: entry, present) else { return .dropped }
    let rule = ConsentPolicy(consent: try await dependencies.store.consent(of: owner))
    switch entry.content {
    case .event(let event):
      return EntryResult(rule.allows(event.kind) ? await self.event(event, of: owner) : nil)
    case .action(let action, let event):
      return EntryResult(
        rule.allows(event.kind) ? try await self.action(action, event, of: owner) : nil)
    case .push(let id, let payload, let time):
      guard rule.consent != .denied else { return .dropped }
      var event = dependencies.event(.receive, id: id)
      event.time = time
      return try await push(
        payload, event, rule, of: owner, isPresent: owner == present, &handled)
    }
  }

  private func owner(
    of entry: ExtensionJournal.Entry, _ present: Partition
  ) async throws(EngagementError) -> Partition? {
    guard let user = entry.user else { return present }
    return try await dependencies.store.knownPartition(of: User(user))
  }

  private func event(_ event: EngagementEvent, of owner: Partition) async -> IncomingChanges {
    let plans = plans()
    let takers = dependencies.providers.filter { provider in
      guard provider.takes(event.kind) else { return false }
      guard let only = event.provider else { return plans.lead(to: provider.id, for: .events) }
      return only == provider.id
    }
    let isPresent = owner == dependencies.currentUser.userSession.partition
    if isPresent { await sessions.touch(takers) }
    let intent = dependencies.intent(for: event, to: takers) {
      isPresent ? sessions.session(for: $0)?.id : nil
    }
    return IncomingChanges(in: owner, intents: [intent])
  }

  private func action(
    _ action: ItemAction, _ event: EngagementEvent, of owner: Partition
  ) async throws(EngagementError) -> IncomingChanges? {
    guard let named = event.item, let provider = try? dependencies.provider(named.id.provider),
      let target = try? provider.targets(
        of: action, on: named.surface, plans(), at: event.time
      ).first,
      let item = try await dependencies.store.reference(to: named.id, on: target.surface, in: owner)
    else { return nil }
    var event = event
    event.item = item
    if owner == dependencies.currentUser.userSession.partition {
      await sessions.touch([provider])
      event.session = sessions.session(for: provider.id)?.id
    }
    let policy = ConsentPolicy(consent: try await dependencies.store.consent(of: owner))
    let intent = try? dependencies.intent(
      for: target, at: provider, recordedBy: event, under: policy)
    return intent.map { IncomingChanges(in: owner, intents: [$0]) }
  }

  private func push(
    _ push: JSON, _ event: EngagementEvent, _ rule: ConsentPolicy, of owner: Partition,
    isPresent: Bool, _ handled: inout [Partition.ID: PushLog]
  ) async throws(EngagementError) -> EntryResult {
    let attempt = Attempt(by: owner.user, dependencies.key(), acceptedAt: event.time)
    guard let claim = try await pushes.claim(push, attempt, in: owner) else { return .dropped }
    var known: PushLog
    if let kept = handled[owner.id] {
      known = kept
    } else {
      known = try await pushes.handled(in: owner)
    }
    defer { handled[owner.id] = known }
    guard let news = known.note(claim.push, event) else { return .repeated }
    // Only the current user may change the installation, and secrets.
    if isPresent, news == .contents {
      try await dependencies.providerSecrets.keep(
        claim.changes(speakingForInstallation: true), of: claim.provider.id, for: owner.user)
    }
    return .push(
      PushEntry(claim: claim, event: event, rule: rule, owner: owner, isPresent: isPresent))
  }
}
