import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import EngagementStore

/// Takes in what extensions left for the application.
///
/// An entry is its user's where it names one, and else of whoever is present: before another is,
/// the journal is folded in, in one step with the change. What is accepted here was accepted when
/// the extension wrote it down, so no limit refuses it now.
final class JournalKeeper: Sendable {
  private let house: House
  private let pushes: PushRouter
  private let journal: ExtensionJournal
  /// Whose the entries are that name nobody; changed while no extension can add one.
  private let owner: Locked<Partition>

  init(_ journal: ExtensionJournal, in house: House, _ pushes: PushRouter) {
    self.journal = journal
    self.house = house
    self.pushes = pushes
    owner = Locked(house.occupancy.present.partition)
  }

  /// Under which name the last entry is kept that was folded in.
  private static let mark = "journal"
  private static let patience: Duration = .seconds(5)

  /// Takes in everything, once.
  ///
  /// Throws `busy` where an extension writes for longer than the patience; then nothing was done.
  func fold() async throws(EngagementError) {
    try await fold { () async throws(EngagementError) in }
  }

  /// Takes in everything and then does what makes another user present, before an extension can
  /// add more.
  func fold(
    before next: Partition, _ change: () async throws(EngagementError) -> Void
  ) async throws(EngagementError) {
    try await fold { () async throws(EngagementError) in
      try await change()
      owner.withLock { $0 = next }
    }
  }

  /// What names nobody is of this user from now on: nothing may be kept of the one before.
  func goOn(for next: Partition) { owner.withLock { $0 = next } }

  private func fold(
    then last: () async throws(EngagementError) -> Void
  ) async throws(EngagementError) {
    let found = try await journal.fold(within: Self.patience, then: last) {
      (entries, damaged) async throws(EngagementError) in
      try await self.pushes.inTurn { () async throws(EngagementError) in
        try await self.commit(entries, damaged: damaged, as: self.owner.withLock { $0 })
      }
    }
    guard found.damaged > 0 else { return }
    house.log(.warning, "\(found.damaged) damaged places in the extension's journal were skipped.")
  }

  /// As above, where whatever is wrong must keep nobody out: what is there waits.
  func foldOrLog() async {
    do throws(EngagementError) {
      try await fold()
    } catch {
      house.log(.error, "The extension's journal could not be taken in: \(error.code)")
    }
  }

  private func commit(
    _ entries: [ExtensionJournal.Entry], damaged: Int, as present: Partition
  ) async throws(EngagementError) {
    let done = try await HouseMemory(house).value(.installation, Self.mark, in: present)?.string
    // Handed over before, by a fold that was killed before it emptied the file.
    let start = entries.lastIndex { $0.id.text == done }.map { $0 + 1 } ?? 0
    let new = entries[start...]
    guard let last = new.last else { return }
    var (folded, repeated) = ([Folded](), 0)
    var handled: [Partition.ID: HandledPushes] = [:]
    for entry in new {
      switch try await fold(entry, as: present, &handled) {
      case .taken(let next): folded.append(next)
      case .repeated: repeated += 1
      case .dropped: break
      }
    }
    let dropped = new.count - folded.count - repeated
    if dropped > 0 { house.log(.warning, "\(dropped) entries of an extension were dropped.") }
    let mark = Change.keep(
      .installation, Self.mark, String(decoding: JSON.string(last.id.text).encoded(), as: UTF8.self)
    )
    let reports = try await house.store.fold(
      folded, dropping: dropped + damaged, marking: mark, of: HouseMemory.owner, in: present,
      at: house.clock.now)
    for (report, partition) in reports { await house.bulletin.post(report, of: partition) }
  }

  // MARK: Entries

  private enum End {
    case taken(Folded)
    /// A push that was handled before.
    case repeated
    /// Of a user who is not known, about an item that is not there, not supported, nobody's, or
    /// against the user's consent.
    case dropped

    init(_ folded: Folded?) { self = folded.map(End.taken) ?? .dropped }
  }

  /// What the entry comes to.
  private func fold(
    _ entry: ExtensionJournal.Entry, as present: Partition,
    _ handled: inout [Partition.ID: HandledPushes]
  ) async throws(EngagementError) -> End {
    guard let owner = try await owner(of: entry, present) else { return .dropped }
    let rule = ConsentRule(consent: try await house.store.consent(of: owner))
    switch entry.content {
    case .event(let event): return End(rule.allows(event.kind) ? self.event(event, of: owner) : nil)
    case .action(let action, let event):
      return End(rule.allows(event.kind) ? try await self.action(action, event, of: owner) : nil)
    case .push(let id, let payload, let time):
      guard rule.consent != .denied else { return .dropped }
      var event = house.event(.receive, id: id)
      event.time = time
      return try await push(
        payload, event, rule, of: owner, isPresent: owner == present, &handled)
    }
  }

  private func owner(
    of entry: ExtensionJournal.Entry, _ present: Partition
  ) async throws(EngagementError) -> Partition? {
    guard let user = entry.user else { return present }
    return try await house.store.knownPartition(of: User(user))
  }

  private func event(_ event: EngagementEvent, of owner: Partition) -> Folded {
    let takers = house.providers.filter {
      $0.takes(event.kind) && (event.provider == nil || event.provider == $0.id)
    }
    return Folded(in: owner, intents: [house.intent(for: event, to: takers)])
  }

  private func action(
    _ action: ItemAction, _ event: EngagementEvent, of owner: Partition
  ) async throws(EngagementError) -> Folded? {
    guard let named = event.item, let provider = try? house.provider(named.id.provider),
      let item = try await house.store.reference(to: named.id, on: named.surface, in: owner)
    else { return nil }
    var event = event
    event.item = item
    guard let intent = try? house.intent(for: action, at: provider, recordedBy: event) else {
      return nil
    }
    return Folded(in: owner, intents: [intent])
  }

  /// What the push means to its owner.
  private func push(
    _ push: JSON, _ event: EngagementEvent, _ rule: ConsentRule, of owner: Partition,
    isPresent: Bool, _ handled: inout [Partition.ID: HandledPushes]
  ) async throws(EngagementError) -> End {
    let attempt = Attempt(by: owner.user, house.key(), acceptedAt: event.time)
    guard let claim = try await pushes.claim(push, attempt, in: owner) else { return .dropped }
    var known: HandledPushes
    if let kept = handled[owner.id] {
      known = kept
    } else {
      known = try await pushes.handled(in: owner)
    }
    defer { handled[owner.id] = known }
    guard var folded = pushes.folded(claim, event, in: owner, by: rule, &known) else {
      return .repeated
    }
    // Who is not there does not speak for the installation.
    folded.changes.removeAll { !isPresent && ($0.isOfInstallation || $0.isSecret) }
    if isPresent {
      try await house.strongbox.keep(folded.changes, of: claim.provider.id, for: owner.user)
    }
    return .taken(folded)
  }
}

extension Change {
  fileprivate var isSecret: Bool { if case .secret = self { true } else { false } }
}
