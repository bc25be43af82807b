import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// Carries what was accepted to its vendors, lane by lane: one lane for a provider and a user, each
/// by itself.
///
/// Whoever changes the user, a credential or a consent wakes it.
final class Courier: CommitReader {
  /// After how long it looks again at what can't be told: another process's lease, a wall clock.
  static let patience = Duration.seconds(5)
  private static let longestRest = Duration.seconds(60)

  private let house: House
  private let roads: [ProviderID: Carrier.Road]
  private let right: SharedRight
  private let endings = Endings()
  private let fleet = Fleet()

  /// - Parameters:
  ///   - right: Without it nothing is sent.
  ///   - roads: How each provider is reached.
  init(_ house: House, right: any SendingRight, roads: [ProviderID: Carrier.Road]) {
    self.house = house
    self.roads = roads
    self.right = SharedRight(right)
  }

  func read(_ report: CommitReport, of partition: Partition) async {
    endings.note(report.ended)
    for carrier in fleet.all { carrier.hear(of: report, in: partition) }
  }

  // MARK: Sending

  /// Sends for as long as the task runs.
  func run() async {
    while !Task.isCancelled {
      guard acquire() else {
        await house.clock.sleep(until: house.clock.uptime + Self.patience)
        continue
      }
      defer { right.release() }
      house.log(.info, "The courier starts.")
      while !Task.isCancelled { await carry(as: house.occupancy.present) }
      house.log(.info, "The courier stops.")
    }
  }

  /// There may be something new to send, or a new reason why something can be sent.
  func wake() { for carrier in fleet.all { carrier.wake() } }

  /// Sends what is pending for a provider as the occupant until nothing is left that can be sent
  /// now, or until the time is up. Safe while `run` runs: a lane has one sender.
  func drain(
    _ provider: ProviderID, as occupant: Occupant, within limit: Duration
  ) async -> DrainReport {
    var report = DrainReport()
    if let carrier = carrier(for: provider, of: occupant.partition) {
      let before = carrier.counts
      await drain(carrier, until: house.clock.uptime + limit)
      report.delivered = carrier.counts.delivered - before.delivered
      report.refused = carrier.counts.refused - before.refused
    }
    let counts = try? await house.store.pendingCounts(in: occupant.partition)
    report.left = counts?[provider] ?? 0
    return report
  }

  private func drain(_ carrier: Carrier, until end: Duration) async {
    let clock = house.clock
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.empty(carrier) }
      group.addTask { await clock.sleep(until: end) }
      await group.next()
      group.cancelAll()
    }
  }

  private func empty(_ carrier: Carrier) async {
    while !acquire() {
      await house.clock.sleep(until: house.clock.uptime + Self.patience)
      if Task.isCancelled { return }
    }
    defer { right.release() }
    while !Task.isCancelled {
      let seen = carrier.bell.count
      switch await carrier.step() {
      case .moved: continue
      case .busy: await carrier.bell.wait(after: seen)
      case .rest: return
      }
    }
  }

  /// Every lane of the occupant, until another takes over.
  private func carry(as occupant: Occupant) async {
    let carriers = house.providers.compactMap { carrier(for: $0.id, of: occupant.partition) }
    await withTaskGroup(of: Void.self) { group in
      for carrier in carriers { group.addTask { await self.carry(carrier, as: occupant) } }
      // There is nothing to do without a provider, and yet somebody may come.
      if carriers.isEmpty {
        await house.clock.sleep(until: house.clock.uptime + Self.longestRest)
      }
    }
    for carrier in carriers { carrier.unload() }
  }

  private func carry(_ carrier: Carrier, as occupant: Occupant) async {
    while !Task.isCancelled, house.occupancy.isPresent(occupant) {
      let seen = carrier.bell.count
      switch await carrier.step() {
      case .moved: continue
      case .busy: await carrier.bell.wait(after: seen)
      case .rest(let end):
        let latest = house.clock.uptime + Self.longestRest
        await carrier.bell.wait(after: seen, until: min(end ?? latest, latest), by: house.clock)
      }
    }
  }

  private func carrier(for id: ProviderID, of partition: Partition) -> Carrier? {
    guard let road = roads[id], let provider = house.providers.first(where: { $0.id == id }) else {
      return nil
    }
    return fleet.carrier(for: id, of: partition) {
      Carrier(provider, of: partition, in: house, underway: fleet.underway, by: road)
    }
  }

  private func acquire() -> Bool {
    do throws(EngagementError) {
      return try right.tryAcquire()
    } catch {
      house.log(.warning, "The right to send can't be had: \(error.code).")
      return false
    }
  }

  // MARK: Receipts

  /// What becomes of accepted rows; ask before or after they end.
  ///
  /// Of the rows that ended before it was asked the last 1,000 are known. One that is none of them
  /// and is not waited for any more is taken for delivered.
  ///
  /// - Parameter isNew: Whether the rows were accepted just now, so that nothing has to be looked
  ///   up.
  func receipt(for keys: [OperationKey], isNew: Bool = false) -> Receipt {
    let watch = endings.watch(keys)
    guard !isNew else { return Receipt(watch) }
    let partition = house.occupancy.present.partition
    return Receipt(watch) { await self.lookUp($0, in: partition) }
  }

  private func lookUp(_ watch: Watch, in partition: Partition) async {
    var gone = watch.left
    for provider in house.providers {
      let rows = try? await house.store.pending(for: provider.id, in: partition, limit: .max)
      // Nobody knows; whoever waits is told when it ends.
      guard let rows else { return }
      gone.subtract(rows.map(\.key))
    }
    for key in gone { watch.note(key, .delivered) }
  }
}

/// What a drain did and what it left.
struct DrainReport: Hashable, Sendable {
  var delivered = 0
  var refused = 0
  var left = 0
}

/// The carriers of all lanes that were ever needed: a lane keeps what it knows of its failures.
private final class Fleet: Sendable {
  private struct LaneID: Hashable {
    var provider: ProviderID
    var partition: Partition.ID
  }

  let underway = Underway()
  private let carriers = Locked<[LaneID: Carrier]>([:])

  var all: [Carrier] { carriers.withLock { Array($0.values) } }

  func carrier(
    for provider: ProviderID, of partition: Partition, otherwise make: () -> Carrier
  ) -> Carrier {
    carriers.withLock { carriers in
      let id = LaneID(provider: provider, partition: partition.id)
      if let carrier = carriers[id] { return carrier }
      let carrier = make()
      carriers[id] = carrier
      return carrier
    }
  }
}
