import EngagementAdapterAPI
import EngagementFormats
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

  /// Throws what `startMigration(_:)` would throw. Nothing changes.
  public func checkMigration(_ plan: MigrationPlan) async throws(EngagementError) {
    try lifecycle.checkOpen()
    try await migrations.checkStart(plan)
  }

  /// Forgets the migration of a surface that is at `off` or `removed`, one that cannot be read, and one of
  /// which a provider is gone from the configuration: then the configured route holds. Throws `conflict` in
  /// between.
  public func forgetMigration(of surface: Surface) async throws(EngagementError) {
    try lifecycle.checkOpen()
    try await migrations.forget(try RoutedSurface(surface))
  }

  /// The migrations that the cache keeps, with their gates as they are now.
  public func migrations() async throws(EngagementError) -> [MigrationStatus] {
    try lifecycle.checkOpen()
    return try await migrations.statuses()
  }

  /// The surfaces whose stored migration cannot be read, each with the reason: it is damaged, or a later
  /// release has stored it. Such a surface keeps its route, and neither moves nor begins another migration
  /// until `forgetMigration` or the later release is used.
  public func unreadableMigrations() async throws(EngagementError) -> [Surface: String] {
    try lifecycle.checkOpen()
    let memory = try await migrations.memory()
    return RoutedSurface.allCases.reduce(into: [:]) {
      $0[$1.surface] = MigrationRecord.fault(of: $1, in: memory)?.reason
    }
  }

  /// Those of `unreadableMigrations()` that no release can read, since what is stored is damaged.
  public func damagedMigrations() async throws(EngagementError) -> Set<Surface> {
    try lifecycle.checkOpen()
    let memory = try await migrations.memory()
    let damaged = RoutedSurface.allCases.filter {
      MigrationRecord.fault(of: $0, in: memory)?.isDamage == true
    }
    return Set(damaged.map(\.surface))
  }

  /// Moves a surface one stage on, in one commit with its route and its event.
  ///
  /// Throws `notFound` without a migration, and `conflict` if a gate does not hold, with each of them and
  /// what to do about it, if pushes would move to a provider that is known not to answer or did not take the
  /// token, if a surface before it in the plan is behind, or if another process has moved it meanwhile.
  /// `removed` is refused while the old provider still has the push token, and while a container has a route
  /// of its own to it. Throws `invalidConfiguration` if a provider of the plan is gone from the configuration.
  /// Nothing changes then.
  ///
  /// - Parameters:
  ///   - stage: The stage that is meant; nil for the next one. If the surface is there already, nothing is
  ///     done, so that a step that is asked for twice is made once. Throws `conflict` if another stage is
  ///     next, and `invalidArgument` if the plan has no such stage.
  ///   - who: Who asks for it, for the event log.
  ///   - why: The reason, for the event log.
  ///   - isForced: Whether the step is made although gates do not hold, or a provider of pushes does
  ///     not answer, did not take the token or has not given it back. That needs a reason.
  ///   - figures: What was measured on many installations. A person who is held out at a stage never asks
  ///     the new provider, so that the installation's own figures say nothing of it.
  public func advanceMigration(
    of surface: Surface, to stage: MigrationStage? = nil, by who: String? = nil,
    why: String? = nil, isForced: Bool = false, figures: MeasuredFigures? = nil
  ) async throws(EngagementError) {
    try lifecycle.checkOpen()
    try await migrations.advance(
      try RoutedSurface(surface), to: stage, by: who, why: why, isForced: isForced, figures)
  }

  /// The names of the requests that a provider gets for a surface, as events have them.
  public func requestNames(of surface: Surface, at provider: ProviderID) -> Set<String> {
    guard let routed = RoutedSurface(rawValue: surface.rawValue),
      let adapter = dependencies.providers.first(where: { $0.id == provider })?.adapter
    else { return [] }
    return Set(routed.verbs(at: adapter.capabilities).map(\.rawValue))
  }

  /// Takes a surface back to an earlier stage, in one commit with its route and its event. At `off` it has
  /// the route that it had before. What the user did meanwhile stays done. Surfaces behind it in the plan that
  /// would be ahead of it go back first.
  ///
  /// The push token stays with the provider that has it until the other one has taken it for certain.
  ///
  /// Throws `notFound` without a migration, `invalidArgument` for a stage that is not an earlier one,
  /// `invalidConfiguration` for another one than `off` if a provider of the plan is gone from the
  /// configuration, and `conflict` at `off` and `removed`, and if pushes would go back to a provider that is
  /// known not to answer or did not take the token. Nothing changes then.
  ///
  /// - Parameters:
  ///   - stage: Where to go back to; nil for the stage before.
  ///   - isForced: Whether pushes go back nevertheless. That needs a reason.
  public func takeBackMigration(
    of surface: Surface, to stage: MigrationStage? = nil, by who: String? = nil,
    why: String? = nil, isForced: Bool = false
  ) async throws(EngagementError) {
    try lifecycle.checkOpen()
    try await migrations.takeBack(
      try RoutedSurface(surface), to: stage, by: who, why: why, isForced: isForced)
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
    public private(set) var gates: [MigrationGate]
    /// How many actions are still to be sent to the old provider, of all users, as far as consent allows it.
    public var left: Int { waiting.left }
    /// How many of these belong to users who are not signed in here. They are sent when these sign in.
    public var leftOfOthers: Int { waiting.others }
    /// How many of them were done while no user was signed in, where somebody is signed in now.
    public var leftOfAnonymous: Int { waiting.anonymous }
    /// How many more actions wait for a consent that allows to send them: of the user to the new provider,
    /// and of all users to the old one. No gate counts them.
    public var withheld: Int { waiting.withheld }
    /// Whether the stage leaves the user with the old provider. Then the installation's own figures say
    /// nothing of the new one.
    public let isHeldOut: Bool
    /// What prevents the next step even if all gates hold: another surface has to move first, the provider
    /// that is to get the push token does not answer or did not take it, the old one is still in use, or one
    /// of them is gone from the configuration. Nil for nothing.
    public let obstacle: String?
    /// The latest steps, the last one at the end.
    public let steps: [MigrationStep]
    /// Why the route of the stage cannot hold and what holds instead, such as since a provider is gone from
    /// the configuration; nil if it holds.
    public let refusal: String?
    /// What the old provider still has at `removed`, such as the push token after a forced step, and what to
    /// do about it; nil for nothing.
    public let remainder: String?
    private let waiting: WaitingActions

    init(
      _ record: MigrationRecord, _ measures: MigrationMeasures, obstacle: String?,
      refusal: String?, remainder: String?
    ) {
      surface = record.surface.surface
      plan = record.plan
      stage = record.stage
      next = record.next
      gates = measures.gates
      waiting = measures.waiting
      isHeldOut = measures.isHeldOut
      self.obstacle = obstacle
      steps = record.steps
      self.refusal = refusal
      self.remainder = remainder
    }

    /// The experiment by which events tell who has moved; nil in a stage without a share.
    public var experiment: String? {
      guard stage.isShared else { return nil }
      let name = MigrationRoutes.experiment(
        from: plan.from, to: plan.to, percent: stage.percent)
      return String(decoding: NFC.bytes(of: name), as: UTF8.self)
    }

    /// What is said of actions that wait for other people or for consent.
    public var waitingSentences: [String] { waiting.sentences(at: stage) }

    /// The same with the gates by figures that were measured elsewhere.
    public func measured(by figures: MeasuredFigures?) -> Self {
      var status = self
      status.gates = gates.measured(by: figures)
      return status
    }

    /// Whether every gate holds and nothing else is in the way.
    public var mayAdvance: Bool { next != nil && obstacle == nil && gates.allSatisfy(\.holds) }
  }
}
