public import EngagementModel

extension Engagement {
  /// The route of a surface at one stage of a plan.
  public struct PlannedStage: Hashable, Sendable {
    public let surface: Surface
    public let stage: MigrationStage
    /// Nil: every provider that takes the surface.
    public let route: Route?
  }

  /// A plan with the stages that each surface can have, by what the providers can do and by the routes: for
  /// example, no shadow of a provider whose reading changes something. Nothing is kept.
  ///
  /// Throws `invalidConfiguration` if nothing, or a surface that is named, cannot move.
  ///
  /// - Parameters:
  ///   - surfaces: In the order in which they move; nil for all that can, pushes last.
  ///   - shares: The shares of the people in hundredths, one stage each.
  public func proposeMigration(
    from: ProviderID, to: ProviderID, surfaces: [Surface]? = nil, shares: [Int] = [5, 25, 50],
    takesBack: Bool = false, isAutomatic: Bool = false
  ) async throws(EngagementError) -> MigrationPlan {
    try lifecycle.checkOpen()
    var routed: [RoutedSurface]?
    if let surfaces {
      var named: [RoutedSurface] = []
      for surface in surfaces { named.append(try RoutedSurface(surface)) }
      routed = named
    }
    return try await migrations.propose(
      from: from, to: to, routed, shares: shares, takesBack: takesBack, isAutomatic: isAutomatic)
  }

  /// The route of each surface at each stage of the plan, as it would be set. Nothing changes.
  ///
  /// Throws `invalidConfiguration` for a provider that is not there or lacks a surface, and for a route that
  /// cannot be moved.
  public func routes(
    of plan: MigrationPlan
  ) async throws(EngagementError) -> [PlannedStage] {
    try lifecycle.checkOpen()
    return try await migrations.routes(of: plan)
  }

  /// Keeps a plan with the cache. Nothing moves yet: `advanceMigration` does, stage by stage. A migration of
  /// the same providers that is under way goes on by the new plan.
  ///
  /// Throws what `routes(of:)` throws, and `conflict` if a surface moves between other providers already, or
  /// is in a stage that the new plan has not.
  public func startMigration(_ plan: MigrationPlan) async throws(EngagementError) {
    try lifecycle.checkOpen()
    try await migrations.start(plan)
  }

  /// Forgets the migration of a surface that is at `off` or `removed`. Throws `conflict` in between.
  public func forgetMigration(of surface: Surface) async throws(EngagementError) {
    try lifecycle.checkOpen()
    try await migrations.forget(try RoutedSurface(surface))
  }

  /// The migrations that the cache keeps, with their gates as they are now.
  public func migrations() async throws(EngagementError) -> [MigrationStatus] {
    try lifecycle.checkOpen()
    return try await migrations.statuses()
  }

  /// The surfaces whose migration a later release has stored so that this one cannot read it. Such a surface
  /// keeps its route, and neither moves nor begins another migration until the later release is used.
  public func unreadableMigrations() async throws(EngagementError) -> [Surface] {
    try lifecycle.checkOpen()
    return MigrationRecord.unreadable(in: try await migrations.memory()).map(\.surface)
  }

  /// Moves a surface one stage on, in one commit with its route and its event.
  ///
  /// Throws `notFound` without a migration, and `conflict` if a gate does not hold, with each of them, if a
  /// surface before it in the plan is behind, or if another process has moved it meanwhile. Nothing changes
  /// then.
  ///
  /// - Parameters:
  ///   - who: Who asks for it, for the event log.
  ///   - why: The reason, for the event log.
  ///   - isForced: Whether the step is made although gates do not hold. That needs a reason.
  public func advanceMigration(
    of surface: Surface, by who: String? = nil, why: String? = nil, isForced: Bool = false
  ) async throws(EngagementError) {
    try lifecycle.checkOpen()
    try await migrations.advance(
      try RoutedSurface(surface), by: who, why: why, isForced: isForced)
  }

  /// Takes a surface back to an earlier stage, in one commit with its route and its event. At `off` it has
  /// the route that it had before. What the user did meanwhile stays done. Surfaces behind it in the plan that
  /// would be ahead of it go back first.
  ///
  /// Throws `notFound` without a migration, `conflict` at `off` and `removed`, and `invalidArgument` for a
  /// stage that is not an earlier one.
  ///
  /// - Parameter stage: Where to go back to; nil for the stage before.
  public func takeBackMigration(
    of surface: Surface, to stage: MigrationStage? = nil, by who: String? = nil,
    why: String? = nil
  ) async throws(EngagementError) {
    try lifecycle.checkOpen()
    try await migrations.takeBack(try RoutedSurface(surface), to: stage, by: who, why: why)
  }

  /// Looks at the gates: takes back what broke, where the plan says so, and moves on what may, where the
  /// plan is automatic. `run()` looks after each refresh without being asked.
  @discardableResult
  public func reviewMigrations() async throws(EngagementError) -> [MigrationStatus] {
    try lifecycle.checkOpen()
    try await migrations.review()
    return try await migrations.statuses()
  }

  /// How far the migration of a surface is.
  public struct MigrationStatus: Hashable, Sendable {
    public let surface: Surface
    public let plan: MigrationPlan
    public let stage: MigrationStage
    /// The stage after this one; nil at the end.
    public let next: MigrationStage?
    /// The gates of this stage, as they are now. A gate on what is not known does not hold.
    public let gates: [MigrationGate]
    /// How many of the user's actions are still to be sent to the old provider.
    public let left: Int
    /// Why another surface has to move first; nil if none has to.
    public let obstacle: String?
    /// The latest steps, the last one at the end.
    public let steps: [MigrationStep]
    /// Whether the route of the stage cannot hold, since a provider is gone from the configuration. The
    /// configured route holds then.
    public let isRefused: Bool

    init(
      _ record: MigrationRecord, _ measures: MigrationMeasures, obstacle: String?, isRefused: Bool
    ) {
      surface = record.surface.surface
      plan = record.plan
      stage = record.stage
      next = record.next
      gates = measures.gates
      left = measures.left
      self.obstacle = obstacle
      steps = record.steps
      self.isRefused = isRefused
    }

    /// Whether every gate holds and no other surface has to move first.
    public var mayAdvance: Bool { next != nil && obstacle == nil && gates.allSatisfy(\.holds) }
  }
}
