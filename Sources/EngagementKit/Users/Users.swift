import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// Changes who uses the application.
///
/// A change has one order. First the former user's vendors are told, as that user; then nobody is
/// there for a moment, in which the next user's partition is made ready in the cache; then the
/// next user is there. A kill anywhere leaves one of the two present, with what each vendor has
/// yet to be told kept for its own user.
final class Users: Sendable {
  private let house: House
  private let houses: [ProviderID: ProviderHouse]
  private let exchanges: [ProviderID: Exchange]
  private let desk: CredentialDesk
  private let courier: Courier
  private let showcase: Showcase
  private let sessions: Sessions
  private let journal: JournalKeeper
  let order = ChangeOrder()

  init(
    _ house: House, houses: [ProviderID: ProviderHouse], exchanges: [ProviderID: Exchange],
    desk: CredentialDesk, courier: Courier, showcase: Showcase, sessions: Sessions,
    journal: JournalKeeper
  ) {
    self.house = house
    self.houses = houses
    self.exchanges = exchanges
    self.desk = desk
    self.courier = courier
    self.showcase = showcase
    self.sessions = sessions
    self.journal = journal
  }

  private typealias Plans = [ProviderID: [TransitionStep]]
  private typealias Results = [ProviderID: Departure.Result]

  // MARK: The two changes

  /// Makes the user present, asking the source for credentials.
  func signIn(
    _ user: User, within limit: Duration, credentials: @escaping CredentialSource
  ) async throws(EngagementError) {
    try await order.inTurn { (isLatest) async throws(EngagementError) in
      guard user != house.occupancy.present.user else {
        desk.seat(user, credentials)
        courier.wake()
        return
      }
      _ = try await change(to: user, credentials, within: limit, .park)
      guard isLatest() else { throw ChangeOrder.superseded }
    }
  }

  /// Makes nobody in particular present.
  func signOut(
    within limit: Duration, _ leftovers: Leftovers
  ) async throws(EngagementError) -> SignOutReport {
    try await order.inTurn { (_) async throws(EngagementError) in
      guard !house.occupancy.present.user.isAnonymous else { return report(of: [:]) }
      return try await change(to: .anonymous, nil, within: limit, leftovers)
    }
  }

  private func change(
    to user: User, _ credentials: CredentialSource?, within limit: Duration, _ leftovers: Leftovers
  ) async throws(EngagementError) -> SignOutReport {
    let former = house.occupancy.present
    // What an extension left is the former user's, and may still be sent as that user.
    try await journal.fold()
    let next = try await house.store.partition(of: user, at: house.clock.now)
    let plans = try await plans(for: former, to: user)
    let adopters = Set(plans.filter { $0.value.contains(.adoptPending) }.keys)
    // The end of a session is among what is sent before its user leaves.
    if adopters.isEmpty { await sessions.leave() }
    let departure = Departure(
      house: house, exchanges: exchanges, courier: courier, former: former,
      end: house.clock.uptime + limit)
    var results = await departure.run(plans)
    if Task.isCancelled { throw EngagementError(.cancelled, "The change of user was cancelled.") }
    await house.occupancy.leave(Occupancy.Change(adopters: adopters))
    do throws(EngagementError) {
      try await part(from: former, leftovers, adopters, &results)
      let reports = try await arrive(in: next, plans, adopting: former, adopters)
      if let credentials { desk.seat(user, credentials) }
      await move(into: next, from: former, adopters, reports)
    } catch {
      house.occupancy.stay()
      throw error
    }
    return report(of: results)
  }

  /// What each vendor wants done, by what is known of it now.
  private func plans(for former: Occupant, to user: User) async throws(EngagementError) -> Plans {
    var plans: Plans = [:]
    let attempt = Attempt(by: former.user, house.key(), acceptedAt: house.clock.now)
    for (id, house) in houses {
      let context = try await house.context(attempt, in: former.partition)
      let steps = house.provider.adapter.transition(from: former.user, to: user, in: context)
      // Only nobody's rows can become somebody's.
      plans[id] = former.user.isAnonymous ? steps : steps.filter { $0 != .adoptPending }
    }
    return plans
  }

  // MARK: The former user

  /// Keeps for the former user what vendors could not be told, or drops it.
  private func part(
    from former: Occupant, _ leftovers: Leftovers, _ adopters: Set<ProviderID>,
    _ results: inout Results
  ) async throws(EngagementError) {
    if leftovers == .park { await park(of: former, &results) }
    let waiting = try await house.store.pendingCounts(in: former.partition)
    for (provider, count) in waiting where !adopters.contains(provider) {
      switch leftovers {
      case .park: results[provider]?.farewell.parked = count
      case .wipe: results[provider]?.farewell.wiped = count
      }
    }
    if leftovers == .wipe {
      let report = try await house.store.wipeOutbox(of: former.partition, at: house.clock.now)
      await house.bulletin.post(report, of: former.partition)
    }
    let push = try await house.strongbox.push()
    for (id, house) in houses {
      let takesTokens =
        house.provider.adapter.capabilities.ability(.registerPush).travel != .unsupported
      let isTold = results[id]?.isTold ?? false
      results[id]?.farewell.mayStillPush = takesTokens && !push.isEmpty && !isTold
    }
  }

  /// Where there is no room the vendor is never told, and the report says why.
  private func park(of former: Occupant, _ results: inout Results) async {
    for (provider, result) in results where !result.unsaid.isEmpty {
      let parcels = result.unsaid.map {
        Intent.Parcel(to: provider, .operation($0.operation), key: $0.key)
      }
      do throws(EngagementError) {
        try await house.accept([Intent(parcels: parcels)], in: former.partition)
      } catch {
        results[provider]?.farewell.failure = error
        house.log(.error, "A sign-out will not be told: \(error.code)", provider)
      }
    }
  }

  // MARK: The next user

  /// Makes the partition ready: what a vendor wants known and said is there before anybody is.
  private func arrive(
    in next: Partition, _ plans: Plans, adopting former: Occupant, _ adopters: Set<ProviderID>
  ) async throws(EngagementError) -> [CommitReport] {
    var reports: [CommitReport] = []
    for (id, steps) in plans {
      let changes = steps.flatMap(\.changesOnArrival)
      guard !changes.isEmpty, let house = houses[id] else { continue }
      reports.append(try await house.keep(changes, of: next.user).0)
    }
    if !adopters.isEmpty {
      reports.append(try await house.store.adopt(former.partition, into: next, for: adopters))
    }
    // In one step: what an extension leaves before is the former user's, after it the next one's.
    try await journal.fold(before: next) { () async throws(EngagementError) in
      try await house.store.setPresentUser(next.user)
    }
    return reports
  }

  private func move(
    into next: Partition, from former: Occupant, _ adopters: Set<ProviderID>,
    _ reports: [CommitReport]
  ) async {
    let occupant = house.occupancy.move(
      into: next, adopting: adopters.isEmpty ? nil : former.partition.id, for: adopters)
    desk.dismiss(former.user)
    do throws(EngagementError) {
      try await showcase.enter(occupant)
      // What was accepted for nobody while the two changed places.
      if !adopters.isEmpty {
        let late = try await house.store.adopt(former.partition, into: next, for: adopters)
        await house.bulletin.post(late, of: next)
      }
    } catch {
      // The user is there all the same, and sees what is refreshed from now on.
      house.log(.error, "What the cache has of the user could not be read: \(error.code)")
    }
    for report in reports { await house.bulletin.post(report, of: next) }
    // Last: what was under way may have been looking.
    if former.partition != next { await house.store.release(former.partition) }
    courier.wake()
  }

  private func report(of results: Results) -> SignOutReport {
    var report = SignOutReport()
    for provider in house.providers {
      report.providers[provider.id] = results[provider.id]?.farewell ?? .init()
    }
    return report
  }
}

extension TransitionStep {
  /// What it changes for the user who comes.
  fileprivate var changesOnArrival: [Change] {
    switch self {
    case .apply(let changes): changes
    case .enter(let operation): [.wanted(operation)]
    case .sendPending, .leave, .adoptPending: []
    }
  }
}
