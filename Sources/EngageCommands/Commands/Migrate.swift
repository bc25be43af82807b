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

  // MARK: Plan

  fileprivate enum PlanOptions {
    static let from = Option("from", value: "PROVIDER", "the provider that goes")
    static let to = Option("to", value: "PROVIDER", "the provider that comes")
    static let surfaces = Option(
      "surfaces", value: "NAME,NAME",
      "what moves, in this order (default: all that can but person and events)")
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

      Without --surfaces the plan has inbox, cards, templates and push, as far as they can move. person
      and events tell both providers of the person while they move: name them in --surfaces.

      HELD is how many items of the old provider the user can see in this cache, or how many push
      tokens it has. What the new provider is not told of them is listed under the table.

      The plan is kept with the cache. A plan of the same two providers takes the place of the one
      that is there, and a surface stays in its stage. A gate that PLAN.json names changes that gate
      alone; null removes it, and {} all of the stage. MIGRATION.md lists the gates.
      """,
    options: [
      PlanOptions.from, PlanOptions.to, PlanOptions.surfaces, PlanOptions.shares, PlanOptions.file,
      PlanOptions.takesBack, PlanOptions.automatic, MigrateOptions.dryRun,
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
        let isChosen = document != nil || invocation.has(PlanOptions.surfaces)
        MigrationNotes(of: engagement).tell(of: plan, isChosen: isChosen, on: invocation.console)
        PlanWarnings(plan, configuration, engagement).tell(on: invocation.console)
        guard !invocation.has(MigrateOptions.dryRun) else {
          try await engagement.checkMigration(plan)
          return .done
        }
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
      try overview.statuses.printTable(overview.notes, on: invocation.console)
      if let path = invocation.value(ComparisonOptions.html) {
        try invocation.console.line("\nThe page is \(path).")
      }
      let mayAdvance = overview.statuses.allSatisfy { $0.next == nil || $0.mayAdvance }
      return mayAdvance && overview.unreadable.isEmpty ? .done : .failed
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

  /// Says which surfaces have a migration that cannot be read, and how to forget it.
  fileprivate func tell(_ unreadable: [UnreadableMigration]) throws {
    for one in unreadable {
      console.note(Phrase(one.sentence))
      try console.object([
        "surface": .string(one.surface.rawValue), "isReadable": false,
        "reason": .string(one.reason),
      ])
    }
  }
}
