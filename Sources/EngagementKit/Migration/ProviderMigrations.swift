import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform
import EngagementStore

/// Moves surfaces from one provider to another, stage by stage.
///
/// A step is one transaction: the route of the stage, what is kept of the migration, and its event. It is
/// made from what was looked at before, or not at all: a step of another process in between is a conflict.
final class ProviderMigrations: Sendable {
  let dependencies: KitDependencies
  let routeStore: RouteStore
  private let routeChanges: RouteChanges
  private let userTransitions: UserTransitions
  let feedPublisher: FeedPublisher
  /// Fires when there may be something to look at.
  private let signal = AsyncSignal()
  /// How many entries of the ledger tell at most what the old provider was like before a migration.
  private static let past: Int64 = 2_000

  init(
    _ dependencies: KitDependencies, _ routeStore: RouteStore, _ routeChanges: RouteChanges,
    _ userTransitions: UserTransitions, _ feedPublisher: FeedPublisher
  ) {
    self.feedPublisher = feedPublisher
    self.dependencies = dependencies
    self.routeStore = routeStore
    self.routeChanges = routeChanges
    self.userTransitions = userTransitions
  }

  func memory() async throws(EngagementError) -> ProviderMemory {
    try await dependencies.store.memory(
      of: KitState.owner, in: dependencies.currentUser.userSession.partition)
  }

  // MARK: Plans

  /// The route of each surface at each stage. Throws what would be wrong with one of them.
  func routes(
    of plan: Engagement.MigrationPlan
  ) async throws(EngagementError) -> [Engagement.PlannedStage] {
    let memory = try await memory()
    return try check(plan, memory)
  }

  @discardableResult private func check(
    _ plan: Engagement.MigrationPlan, _ memory: ProviderMemory
  ) throws(EngagementError) -> [Engagement.PlannedStage] {
    for (field, id) in [("from", plan.from), ("to", plan.to)] {
      _ = try dependencies.providers.configured(id, field)
    }
    var planned: [Engagement.PlannedStage] = []
    for move in plan.moves {
      let surface = try RoutedSurface(move.surface)
      try MigrationRecord.checkReadable(surface, in: memory)
      let found = routeStore.read(memory).routes
      let routes = try MigrationRoutes(
        from: plan.from, to: plan.to, surface, former: formerRoute(of: surface, in: memory),
        among: dependencies.providers)
      for stage in move.stages {
        let route = try routes.route(at: stage)
        _ = try routeStore.routes(found, with: route, at: .surface(surface))
        planned.append(.init(surface: move.surface, stage: stage, route: route))
      }
    }
    return planned
  }

  /// Throws what `start` throws. Nothing changes.
  func checkStart(_ plan: Engagement.MigrationPlan) async throws(EngagementError) {
    try checkStart(plan, try await memory())
  }

  private func checkStart(
    _ plan: Engagement.MigrationPlan, _ memory: ProviderMemory
  ) throws(EngagementError) {
    try check(plan, memory)
    for surface in plan.surfaces {
      try MigrationRecord.of(surface, in: memory)?.checkReplaced(by: plan)
    }
  }

  /// The route that the surface has without a migration.
  func formerRoute(of surface: RoutedSurface, in memory: ProviderMemory) -> Route? {
    let place = RoutePlace.surface(surface)
    guard let record = MigrationRecord.of(surface, in: memory), record.isUnderWay else {
      return routeStore.read(memory).routes.route(at: place)
    }
    return record.former ?? routeStore.configured.route(at: place)
  }

  /// Keeps the plan. A migration of the same providers goes on in the stage that it has.
  func start(_ plan: Engagement.MigrationPlan) async throws(EngagementError) {
    let newest = try await dependencies.store.newestSequence()
    let partition = dependencies.currentUser.userSession.partition
    try await dependencies.accept(in: partition, updating: KitState.owner) {
      [self] (_, memory, _) throws(EngagementError) in
      try checkStart(plan, memory)
      var update = Store.ValueUpdate(())
      var memory = memory
      for move in plan.moves {
        let surface = try RoutedSurface(move.surface)
        var record = MigrationRecord(plan, of: surface)
        record.sequence = max(0, newest - Self.past)
        if var known = MigrationRecord.of(surface, in: memory) {
          if known.isUnderWay || known.plan.isOfSameProviders(as: plan) && known.stage == .off {
            known.plan = plan
            record = known
          }
        }
        let change = KitState.change(.installation, record.key, record.json)
        update.changes.append(change)
        memory = memory.storing([change])
      }
      let seal = MigrationRecord.sealing(plan.surfaces, in: memory)
      update.changes += [seal, Self.retention(in: memory.storing([seal]))]
      return update
    }
  }

  /// Forgets the migration of a surface if it is at `off` or `removed`, cannot be read, or has lost a
  /// provider. The configured route holds then.
  func forget(_ surface: RoutedSurface) async throws(EngagementError) {
    if isStuck(surface, in: try await memory()) {
      return try await forgetStuck(surface)
    }
    let partition = dependencies.currentUser.userSession.partition
    try await dependencies.accept(in: partition, updating: KitState.owner) {
      (_, memory, _) throws(EngagementError) in
      let record = try MigrationRecord.require(surface, in: memory)
      guard !record.isUnderWay else {
        throw EngagementError(
          .conflict,
          "\(surface.rawValue) is at \(record.stage.words) of a migration; take it back to off, or "
            + "finish it, first.")
      }
      var update = Store.ValueUpdate(())
      update.changes = Self.forgetting(surface, in: memory)
      return update
    }
  }

  /// Whether the migration of the surface cannot be read, or is under way and has lost a provider.
  private func isStuck(_ surface: RoutedSurface, in memory: ProviderMemory) -> Bool {
    if MigrationRecord.fault(of: surface, in: memory) != nil { return true }
    guard let record = MigrationRecord.of(surface, in: memory) else { return false }
    return record.isUnderWay && missingProvider(of: record) != nil
  }

  private func forgetStuck(_ surface: RoutedSurface) async throws(EngagementError) {
    try await userTransitions.queue.alone { () async throws(EngagementError) in
      try await self.routeChanges.set(nil, at: .surface(surface)) {
        [self] (memory) throws(EngagementError) in
        // Another process may have forgotten it, and begun another one.
        if !isStuck(surface, in: memory) {
          try MigrationRecord.checkIdle(.surface(surface), in: memory)
        }
        return (Self.forgetting(surface, in: memory), [])
      }
    }
  }

  private static func forgetting(
    _ surface: RoutedSurface, in memory: ProviderMemory
  ) -> [Change] {
    let change = KitState.change(.installation, MigrationRecord.key(of: surface), nil)
    let changes = [change, MigrationRecord.sealing([surface], in: memory.storing([change]))]
    return changes + [retention(in: memory.storing(changes))]
  }

  /// What was done to contents stays known while items move: the new provider may list them later than
  /// the old one ends them.
  private static func retention(in memory: ProviderMemory) -> Change {
    let moving = MigrationRecord.all(in: memory).filter { $0.stage.kind != .removed }.map(\.surface)
    let isNeeded = (moving + MigrationRecord.unreadable(in: memory)).contains {
      [.cards, .inbox].contains($0)
    }
    return KitState.change(
      .installation, Store.keepsUnlistedContents, isNeeded ? .bool(true) : nil)
  }

  // MARK: Steps

  private static func checkReason(_ why: String?, _ isForced: Bool) throws(EngagementError) {
    guard isForced, why?.isEmpty ?? true else { return }
    throw .argumentFault("A forced step needs a reason, which the event log keeps.")
  }

  /// Moves a surface one stage on. Throws `conflict`, naming them, if gates do not hold or pushes have to
  /// stay, and the step is not forced.
  ///
  /// - Parameter stage: The stage that is meant; nil: the next one. Nothing is done if the surface is there.
  func advance(
    _ surface: RoutedSurface, to stage: Engagement.MigrationStage?, by who: String?, why: String?,
    isForced: Bool, _ figures: Engagement.MeasuredFigures?
  ) async throws(EngagementError) {
    try Self.checkReason(why, isForced)
    let memory = try await memory()
    let record = try MigrationRecord.require(surface, in: memory)
    if let stage {
      guard stage != record.stage else { return }
      try record.plan.checkStep(of: surface.surface, from: record.stage, to: stage)
    }
    guard let next = record.next else {
      throw EngagementError(
        .conflict, "\(surface.rawValue) is at \(record.stage.words), the last stage.")
    }
    try checkObstacles(before: next, of: record, in: memory)
    let outage = try await outage(before: next, of: record, in: memory)
    if let outage, !isForced { throw EngagementError(.conflict, outage) }
    var measures = try await measures(of: record, memory)
    measures.take(figures)
    let isOpen = measures.gates.contains { !$0.holds }
    guard !isOpen || isForced else { throw record.refusal(measures) }
    do throws(EngagementError) {
      try await step(
        record, to: next, measures, by: who, why: why, isForced: isOpen || outage != nil)
    } catch {
      // Another process may have made this very step.
      let present = MigrationRecord.of(surface, in: try await self.memory())
      guard error.code == .conflict, let stage, present?.stage == stage else { throw error }
    }
  }

  /// Takes a surface back to an earlier stage; nil: the one before. Throws `conflict` if pushes have to stay,
  /// and the step is not forced.
  func takeBack(
    _ surface: RoutedSurface, to stage: Engagement.MigrationStage?, by who: String?, why: String?,
    isForced: Bool
  ) async throws(EngagementError) {
    try Self.checkReason(why, isForced)
    let memory = try await memory()
    let record = try MigrationRecord.require(surface, in: memory)
    guard record.stage.kind != .removed else {
      throw EngagementError(
        .conflict,
        "\(surface.rawValue) is removed from \"\(record.plan.from)\"; plan a migration back.")
    }
    guard let previous = record.previous else {
      throw EngagementError(.conflict, "\(surface.rawValue) is at off; nothing was moved.")
    }
    let target = stage ?? previous
    let earlier = record.stages.prefix { $0 != record.stage }
    guard earlier.contains(target) else {
      throw .argumentFault(
        "\(surface.rawValue) is at \(record.stage.words) and cannot go back to \(target.words); "
          + "write one of the earlier stages: "
          + earlier.map { "\"\($0.words)\"" }.joined(separator: ", ") + ".")
    }
    // Without one of the providers, only the route of before can hold.
    if target.kind != .off { try checkProviders(of: record) }
    let steps = Self.stepsBack(record, to: target, in: memory)
    var outages: Set<RoutedSurface> = []
    for (one, place) in steps {
      guard let outage = try await outage(before: place, of: one, in: memory) else { continue }
      guard isForced else { throw EngagementError(.conflict, outage) }
      outages.insert(one.surface)
    }
    try await goBack(steps, by: who, why: why, forcing: outages)
  }

  /// What takes a surface back: before it those behind it in the plan that would be ahead.
  private static func stepsBack(
    _ record: MigrationRecord, to stage: Engagement.MigrationStage, in memory: ProviderMemory
  ) -> [(record: MigrationRecord, stage: Engagement.MigrationStage)] {
    let followers = record.followers(in: memory).reversed().map {
      (record: $0, stage: $0.lastStage(upTo: stage))
    }
    return followers.filter { $0.record.isUnderWay && $0.record.stage.order > $0.stage.order }
      + [(record, stage)]
  }

  /// Makes steps of which the last one is the reason for the others.
  private func goBack(
    _ steps: [(record: MigrationRecord, stage: Engagement.MigrationStage)], by who: String?,
    why: String?, forcing outages: Set<RoutedSurface> = []
  ) async throws(EngagementError) {
    let memory = try await memory()
    guard let last = steps.last else { return }
    let reason =
      "\(last.record.surface.rawValue) goes back to \(last.stage.words)"
      + (why.map { ": \($0)" } ?? "")
    for (record, stage) in steps {
      let measures = try await measures(of: record, memory)
      try await step(
        record, to: stage, measures, by: who,
        why: record.surface == last.record.surface ? why : reason,
        isForced: outages.contains(record.surface))
    }
  }

  /// Takes back what broke, and moves on what may, as the plans say.
  func review() async throws(EngagementError) {
    let memory = try await memory()
    for record in MigrationRecord.all(in: memory)
    where record.plan.takesBack || record.plan.isAutomatic {
      // Then the configured route holds, and somebody has to decide.
      guard missingProvider(of: record) == nil else { continue }
      let measures = try await measures(of: record, memory)
      let broken = record.broken(among: measures.gates)
      do throws(EngagementError) {
        if record.plan.takesBack, let broken {
          // Screens do not wait for a vendor that is silent: pushes follow when it has taken the token.
          try await goBack(
            Self.stepsBack(record, to: record.retreat, in: memory), by: nil, why: broken.sentence)
        } else if record.plan.isAutomatic, !record.wentBack, let next = record.next,
          next.kind != .removed, measures.gates.allSatisfy(\.holds)
        {
          try record.checkOrder(next, in: memory)
          guard try await outage(before: next, of: record, in: memory) == nil else { continue }
          try await step(record, to: next, measures, by: nil, why: nil, isForced: false)
        }
      } catch  where error.code == .conflict {
        // Another process stepped, or a surface before this one has to move first.
      }
    }
  }

  func measures(
    of record: MigrationRecord, _ memory: ProviderMemory
  ) async throws(EngagementError) -> MigrationMeasures {
    try await MigrationMeasures(
      of: record, by: dependencies, in: dependencies.currentUser.userSession.partition, memory,
      plans: try await plans(of: routeStore.read(memory).routes))
  }

  private func step(
    _ record: MigrationRecord, to stage: Engagement.MigrationStage, _ measures: MigrationMeasures,
    by who: String?, why: String?, isForced: Bool
  ) async throws(EngagementError) {
    let place = RoutePlace.surface(record.surface)
    let memory = try await memory()
    var next = record
    let stored = memory.json(.installation, place.key)
    if record.stage.kind == .off { next.former = stored.flatMap { try? Route(json: $0) } }
    let route = try route(at: stage, of: next, in: memory)
    let step = Engagement.MigrationStep(
      from: record.stage, to: stage, date: dependencies.clock.now, by: who, why: why,
      isForced: isForced, gates: measures.gates)
    next.note(step)
    next.sequence = measures.newest
    next.outcomes = measures.present
    next.baseline = measures.baseline
    let written = next
    try await userTransitions.queue.alone { () async throws(EngagementError) in
      try await self.routeChanges.set(route, at: place) {
        [dependencies] (memory) throws(EngagementError) in
        guard MigrationRecord.of(record.surface, in: memory)?.count == record.count,
          memory.json(.installation, place.key) == stored
        else { throw record.overtaken }
        var changes = [KitState.change(.installation, record.key, written.json)]
        if stage.kind == .shadow { changes += ParityReport.forgetting(record, in: memory) }
        changes += ShadowReading.forgetting(
          record.surface.surface, of: record.plan.to, in: memory)
        changes.append(
          MigrationRecord.sealing([record.surface], in: memory.storing(changes)))
        changes.append(Self.retention(in: memory.storing(changes)))
        let event = dependencies.event(.migrationStepped, step.properties(of: record))
        return (changes, [Intent(event: event)])
      }
    }
  }

  /// Notes that something was refreshed. Returns at once.
  func noteRefresh() { signal.fire() }

  /// Looks at the gates after each refresh, until the task is cancelled.
  func run() async {
    while !Task.isCancelled {
      let seen = signal.count
      do throws(EngagementError) {
        try await review()
      } catch {
        dependencies.log(.warning, "The migrations could not be looked at: \(error.code)")
      }
      await signal.wait(after: seen)
    }
  }
}
