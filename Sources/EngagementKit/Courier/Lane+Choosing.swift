import EngagementAdapterAPI
import EngagementModel
import EngagementStore

extension Lane {
  private var batching: EventBatching { capabilities.batching }

  /// Looks at what may be looked at.
  mutating func admit() {
    while let row = shelf.admit(batching) {
      if row.isTried { remember(row) } else if shelf.isHead(row, batching) { offer(row) }
    }
  }

  /// Lets go what has waited long enough.
  mutating func lift(at now: Duration) {
    for (verb, mute) in muted where mute.until <= now {
      muted[verb] = nil
      for row in mute.rows.compactMap({ shelf.rows[$0] }) { offer(row) }
      for label in mute.trials { if let trial = trials[label] { expect(trial, label) } }
    }
    while let next = due.least, next.time <= now {
      _ = due.pop()
      guard let trial = trials[next.label], trial.nextTry <= now else { continue }
      ready.insert(Ranked(failures: trial.failures, label: next.label))
    }
  }

  /// A row that nothing of its entity holds up any more.
  mutating func offer(_ row: OutboxRow) {
    if row.isTried {
      if let trial = trials[row.label] {
        expect(trial, row.label)
      }
      return
    }
    fresh.insert(row.id)
    if let event = row.event {
      freshEvents[batching.key(of: event), default: Heap()].insert(row.id)
    }
  }

  private mutating func remember(_ row: OutboxRow) {
    var trial = trials[row.label] ?? memory.removeValue(forKey: row.label)?.empty ?? Trial.unknown
    // An opt-out that went past all others is there already.
    if trial.rows.last != row.id { trial.rows.append(row.id) }
    trials[row.label] = trial
    if trial.rows.count == 1 { expect(trial, row.label) }
  }

  // MARK: Never tried

  mutating func takeFresh(at now: Duration) -> Parcel? {
    while let id = fresh.pop() {
      guard let row = shelf.rows[id], !row.isTried, shelf.isHead(row, batching) else { continue }
      guard muted[row.verb] == nil else {
        muted[row.verb]?.rows.append(id)
        continue
      }
      return Parcel(rows: row.event == nil ? [row] : batch(from: row), waited: .zero)
    }
    return nil
  }

  /// The row and what may travel with it: events of the same key that nothing else holds up.
  private mutating func batch(from first: OutboxRow) -> [OutboxRow] {
    guard let event = first.event else { return [first] }
    let key = batching.key(of: event)
    let end = (shelf.places[first.id] ?? 0) + Self.span
    var candidates = freshEvents.removeValue(forKey: key) ?? Heap()
    defer { freshEvents[key] = candidates }
    var members: [OutboxRow] = []
    var places: [Entity: Int] = [:]
    var taken: Set<OutboxRow.ID> = []
    while members.count < max(1, batching.limit), let id = candidates.least {
      guard let row = shelf.rows[id], !row.isTried, !taken.contains(id) else {
        _ = candidates.pop()
        continue
      }
      guard let place = shelf.places[id], place < end else { break }
      _ = candidates.pop()
      let entity = Entity(row, batching)
      guard places[entity] != nil || shelf.isHead(row, batching) else { continue }
      members.append(row)
      taken.insert(id)
      let next = shelf.follower(of: row, at: &places[entity, default: 0], batching)
      if let next, let event = next.event, !next.isTried, batching.key(of: event) == key {
        candidates.insert(next.id)
      }
    }
    return members
  }

  // MARK: Tried before

  mutating func takeTried(at now: Duration) -> Move? {
    while let turn = ready.pop() {
      guard let trial = trials[turn.label], trial.nextTry <= now else { continue }
      let rows = trial.rows.compactMap { shelf.rows[$0] }
      guard let first = rows.first, shelf.isHead(first, batching) else { continue }
      if let ending = ending(of: trial, first, at: now) { return end(rows.map(\.id), ending) }
      guard muted[first.verb] == nil else {
        muted[first.verb]?.trials.append(turn.label)
        continue
      }
      return .send(Parcel(rows: rows, waited: waited(of: trial, at: now)))
    }
    return nil
  }

  /// Where consent holds something up, the word that it was withdrawn goes past all that waits;
  /// nil where there is none.
  func nextOptOut(at now: Duration) -> Move? {
    guard muted[.optOut] == nil else { return nil }
    guard let row = shelf.firstOptOut else {
      return shelf.isWhole ? nil : .read(limit: shelf.larger)
    }
    guard let trial = trials[row.label] ?? memory[row.label] else {
      return .send(Parcel(rows: [row], waited: .zero))
    }
    guard trial.nextTry <= now else { return nil }
    return .send(Parcel(rows: [row], waited: waited(of: trial, at: now)))
  }

  /// How it ends without another try, where it does.
  private func ending(of trial: Trial, _ first: OutboxRow, at now: Duration) -> Ending? {
    if first.waited + waited(of: trial, at: now) >= capabilities.retryHorizon { return .expired }
    guard trial.mayHaveArrived, !isRepeatable(first.verb) else { return nil }
    return .rejected(
      EngagementError(
        .unavailable, "It may have arrived, and must not arrive twice.", provider: first.provider,
        operation: first.verb.text))
  }

  /// Whether it may be sent again when nobody knows whether it arrived.
  func isRepeatable(_ verb: Operation.Verb) -> Bool { capabilities.ability(verb).isRetryable }

  private func waited(of trial: Trial, at now: Duration) -> Duration {
    trial.lastTried.map { now - $0 } ?? .zero
  }

  /// Takes the rows out and says how they ended.
  mutating func end(_ ids: [OutboxRow.ID], _ ending: Ending) -> Move {
    remove(ids)
    return .end(ids.map { ($0, ending) })
  }

  mutating func remove(_ ids: [OutboxRow.ID]) {
    for id in ids {
      guard let row = shelf.rows[id] else { continue }
      trials[row.label] = nil
      memory[row.label] = nil
      if let next = shelf.remove(id, batching) { offer(next) }
    }
  }

  /// Looks at the trial again then.
  mutating func delay(_ label: OutboxRow.ID, until time: Duration) {
    guard trials[label] != nil else { return }
    trials[label]?.nextTry = time
    due.insert(Timed(time: time, label: label))
  }

  /// Looks at the trial when it is due.
  private mutating func expect(_ trial: Trial, _ label: OutboxRow.ID) {
    due.insert(Timed(time: trial.nextTry, label: label))
  }
}
