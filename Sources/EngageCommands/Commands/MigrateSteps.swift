import EngagementKit
import EngagementModel

extension Command {
  enum MigrateOptions {
    static let dryRun = Option("dry-run", "show what would be done, and change nothing")
    fileprivate static let who = Option("by", value: "NAME", "who does it, for the event log")
    fileprivate static let why = Option("why", value: "TEXT", "the reason, for the event log")
    fileprivate static let force = Option(
      "force", "although gates do not hold or pushes would have to stay; needs --why")
    fileprivate static let ledger = Option(
      "from", value: "FILE|DIR",
      "the events of many installations, as engage import collects them", repeats: true,
      completion: .files)
    fileprivate static let next = Option(
      "to", value: "STAGE",
      "the stage that is meant, such as shadow or \"canary 5\" (default: the next one)")
    fileprivate static let earlier = Option(
      "to", value: "STAGE",
      "the stage, such as off, shadow or \"canary 5\" (default: the one before)")
  }

  fileprivate static let surface = Argument(
    name: "SURFACE", help: "cards, inbox, templates, push, person or events")

  static let advanceMigration = Command(
    name: ["migrate", "advance"], summary: "move a surface one stage on",
    discussion: """
      The step is one commit with its route, and is in the event log with its gates. It is refused
      while a gate does not hold, with what to do, while a surface before it in the plan is behind,
      and while pushes would move to a provider that does not answer or did not take the push token.
      The step to removed is refused while the old provider still has the token, and while a
      container has a route of its own to it. --force makes the step although a gate does not hold or
      the token would have to stay; the event log keeps the reason.

      With --to, the step is made only if STAGE is the next one, and not again if the surface is there
      already: then the status is 0. A script names the stage, so that a command that it repeats makes
      no second step.

      With --from, the figures requests, errors, latency, undelivered, duplicates and optOuts are those
      of the installations in FILE that came to this stage, by their events. FILE is of "engage import"
      or "engage export". The other figures stay those of this installation. The event names FILE.
      """,
    arguments: [surface],
    options: [
      MigrateOptions.next, MigrateOptions.ledger, MigrateOptions.force, MigrateOptions.why,
      MigrateOptions.who, MigrateOptions.dryRun,
    ],
    examples: [
      Example("engage migrate advance inbox", "the next stage of the inbox"),
      Example("engage migrate advance inbox --to cutover", "to cutover, once"),
      Example("engage migrate advance inbox --dry-run", "which gates hold"),
      Example(
        "engage migrate advance inbox --from all.parquet --by eva",
        "by what many installations have seen"),
      Example(
        "engage migrate advance inbox --force --why outage --by eva",
        "although a gate does not hold"),
    ], isInterruptible: true,
    run: { invocation in
      let surface = Engagement.Surface(rawValue: try invocation.argument())
      try invocation.checkForce()
      let configuration = try invocation.configurationWithCache()
      if invocation.has(MigrateOptions.dryRun) {
        return try await invocation.reading(configuration) { engagement in
          try await invocation.rehearse(surface, of: engagement)
        }
      }
      return try await invocation.delivering(configuration) { engagement in
        try await invocation.advance(surface, of: engagement)
      }
    })

  static let rollBackMigration = Command(
    name: ["migrate", "rollback"], summary: "take a surface back to an earlier stage",
    discussion: """
      At off the surface has the route that it had before. What the user did meanwhile stays done.
      Surfaces behind it in the plan that would be ahead of it go back first.
      After removed there is no way back: plan a migration the other way.

      It is refused while pushes would go back to a provider that does not answer or did not take the
      push token. --force goes back nevertheless: the token stays with the provider that has it until
      the other one has taken it.
      """,
    arguments: [surface],
    options: [
      MigrateOptions.earlier, MigrateOptions.force, MigrateOptions.why, MigrateOptions.who,
    ],
    examples: [
      Example("engage migrate rollback inbox", "one stage back"),
      Example("engage migrate rollback inbox --to off --why duplicates", "all the way"),
    ], isInterruptible: true,
    run: { invocation in
      let surface = Engagement.Surface(rawValue: try invocation.argument())
      try invocation.checkForce()
      let configuration = try invocation.configurationWithCache()
      return try await invocation.delivering(configuration) { engagement in
        let status = try await engagement.migration(of: surface)
        let stage = try invocation.value(MigrateOptions.earlier)
          .flatMap { try status.earlierStage($0) }
        let before = try await engagement.migrations()
        try await engagement.takeBackMigration(
          of: surface, to: stage, by: invocation.value(MigrateOptions.who),
          why: invocation.value(MigrateOptions.why), isForced: invocation.has(MigrateOptions.force))
        return try await invocation.tell(surface, of: engagement, since: before)
      }
    })

  static let forgetMigration = Command(
    name: ["migrate", "forget"],
    summary: "forget the plan of a surface at off or removed, or one that cannot go on",
    discussion: """
      A plan that is damaged, or that a later release has stored, cannot be read: "engage migrate
      status" says why. A plan of which a provider has left engage.json moves nothing any more. Once
      one of these is forgotten the surface has the route of engage.json again.
      """,
    arguments: [surface],
    examples: [Example("engage migrate forget inbox", "once the old provider is gone")],
    run: { invocation in
      let surface = Engagement.Surface(rawValue: try invocation.argument())
      let configuration = try invocation.configurationWithCache()
      return try await invocation.delivering(configuration) { engagement in
        let former = engagement.routes
        try await engagement.forgetMigration(of: surface)
        try invocation.console.line("\(surface.rawValue) has no plan any more.")
        try invocation.console.object(["surface": .string(surface.rawValue)])
        if engagement.routes != former { try await invocation.tellVendors(of: engagement) }
        return .done
      }
    })
}

extension Invocation {
  /// Throws a fault of usage where a step is forced without a reason.
  fileprivate func checkForce() throws {
    guard has(Command.MigrateOptions.force), value(Command.MigrateOptions.why)?.isEmpty ?? true
    else { return }
    throw usage("--force needs --why with a reason, which the event log keeps.")
  }

  /// Moves a surface one stage on, or to the stage that is named.
  fileprivate func advance(
    _ surface: Engagement.Surface, of engagement: Engagement
  ) async throws -> ExitStatus {
    let before = try await engagement.migrations()
    let status = try await engagement.migration(of: surface)
    let target = try target(of: status)
    guard target != status.stage else {
      return try await tell(surface, of: engagement, since: before)
    }
    let figures = try figures(of: status, engagement)
    do throws(EngagementError) {
      try await engagement.advanceMigration(
        of: surface, to: target, by: value(Command.MigrateOptions.who),
        why: value(Command.MigrateOptions.why), isForced: has(Command.MigrateOptions.force),
        figures: figures)
    } catch {
      let now = try await engagement.migration(of: surface).measured(by: figures)
      if error.code == .conflict, now.stage == status.stage { now.tell(on: console) }
      throw error
    }
    return try await tell(surface, of: engagement, since: before)
  }

  /// Shows what the step would be, and whether it would be made.
  fileprivate func rehearse(
    _ surface: Engagement.Surface, of engagement: Engagement
  ) async throws -> ExitStatus {
    let found = try await engagement.migration(of: surface)
    let target = try target(of: found)
    let status = found.measured(by: try figures(of: found, engagement))
    try [status].print(MigrationNotes(of: engagement), on: console)
    guard target != status.stage else {
      try console.line("\(surface.rawValue) is at \(status.stage.words) already.")
      return .done
    }
    return status.mayAdvance ? .done : .failed
  }

  /// The stage that --to names; nil without it. Throws if the surface is not there and does not come there
  /// next.
  private func target(
    of status: Engagement.MigrationStatus
  ) throws -> Engagement.MigrationStage? {
    guard let words = value(Command.MigrateOptions.next) else { return nil }
    let target = try status.plannedStage(words)
    if target != status.stage {
      try status.plan.checkStep(of: status.surface, from: status.stage, to: target)
    }
    return target
  }

  /// Says where the surface is now, and which others have moved with it; sends what vendors are told of it.
  ///
  /// - Parameter before: How far each surface was before the command.
  fileprivate func tell(
    _ surface: Engagement.Surface, of engagement: Engagement,
    since before: [Engagement.MigrationStatus]
  ) async throws -> ExitStatus {
    func moves(_ status: Engagement.MigrationStatus) -> Bool {
      before.contains { $0.surface == status.surface && $0.stage != status.stage }
    }
    let named = try await engagement.migration(of: surface)
    let others = try await engagement.migrations().filter { $0.surface != surface && moves($0) }
    for status in [named] + others {
      let word = moves(status) ? "now" : "already"
      try console.line("\(status.surface.rawValue) is at \(status.stage.words) \(word).")
      try console.object(status.object)
    }
    try await tellVendors(of: engagement)
    // What was sent meanwhile is left at no provider.
    let settled = try await engagement.migration(of: surface)
    MigrationNotes(of: engagement).tell(of: [settled], on: console)
    return .done
  }

  /// The figures of the files that --from names; nil without any.
  private func figures(
    of status: Engagement.MigrationStatus, _ engagement: Engagement
  ) throws -> Engagement.MeasuredFigures? {
    let paths = values(Command.MigrateOptions.ledger)
    guard !paths.isEmpty else { return nil }
    let found = try LedgerFigures(of: status, engagement, in: paths, self)
    console.note("\(found.sentence)")
    return found.figures
  }
}

extension Engagement {
  fileprivate func migration(of surface: Surface) async throws -> MigrationStatus {
    let unreadable = try await UnreadableMigration.all(of: self).first { $0.surface == surface }
    if let unreadable {
      throw EngagementError(.conflict, "\(unreadable.reason) \(unreadable.advice)")
    }
    guard let status = try await migrations().first(where: { $0.surface == surface }) else {
      throw EngagementError(
        .notFound, "\(surface.rawValue) has no migration; run \"engage migrate plan\".")
    }
    return status
  }
}
