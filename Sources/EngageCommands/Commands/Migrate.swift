import EngagementDocuments
import EngagementJSON
import EngagementKit
import EngagementModel

extension Command {
  /// `engage migrate`.
  static let migrate = [
    migrationStatus, planMigration, advanceMigration, rollBackMigration, forgetMigration,
    exportForVendor,
  ]

  fileprivate static let surface = Argument(
    name: "SURFACE", help: "cards, inbox, templates, push, person or events")
  fileprivate static let dryRun = Option("dry-run", "show what would be done, and change nothing")
  fileprivate static let who = Option("by", value: "NAME", "who does it, for the event log")
  fileprivate static let why = Option("why", value: "TEXT", "the reason, for the event log")

  // MARK: Plan

  fileprivate enum PlanOptions {
    static let from = Option("from", value: "PROVIDER", "the provider that goes")
    static let to = Option("to", value: "PROVIDER", "the provider that comes")
    static let surfaces = Option(
      "surfaces", value: "NAME,NAME", "what moves, in this order (default: all that can)")
    static let shares = Option(
      "shares", value: "N,N", "the shares of people in percent, one stage each (default 5,25,50)")
    static let file = Option(
      "file", letter: "f", value: "PLAN.json", "a plan as --json prints it, edited",
      completion: .files)
    static let takesBack = Option("takes-back", "go back by itself when a gate breaks")
    static let automatic = Option(
      "automatic", "move on by itself while gates hold, up to drain; not after a step back")
  }

  private static let planMigration = Command(
    name: ["migrate", "plan"],
    summary: "plan a move from one provider to another, and keep the plan",
    discussion: """
      Each surface moves by itself: off, shadow (the new provider is read and compared, and not
      shown), canary and ramp (a share of the people has it), cutover (everybody has it), drain
      (what was done to the old provider's items is still sent) and removed. A stage that the
      providers cannot have is left out. Nothing moves yet: "engage migrate advance" does.

      HELD is how many items of the old provider the user can see in this cache, or how many push
      tokens it has. What the new provider is not told of them is listed under the table.

      The plan is kept with the cache. A plan of the same two providers takes the place of the one
      that is there, and a surface stays in its stage. A gate that PLAN.json names changes that gate
      alone; null removes it, and {} all of the stage. MIGRATION.md lists the gates.
      """,
    options: [
      PlanOptions.from, PlanOptions.to, PlanOptions.surfaces, PlanOptions.shares, PlanOptions.file,
      PlanOptions.takesBack, PlanOptions.automatic, dryRun,
    ],
    examples: [
      Example("engage migrate plan --from braze --to vibes --dry-run", "what moves, and how"),
      Example(
        "engage migrate plan --from braze --to vibes --surfaces inbox,push --takes-back",
        "two surfaces, which go back by themselves when a gate breaks"),
      Example(
        "engage migrate plan --from braze --to vibes --dry-run --json > plan.json",
        "a document to edit: gates, shares, a date for drain"),
      Example("engage migrate plan --file plan.json", "the edited plan"),
    ],
    run: { invocation in
      let document = try invocation.document()
      let configuration = try invocation.configuration()
      return try await invocation.reading(configuration) { engagement in
        let plan = try await invocation.plan(document, engagement)
        let stages = try await engagement.routes(of: plan)
        let holdings = try await engagement.migrationHoldings(from: plan.from, to: plan.to)
        try PlanTables(plan, stages, holdings, engagement).print(on: invocation.console)
        invocation.tellContainers(of: plan, engagement)
        PlanWarnings(plan, configuration, engagement).tell(on: invocation.console)
        guard !invocation.has(dryRun) else { return .done }
        try await engagement.startMigration(plan)
        invocation.console.note(
          "The plan is kept, and each surface stays where it is: run \"engage migrate advance\".")
        return .done
      }
    })

  // MARK: Status

  private static let migrationStatus = Command(
    name: ["migrate", "status"], summary: "show how far each surface has moved, and its gates",
    discussion: """
      The figures are what this installation has seen since the stage began. A gate on what is not
      known does not hold. A note says what to do about each gate. LEFT is how many actions are still
      to be sent to the old provider, of all users. What consent does not allow to send is noted and
      not counted.

      At canary and ramp a person may be held out, and never asks the new provider. Then the figures
      of this installation cannot speak for it: see "engage migrate advance --from".

      --html writes a page with the gates over time, parity, the duplicates that were avoided and
      what is left to drain. The figures are those of --json.

      The status is 0 if every surface that has a next stage may move on.
      """,
    options: [ComparisonOptions.html],
    examples: [
      Example("engage migrate status", "the stages and gates"),
      Example("engage migrate status --json", "with the latest steps, and who made them"),
      Example("engage migrate status --html move.html", "as a page to look at"),
    ], isDefault: true,
    run: { invocation in
      let page = try invocation.comparisonPage()
      let configuration = try invocation.configurationWithCache()
      let overview = try await invocation.reading(configuration) { engagement in
        try await MigrationOverview(
          of: engagement, try invocation.reader(of: configuration),
          at: invocation.context.clock.now)
      }
      try invocation.tell(overview.unreadable)
      guard !overview.surfaces.isEmpty else {
        guard overview.unreadable.isEmpty else { return .failed }
        invocation.console.note("Nothing moves. Run \"engage migrate plan\".")
        return .done
      }
      if let page {
        try page.write(Array(MigrationPage(overview: overview).html.utf8))
        try page.finish()
      }
      for surface in overview.surfaces { try invocation.console.object(surface.object) }
      try overview.statuses.printTable(on: invocation.console)
      if let path = invocation.value(ComparisonOptions.html) {
        try invocation.console.line("\nThe page is \(path).")
      }
      let mayAdvance = overview.statuses.allSatisfy { $0.next == nil || $0.mayAdvance }
      return mayAdvance && overview.unreadable.isEmpty ? .done : .failed
    })

  // MARK: Steps

  fileprivate static let force = Option(
    "force", "although gates do not hold or pushes would have to stay; needs --why")
  fileprivate static let ledger = Option(
    "from", value: "FILE|DIR", "the events of many installations, as engage import collects them",
    repeats: true, completion: .files)
  private static let stage = Option(
    "to", value: "STAGE", "the stage, such as off, shadow or \"canary 5\" (default: the one before)"
  )

  private static let advanceMigration = Command(
    name: ["migrate", "advance"], summary: "move a surface one stage on",
    discussion: """
      The step is one commit with its route, and is in the event log with its gates. It is refused
      while a gate does not hold, with what to do, while a surface before it in the plan is behind,
      and while pushes would move to a provider that does not answer or did not take the push token.
      The step to removed is refused while the old provider still has the token, and while a
      container has a route of its own to it. --force makes the step although a gate does not hold or
      the token would have to stay; the event log keeps the reason.

      With --from, the figures requests, errors, latency, undelivered, duplicates and optOuts are those
      of the installations in FILE that came to this stage, by their events. FILE is of "engage import"
      or "engage export". The other figures stay those of this installation. The event names FILE.
      """,
    arguments: [surface], options: [ledger, force, why, who, dryRun],
    examples: [
      Example("engage migrate advance inbox", "the next stage of the inbox"),
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
      if invocation.has(dryRun) {
        return try await invocation.reading(configuration) { engagement in
          var status = try await engagement.migration(of: surface)
          let figures = try invocation.figures(of: status, engagement)
          status = status.measured(by: figures)
          try [status].print(on: invocation.console)
          return status.mayAdvance ? .done : .failed
        }
      }
      return try await invocation.delivering(configuration) { engagement in
        let status = try await engagement.migration(of: surface)
        let figures = try invocation.figures(of: status, engagement)
        do throws(EngagementError) {
          try await engagement.advanceMigration(
            of: surface, by: invocation.value(who), why: invocation.value(why),
            isForced: invocation.has(force), figures: figures)
        } catch {
          let now = try await engagement.migration(of: surface).measured(by: figures)
          if error.code == .conflict, now.stage == status.stage { now.tell(on: invocation.console) }
          throw error
        }
        return try await invocation.tell(surface, of: engagement)
      }
    })

  private static let rollBackMigration = Command(
    name: ["migrate", "rollback"], summary: "take a surface back to an earlier stage",
    discussion: """
      At off the surface has the route that it had before. What the user did meanwhile stays done.
      Surfaces behind it in the plan that would be ahead of it go back first.
      After removed there is no way back: plan a migration the other way.

      It is refused while pushes would go back to a provider that does not answer or did not take the
      push token. --force goes back nevertheless: the token stays with the provider that has it until
      the other one has taken it.
      """,
    arguments: [surface], options: [stage, force, why, who],
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
        let stage = try invocation.value(stage).flatMap { try status.earlierStage($0) }
        try await engagement.takeBackMigration(
          of: surface, to: stage, by: invocation.value(who), why: invocation.value(why),
          isForced: invocation.has(force))
        return try await invocation.tell(surface, of: engagement)
      }
    })

  private static let forgetMigration = Command(
    name: ["migrate", "forget"],
    summary: "forget the plan of a surface at off or removed, or one that cannot be read",
    discussion: """
      A plan that is damaged, or that a later release has stored, cannot be read: "engage migrate
      status" says why. Once it is forgotten the surface has the route of engage.json again.
      """,
    arguments: [surface],
    examples: [Example("engage migrate forget inbox", "once the old provider is gone")],
    run: { invocation in
      let surface = Engagement.Surface(rawValue: try invocation.argument())
      let configuration = try invocation.configurationWithCache()
      return try await invocation.delivering(configuration) { engagement in
        let wasReadable = try await engagement.unreadableMigrations()[surface] == nil
        try await engagement.forgetMigration(of: surface)
        try invocation.console.line("\(surface.rawValue) has no plan any more.")
        try invocation.console.object(["surface": .string(surface.rawValue)])
        if !wasReadable { try await invocation.tellVendors(of: engagement) }
        return .done
      }
    })
}

extension Invocation {
  /// The plan that a file has; nil without one.
  fileprivate func document() throws -> Engagement.MigrationPlan? {
    let (from, to) = (value(Command.PlanOptions.from), value(Command.PlanOptions.to))
    guard let path = value(Command.PlanOptions.file) else {
      guard from != nil, to != nil else {
        throw usage("\(command.title) needs --from and --to, or --file.")
      }
      return nil
    }
    guard from == nil, to == nil else {
      throw usage("--file names the providers; leave --from and --to out.")
    }
    let bytes = try InputFile(context.path(path)).bytes(atMost: 1_000_000)
    do throws(EngagementError) {
      let json = try Document.parse(bytes)
      guard var object = json.object else { return try Engagement.MigrationPlan(json: json) }
      // As --json prints it.
      if let schema = object["schema"], schema != Console.schema {
        throw EngagementError(
          .invalidArgument,
          "schema is \(String(decoding: schema.encoded(), as: UTF8.self)); this engage reads 1: make the plan "
            + "again with \"engage migrate plan --dry-run --json\".")
      }
      object["schema"] = nil
      return try Engagement.MigrationPlan(json: .object(object))
    } catch {
      throw EngagementError(error.code, "\(path): \(error.message)")
    }
  }

  /// Throws a fault of usage where a step is forced without a reason.
  fileprivate func checkForce() throws {
    guard has(Command.force), value(Command.why)?.isEmpty ?? true else { return }
    throw usage("--force needs --why with a reason, which the event log keeps.")
  }

  fileprivate func plan(
    _ document: Engagement.MigrationPlan?, _ engagement: Engagement
  ) async throws -> Engagement.MigrationPlan {
    if let document { return document }
    let surfaces = value(Command.PlanOptions.surfaces)?.split(separator: ",")
      .map { Engagement.Surface(rawValue: String($0)) }
    let shares = try (value(Command.PlanOptions.shares) ?? "5,25,50").split(separator: ",")
      .map { text in
        guard let share = Int(text) else {
          throw usage("--shares has \"\(text)\"; write percents, such as 5,25,50.")
        }
        return share
      }
    return try await engagement.proposeMigration(
      from: Engagement.ProviderID(value(Command.PlanOptions.from) ?? ""),
      to: Engagement.ProviderID(value(Command.PlanOptions.to) ?? ""), surfaces: surfaces,
      shares: shares, takesBack: has(Command.PlanOptions.takesBack),
      isAutomatic: has(Command.PlanOptions.automatic))
  }

  /// Says which containers keep a route of their own.
  fileprivate func tellContainers(of plan: Engagement.MigrationPlan, _ engagement: Engagement) {
    guard plan.moves.contains(where: { $0.surface == .cards }) else { return }
    for (container, route) in engagement.routes.containers.sorted(by: { $0.key < $1.key })
    where route.providers.contains(plan.from) {
      console.note(
        """
        The container \(container.rawValue) has a route of its own to \(plan.from.rawValue) and does \
        not move with cards; set or reset it: "engage routes set cards ROUTE --container \
        \(container.rawValue)".
        """)
    }
  }

  /// Says which surfaces have a migration that cannot be read, and how to forget it.
  fileprivate func tell(
    _ unreadable: [(surface: Engagement.Surface, reason: String)]
  ) throws {
    for (surface, reason) in unreadable {
      let name = surface.rawValue
      console.note(
        Phrase(
          "\(reason) Its route holds, and nothing of it changes here. \"engage migrate forget \(name)\" "
            + "forgets it, and the route of engage.json holds again."))
      try console.object([
        "surface": .string(name), "isReadable": false, "reason": .string(reason),
      ])
    }
  }

  /// Says where the surface is now, and sends what vendors are told of it.
  fileprivate func tell(
    _ surface: Engagement.Surface, of engagement: Engagement
  ) async throws -> ExitStatus {
    let status = try await engagement.migration(of: surface)
    try console.line("\(surface.rawValue) is at \(status.stage.words) now.")
    try console.object(status.object)
    try await tellVendors(of: engagement)
    return .done
  }

  /// The figures of the files that --from names; nil without any.
  fileprivate func figures(
    of status: Engagement.MigrationStatus, _ engagement: Engagement
  ) throws -> Engagement.MeasuredFigures? {
    let paths = values(Command.ledger)
    guard !paths.isEmpty else { return nil }
    let found = try LedgerFigures(of: status, engagement, in: paths, self)
    console.note("\(found.sentence)")
    return found.figures
  }
}

extension Engagement {
  fileprivate func migration(of surface: Surface) async throws -> MigrationStatus {
    if let reason = try await unreadableMigrations()[surface] {
      throw EngagementError(
        .conflict,
        "\(reason) Run \"engage migrate forget \(surface.rawValue)\", and the route of engage.json holds "
          + "again.")
    }
    guard let status = try await migrations().first(where: { $0.surface == surface }) else {
      throw EngagementError(
        .notFound, "\(surface.rawValue) has no migration; run \"engage migrate plan\".")
    }
    return status
  }
}
