import EngagementAdapterAPI
import EngagementFormats
import EngagementKit
import EngagementModel
import FoundationEssentials

extension Command {
  private static let watch = Option(
    "watch", letter: "w", "go on asking and delivering, until Ctrl-C, and tell what is new")
  private static let every = Option(
    "every", value: "SECONDS", "how often with --watch (default 60)")

  static let sync = Command(
    name: ["sync"], summary: "ask every vendor anew and deliver what waits",
    discussion: """
      Each provider's outcome is told: fresh, not modified, throttled, stale (what is shown is old)
      or failed. One that is down takes nothing from the others; the status is 1 then. Ctrl-C ends
      it in order: what came until then is kept, what was not delivered still waits.
      """,
    options: [watch, every],
    examples: [
      Example("engage sync", "everything"),
      Example("engage sync --watch --every 10", "every ten seconds, for as long as it runs"),
      Example("engage sync --json", "one object for each provider and surface"),
    ], isInterruptible: true,
    run: { invocation in
      let seconds = try invocation.number(every, in: 1...86_400)
      let configuration = try invocation.configuration()
      guard !invocation.has(watch) else {
        return try await invocation.delivering(configuration) { engagement in
          try await SyncReport.follow(
            engagement, configuration, every: .seconds(seconds ?? 60), in: invocation)
        }
      }
      guard seconds == nil else { throw invocation.usage("--every goes with --watch.") }
      let report = try await invocation.console.progress(SyncReport.progress) {
        try await invocation.delivering(configuration) { engagement in
          try await SyncReport.make(engagement, configuration, in: invocation.surroundings)
        }
      }
      try report.print(on: invocation.console)
      return report.isComplete ? .done : .failed
    })
}

/// What a sync did, provider by provider.
struct SyncReport: Sendable {
  struct Row: Sendable {
    var provider: ProviderID
    var surface: Surface
    var outcome: ProviderOutcome
    /// How many items of the provider are seen now.
    var count: Int
    /// Differs where what is seen does.
    var look: Int
  }

  var rows: [Row] = []
  var pending: [ProviderID: Int] = [:]

  var isComplete: Bool {
    rows.allSatisfy {
      switch $0.outcome {
      case .fresh, .notModified, .throttled, .unsupported: true
      case .stale, .failed: false
      }
    }
  }

  // MARK: Asking

  static let progress: Phrase = "Asking every vendor …"

  /// Asks again and again until the task is cancelled, and tells everything once and then what is
  /// new.
  static func follow(
    _ engagement: Engagement, _ configuration: EngageConfiguration, every pause: Duration,
    in invocation: Invocation
  ) async throws -> ExitStatus {
    let clock = invocation.surroundings.clock
    var former: SyncReport?
    while !Task.isCancelled {
      do {
        let report = try await invocation.console.progress(progress) {
          try await make(engagement, configuration, in: invocation.surroundings)
        }
        try report.news(since: former).print(on: invocation.console, titled: former == nil)
        former = report
      } catch is CancellationError {
        return .done
      }
      await clock.sleep(until: clock.uptime + pause)
    }
    return .done
  }

  /// The rows that say something which the former report did not.
  private func news(since former: SyncReport?) -> SyncReport {
    guard let former else { return self }
    var news = self
    news.rows = rows.filter { row in
      let old = former.rows.first { $0.provider == row.provider && $0.surface == row.surface }
      return row.look != old?.look || row.outcome.trouble != old?.outcome.trouble
        || pending[row.provider] != former.pending[row.provider]
    }
    return news
  }

  static func make(
    _ engagement: Engagement, _ configuration: EngageConfiguration, in surroundings: Surroundings
  ) async throws -> SyncReport {
    async let cards = engagement.refresh(.cards(nil))
    async let inbox = engagement.refresh(.inbox)
    let (cardOutcome, inboxOutcome) = await (cards, inbox)
    try await drain(engagement, in: surroundings)
    try Task.checkCancellation()
    let finder = CardFinder(engagement: engagement, configuration: configuration)
    let shown = await finder.all().filter { $0.kind != .control }
    var report = SyncReport()
    report.add(cardOutcome, .cards) { id in shown.filter { $0.id.provider == id } }
    let messages = engagement.inbox().messages
    report.add(inboxOutcome, .inbox) { id in messages.filter { $0.id.provider == id } }
    report.pending = try await engagement.pending().filter { $0.value > 0 }
    return report
  }

  /// Waits until nothing waits to be delivered, for as long as a command waits.
  private static func drain(_ engagement: Engagement, in surroundings: Surroundings) async throws {
    let clock = surroundings.clock
    let end = clock.uptime + surroundings.patience
    while clock.uptime < end, try await engagement.pending().values.contains(where: { $0 > 0 }) {
      try Task.checkCancellation()
      await clock.sleep(until: min(end, clock.uptime + .milliseconds(50)))
    }
  }

  private mutating func add<Item: Hashable>(
    _ outcome: RefreshOutcome, _ surface: Surface, items: (ProviderID) -> [Item]
  ) {
    for (provider, outcome) in outcome.providers.sorted(by: { $0.key < $1.key }) {
      let items = items(provider)
      rows.append(
        Row(
          provider: provider, surface: surface, outcome: outcome, count: items.count,
          look: items.hashValue))
    }
  }

  // MARK: Telling

  func print(on console: Console, titled: Bool = true) throws(ClosedPipe) {
    var table = Table([
      .init("PROVIDER"), .init("WHAT"), .init("OUTCOME"), .init("ITEMS", .trailing),
      .init("WAITING", .trailing), .init("NOTE", isFlexible: true),
    ])
    for row in rows {
      let waiting = pending[row.provider] ?? 0
      let outcome = row.outcome.told
      table.add([
        Phrase(row.provider.text, .bold), Phrase(row.surface.text),
        Phrase(outcome.name, outcome.style), "\(row.count)", "\(waiting)", Phrase(outcome.note),
      ])
      var object: JSONObject = [
        "provider": .string(row.provider.text), "surface": .string(row.surface.text),
        "outcome": .string(outcome.word), "items": .integer(Int64(row.count)),
        "pending": .integer(Int64(waiting)),
      ]
      for member in outcome.members.members { object[member.key] = member.value }
      try console.object(object)
    }
    guard !rows.isEmpty else {
      if titled { console.note("No provider is asked: no route names one.") }
      return
    }
    try console.table(table, titled: titled)
    if !console.isJSON { tellFailures(on: console) }
  }

  /// In full, since a table that fits its terminal has room for a few words; each once, however many
  /// surfaces it cost.
  private func tellFailures(on console: Console) {
    var told: [EngagementError] = []
    for row in rows {
      guard var error = row.outcome.error else { continue }
      error.provider = row.provider
      guard !told.contains(error) else { continue }
      told.append(error)
      console.failure(error)
    }
  }
}

/// An outcome as it is printed.
struct ToldOutcome {
  /// As programs read it.
  var word: String
  /// As people do, where that is something else.
  var name: String { word == "notModified" ? "not modified" : word }
  var style: Phrase.Style
  var note = ""
  var members = JSONObject()
}

extension ProviderOutcome {
  /// Why nothing came, without what changes while that lasts; nil where the vendor was reached.
  fileprivate var trouble: String? {
    switch self {
    case .fresh, .notModified: nil
    default: told.word + (error?.code.text ?? "")
    }
  }

  /// What is said of it.
  var told: ToldOutcome {
    switch self {
    case .fresh: ToldOutcome(word: "fresh", style: .green)
    case .notModified: ToldOutcome(word: "notModified", style: .green)
    case .unsupported: ToldOutcome(word: "unsupported", style: .faint)
    case .throttled(let date):
      ToldOutcome(
        word: "throttled", style: .yellow, note: "until \(ISO8601.text(of: date) ?? "later")",
        members: ["until": .string(ISO8601.text(of: date) ?? "")])
    case .stale(let age, let error):
      ToldOutcome(
        word: "stale", style: .red,
        note: "from \(age.components.seconds) s ago",
        members: JSONObject(dictionaryLiteral: ("ageSeconds", .integer(age.components.seconds)))
          .merging(error))
    case .failed(let error):
      ToldOutcome(
        word: "failed", style: .red, note: "nothing is there yet",
        members: JSONObject().merging(error))
    }
  }
}

extension JSONObject {
  /// With what a program needs to know of the error.
  func merging(_ error: EngagementError) -> JSONObject {
    var object = self
    object["error"] = .string(error.code.text)
    object["message"] = .string(error.message)
    object["underlying"] = error.underlying.map(JSON.string)
    return object
  }
}
