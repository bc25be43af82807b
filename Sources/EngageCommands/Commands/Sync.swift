import EngagementAdapterAPI
import EngagementFormats
import EngagementKit
import EngagementModel
import EngagementPlatform
import EngagementVendors

extension Command {
  private static let watch = Option(
    "watch", letter: "w", "keep syncing until Ctrl-C, and print changes")
  private static let full = Option("full", "fetch everything, not only what has changed")
  private static let now = Option(
    "now", "send at once, also what a vendor has asked to wait with")
  private static let every = Option(
    "every", value: "SECONDS", "how often with --watch (default 60)")

  static let sync = Command(
    name: ["sync"], summary: "refresh from every vendor and send pending actions",
    discussion: """
      Prints each provider's outcome: fresh, not modified, throttled, stale (older data is shown)
      or failed. If one is down, the others are still refreshed and the status is 1; so it is if a
      vendor rejected an action. Ctrl-C stops
      cleanly: data that arrived is kept, and pending actions stay pending.

      The campaigns of a provider with templates are fetched too, and what is due is drawn. A
      campaign that was due and is not drawn is named with the reason.

      A vendor that no route of cards or inbox leads to is listed as "not asked" while actions wait
      for it.

      A vendor that asks for a pause gets no request until it is over, and is named with that time.
      --now ends the pause.

      With --watch, a vendor that has a live channel tells of changes at once, also between two
      refreshes. A note says when the channel is lost, and when it is there again; in between the
      vendor is polled. A credential in a file is read again when the vendor refuses it.
      """,
    options: [watch, every, full, now, .choose],
    examples: [
      Example("engage sync", "everything"),
      Example("engage sync --watch --every 10", "every ten seconds, for as long as it runs"),
      Example("engage sync --full", "everything anew"),
      Example("engage sync --json", "one object for each provider and surface"),
    ], isInterruptible: true,
    run: { invocation in
      let seconds = try invocation.number(every, in: 1...86_400)
      let configuration = try invocation.configuration()
      guard !invocation.has(watch) else {
        return try await watching(invocation, configuration, every: .seconds(seconds ?? 60))
      }
      guard seconds == nil else { throw invocation.usage("--every goes with --watch.") }
      return try await invocation.delivering(configuration) { engagement in
        let notes = try invocation.campaignNotes(configuration)
        let extent: Engagement.RefreshExtent = invocation.has(full) ? .everything : .changes
        let start = invocation.context.clock.now
        let comparisons = try await engagement.parity()
        let report = try await invocation.console.progress(SyncReport.progress) {
          if invocation.has(now) { try await engagement.endPauses() }
          return try await SyncReport.make(
            engagement, configuration, extent, in: invocation)
        }
        try report.print(on: invocation.console)
        let failures = try await invocation.syncCampaigns(
          of: engagement, configuration, extent, notes)
        try await invocation.tellPauses(of: engagement)
        await invocation.compareShadows(of: engagement, after: comparisons)
        try await invocation.tellSteps(of: engagement, since: start)
        let isDown = try await invocation.tellReplacements(of: engagement)
        return report.isComplete && failures.isEmpty && !isDown ? .done : .failed
      }
    })

  /// Watches until Ctrl-C. A cache that another process has replaced is opened again.
  private static func watching(
    _ invocation: Invocation, _ configuration: EngageConfiguration, every pause: Duration
  ) async throws -> ExitStatus {
    let live = LiveNotes()
    let configuration = configuration.noting(live)
    while true {
      do {
        return try await invocation.delivering(configuration, isLive: true) { engagement in
          if invocation.has(now) { try await engagement.endPauses() }
          return try await SyncWatch(
            engagement: engagement, configuration: configuration, pause: pause,
            extent: invocation.has(full) ? .everything : .changes, live: live,
            invocation: invocation
          ).run()
        }
      } catch let error as EngagementError where error.isOfReplacedCache {
        invocation.console.note("Another process has replaced the cache; watching the new one.")
      }
    }
  }
}

/// What a sync did, provider by provider.
struct SyncReport: Sendable {
  struct Row: Sendable {
    var provider: ProviderID
    var surface: Surface
    var outcome: Engagement.ProviderOutcome
    /// How many items could not be read.
    var setAside: Int
    /// Whether the vendor has its cards in containers, of which the configuration names none.
    var lacksContainer = false
    /// Whether the outcome says all that there is to do about the credential.
    var isCredentialExplained = false
    /// The items of the provider that are seen now.
    var items: [ItemID: WatchedItem] = [:]
    /// Differs where what is seen does.
    private(set) var look = 0

    var count: Int { items.count }

    /// Notes what is seen now. The items of other providers are left out.
    mutating func note<Item: Hashable & Identifiable>(
      _ items: [Item], titles: (Item) -> String?
    ) where Item.ID == ItemID {
      let own = items.filter { $0.id.provider == provider }
      self.items = WatchedItem.items(own, titles: titles)
      look = own.hashValue
    }
  }

  /// Providers that have pending actions and are not in the configuration.
  var missing: [ProviderID: Int] = [:]
  var rows: [Row] = []
  /// Providers that have pending actions and that no route of cards or inbox asks.
  var unasked: [ProviderID: Int] = [:]
  var pending: [ProviderID: Int] = [:]
  /// How many actions were rejected, and why the last one was.
  var rejected: [ProviderID: (count: Int, last: EngagementError)] = [:]

  var isComplete: Bool {
    rejected.isEmpty
      && rows.allSatisfy {
        switch $0.outcome {
        case .unsupported: !$0.lacksContainer
        case .fresh, .notModified, .throttled: true
        case .stale, .failed: false
        }
      }
  }

  // MARK: Asking

  static let progress: Phrase = "Asking every vendor …"

  /// The rows that say something which the former report did not.
  func news(since former: SyncReport?) -> SyncReport {
    guard let former else { return self }
    var news = self
    if unasked == former.unasked { news.unasked = [:] }
    news.rejected = rejected.filter { $0.value.count > former.rejected[$0.key]?.count ?? 0 }
    news.rows = rows.filter { row in
      let old = former.rows.first { $0.provider == row.provider && $0.surface == row.surface }
      return row.look != old?.look || row.outcome.trouble != old?.outcome.trouble
        || pending[row.provider] != former.pending[row.provider]
    }
    return news
  }

  static func make(
    _ engagement: Engagement, _ configuration: EngageConfiguration,
    _ extent: Engagement.RefreshExtent = .changes, in invocation: Invocation
  ) async throws -> SyncReport {
    async let cards = engagement.refresh(.cards, extent)
    async let inbox = engagement.refresh(.inbox, extent)
    let (cardOutcome, inboxOutcome) = await (cards, inbox)
    _ = try await engagement.flush(within: invocation.context.patience)
    try Task.checkCancellation()
    var report = SyncReport()
    let bad = try await engagement.quarantinedItems()
    report.add(
      cardOutcome, .cards, bad, shownCards(of: engagement, configuration),
      titles: WatchedItem.title(of:))
    report.add(
      inboxOutcome, .inbox, bad, engagement.inbox.messages, titles: WatchedItem.title(of:))
    report.pending = try await engagement.pendingCounts.filter { $0.value > 0 }
    report.missing = configuration.missing(in: report.pending)
    let asked = Set(report.rows.map(\.provider)).union(report.missing.keys)
    report.unasked = report.pending.filter { !asked.contains($0.key) }
    report.rejected = engagement.rejections
    report.explain(configuration, by: invocation.credentials, for: engagement.user)
    return report
  }

  /// Says what is wrong in the words of the configuration.
  private mutating func explain(
    _ configuration: EngageConfiguration, by credentials: ConfiguredCredentials, for user: User
  ) {
    for index in rows.indices {
      let provider = rows[index].provider
      if user.isAnonymous { rows[index].outcome.tellSignIn() }
      rows[index].outcome = credentials.explained(rows[index].outcome, at: provider)
      rows[index].lacksContainer =
        rows[index].surface == .cards && rows[index].outcome == .unsupported
        && configuration.providersWithoutContainer.contains(provider)
      rows[index].isCredentialExplained =
        credentials.complaint(about: rows[index].outcome.error, at: provider) != nil
    }
    for (provider, rejection) in rejected {
      rejected[provider]?.last = credentials.explained(rejection.last, at: provider)
    }
  }

  /// The cards that are seen.
  static func shownCards(
    of engagement: Engagement, _ configuration: EngageConfiguration
  ) -> [Card] {
    CardFinder(engagement: engagement, configuration: configuration).all()
      .filter { $0.kind != .control }
  }

  private mutating func add<Item: Hashable & Identifiable>(
    _ outcome: Engagement.RefreshOutcome, _ surface: Surface,
    _ bad: [Engagement.QuarantinedItem], _ all: [Item], titles title: (Item) -> String?
  ) where Item.ID == ItemID {
    for (provider, outcome) in outcome.providers.sorted(by: { $0.key < $1.key }) {
      var row = Row(
        provider: provider, surface: surface, outcome: outcome,
        setAside: bad.count { $0.provider == provider && $0.surface == surface })
      row.note(all, titles: title)
      rows.append(row)
    }
  }

  // MARK: Telling

  func print(on console: Console, titled: Bool = true) throws(OutputError) {
    var table = Table([
      .init("PROVIDER"), .init("WHAT"), .init("OUTCOME"), .init("ITEMS", .trailing),
      .init("WAITING", .trailing), .init("NOTE", isFlexible: true),
    ])
    for row in rows {
      let waiting = pending[row.provider] ?? 0
      var outcome = row.outcome.told
      // Some of its containers came, or something came earlier.
      if outcome.word == "failed", row.count > 0 { outcome.note = "not everything came" }
      table.add([
        Phrase(row.provider.rawValue, .bold), Phrase(row.surface.rawValue),
        Phrase(outcome.name, outcome.style), "\(row.count)", "\(waiting)",
        Phrase([outcome.note, row.told].filter { !$0.isEmpty }.joined(separator: "; ")),
      ])
      var object: JSONObject = [
        "provider": .string(row.provider.rawValue), "surface": .string(row.surface.rawValue),
        "outcome": .string(outcome.word), "items": .integer(Int64(row.count)),
        "pending": .integer(Int64(waiting)),
      ]
      if row.setAside > 0 { object["setAside"] = .integer(Int64(row.setAside)) }
      for member in outcome.members.members { object[member.key] = member.value }
      if row.lacksContainer { object["message"] = .string(MissingContainer.text(at: row.provider)) }
      try console.object(object)
    }
    for (provider, count) in unasked.sorted(by: { $0.key < $1.key }) {
      table.add([
        Phrase(provider.rawValue, .bold), "-", Phrase("not asked", .faint), "-", "\(count)",
        "no route of cards or inbox leads to it",
      ])
      try console.object([
        "provider": .string(provider.rawValue), "outcome": "notAsked",
        "pending": .integer(Int64(count)),
      ])
    }
    guard !rows.isEmpty || !unasked.isEmpty else {
      if titled { console.note("No provider is asked: no route names one.") }
      return
    }
    try console.table(table, titled: titled)
    for (provider, count) in missing.sorted(by: { $0.key < $1.key }) {
      try console.object([
        "provider": .string(provider.rawValue), "outcome": "notConfigured",
        "pending": .integer(Int64(count)),
      ])
    }
    for (provider, rejection) in rejected.sorted(by: { $0.key < $1.key }) {
      try console.object(
        JSONObject(
          dictionaryLiteral: ("provider", .string(provider.rawValue)),
          ("outcome", "rejected"), ("rejected", .integer(Int64(rejection.count)))
        ).merging(rejection.last))
    }
    guard !console.isJSON else { return }
    for (provider, rejection) in rejected.sorted(by: { $0.key < $1.key }) {
      let actions = rejection.count == 1 ? "1 action was" : "\(rejection.count) actions were"
      console.note("\(provider.rawValue): \(actions) rejected: \(rejection.last.message)")
    }
    tellFailures(on: console)
    for row in rows where row.lacksContainer {
      console.note("\(MissingContainer.text(at: row.provider))")
    }
    for (provider, count) in missing.sorted(by: { $0.key < $1.key }) {
      console.note(provider.missing(with: count))
    }
  }

  /// In full, since a table that fits its terminal has room for a few words; each once, however
  /// many surfaces it cost.
  private func tellFailures(on console: Console) {
    var told: [EngagementError] = []
    for row in rows {
      guard var error = row.outcome.error else { continue }
      error.provider = row.provider
      guard !told.contains(error) else { continue }
      told.append(error)
      console.failure(error)
      // What was not asked of the vendor has no cause there.
      if [.unauthenticated, .permissionDenied, .notFound].contains(error.code),
        error.underlying != nil, !row.isCredentialExplained
      {
        console.note(row.provider.advice(on: error))
      }
    }
  }
}

extension ProviderID {
  /// What to do about a vendor that does not take the configuration.
  fileprivate func advice(on error: EngagementError) -> Phrase {
    let containers = error.code == .notFound ? ", and its containers" : ""
    return """
      Check the endpoint, the key and the ids of providers.\(rawValue) in engage.json\(containers).
      """
  }
}

extension SyncReport.Row {
  fileprivate var told: String {
    guard setAside > 0 else { return "" }
    return "\(setAside == 1 ? "1 item" : "\(setAside) items") could not be read"
  }
}

extension EngageConfiguration {
  /// Providers that have pending actions and are not in the configuration.
  func missing(in pending: [ProviderID: Int]) -> [ProviderID: Int] {
    let known = Set(providers.map(\.id))
    return pending.filter { $0.value > 0 && !known.contains($0.key) }
  }
}

extension ProviderID {
  /// What is said of a provider that is not in the configuration and has pending actions.
  func missing(with count: Int) -> Phrase {
    """
    \(rawValue): \(count == 1 ? "1 action waits" : "\(count) actions wait"), and engage.json has no \
    such provider. Put it back, or see "engage outbox".
    """
  }
}

extension Engagement.ProviderOutcome {
  /// Says how to sign in, where a vendor answers signed-in users alone.
  fileprivate mutating func tellSignIn() {
    guard var error, error.code == .signedOut else { return }
    error.message = "No user is signed in; run \"engage signin USER\"."
    if case .stale(let age, _) = self { self = .stale(age: age, error) }
    if case .failed = self { self = .failed(error) }
  }

  /// Why nothing came, without what changes while that lasts; nil where the vendor was reached.
  fileprivate var trouble: String? {
    switch self {
    case .fresh, .notModified: nil
    case .throttled, .stale, .failed, .unsupported: told.word + (error?.code.rawValue ?? "")
    }
  }
}
