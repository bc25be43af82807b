import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform
import EngagementStore

extension Presentations {
  typealias Queue = PresentationQueue

  /// Does everything that can be done now.
  func takeTurn() async -> Later {
    await turn.lock()
    defer { turn.unlock() }
    var later = Later(nap: Self.longestNap)
    do throws(EngagementError) {
      let partition = dependencies.currentUser.userSession.partition
      if let former = state.withLock(\.partition), former != partition { await clear() }
      state.withLock { $0.partition = partition }
      let news = takeNews()
      try await handle(news, of: partition)
      await notePresenting()
      var new = try await dependencies.store.queuedCampaigns(
        of: partition, after: state.withLock(\.newest))
      for row in new where isLeftPreview(row) && !row.isPresented {
        try await end(
          row, in: partition, recording: records.dropped(row, reason: "discarded"))
      }
      new.removeAll { isLeftPreview($0) && !$0.isPresented }
      // Their presenter was gone with its process.
      for row in new where row.isPresented && live(row.id) == nil {
        try await end(row, in: partition, recording: records.dismissed(row))
      }
      let plans = plans()
      let steps = state.withLock { state in
        state.add(new, templates) + state.queue.leave { !plans.lead(to: $0, for: .templates) }
      }
      try await perform(steps, of: partition, &later)
      try await advance(partition, news.prepared, &later)
      if news.hasNewLists { try await prefetch(for: partition, &later) }
      later.nap = nap
    } catch {
      // Another process may have erased or purged the user, and is followed soon.
      if error.code != .notFound {
        dependencies.log(.error, "Campaigns wait until the cache can be used: \(error.code)")
      }
      later.nap = .seconds(1)
    }
    return later
  }

  // MARK: Reports

  private func handle(_ news: News, of partition: Partition) async throws(EngagementError) {
    state.withLock { state in
      if let mode = news.mode { state.queue.setMode(Queue.Mode(mode)) }
      if let isForeground = news.isForeground { state.queue.setForeground(isForeground) }
    }
    for (index, report) in news.reports.enumerated() {
      do throws(EngagementError) {
        try await handle(report, of: partition)
      } catch {
        putBack(news.reports[index...])
        throw error
      }
    }
  }

  private func handle(
    _ report: Presentation.Report, of partition: Partition
  ) async throws(EngagementError) {
    switch report {
    case .presented(let id): try await presented(id, of: partition)
    case .dismissed(let id): try await dismissed(id, of: partition)
    case .triggered(let id, let action): try await trigger(action, of: id, in: partition)
    }
  }

  private func presented(
    _ id: QueuedCampaign.ID, of partition: Partition
  ) async throws(EngagementError) {
    guard let row = live(id) else { return warn("presented", id) }
    let showing = try await showing(of: row, to: partition)
    let isNew = try await dependencies.store.presentCampaign(
      id, counts: !row.isFirst, in: sessions.session(for: row.provider)?.id, showing: showing,
      of: partition, at: dependencies.clock.now, recording: records.presented(row))
    state.withLock { _ = $0.queue.presented(id) }
    guard let isNew else { return warn("presented again", id) }
    await dependencies.commitPublisher.publish(CommitReport(isNew), of: partition)
  }

  private func dismissed(
    _ id: QueuedCampaign.ID, of partition: Partition
  ) async throws(EngagementError) {
    guard live(id) != nil else { return warn("dismissed", id) }
    var later = Later(nap: .zero)
    let steps = state.withLock { $0.queue.end(id, otherwise: .skipped) }
    try await perform(steps, of: partition, &later)
  }

  /// The row of what a presenter has; nil if it has ended.
  func live(_ id: QueuedCampaign.ID) -> QueuedCampaign? {
    state.withLock { state in state.presentations[id].flatMap { _ in state.rows[id] } }
  }

  private func warn(_ what: String, _ id: QueuedCampaign.ID) {
    dependencies.log(
      .warning, "A presenter reported as \(what) what had ended or was counted: \(id).")
  }

  // MARK: Steps

  private func advance(
    _ partition: Partition, _ prepared: [(id: QueuedCampaign.ID, outcome: Preparation)],
    _ later: inout Later
  ) async throws(EngagementError) {
    let now = Queue.Now(date: dependencies.clock.now, uptime: dependencies.clock.uptime)
    for (id, outcome) in prepared {
      let caps = try await caps(of: partition)
      try await holdBack(caps.rules, in: partition)
      let steps = state.withLock { state -> [Queue.Step] in
        switch outcome {
        case .ready: return state.queue.prepared(id, at: now) { caps.allow(state.rows[$0.id]) }
        case .missing: return state.queue.end(id, otherwise: .skipped)
        case .postponed:
          state.queue.postpone(id)
          return []
        }
      }
      try await perform(steps, of: partition, &later, skipping: "file")
    }
    // A presentation changes what the next one may do, so each begins with new counts.
    while true {
      let caps = try await caps(of: partition)
      try await holdBack(caps.rules, in: partition)
      let steps = state.withLock { state in
        state.queue.next(at: now) { caps.allow(state.rows[$0.id]) }
      }
      guard !steps.isEmpty else { return }
      try await perform(steps, of: partition, &later)
    }
  }

  private func perform(
    _ steps: [Queue.Step], of partition: Partition, _ later: inout Later,
    skipping reason: String = "presenter"
  ) async throws(EngagementError) {
    for step in steps {
      switch step {
      case .prepare(let entry): try await prepare(entry, of: partition, &later)
      case .present(let entry): try await present(entry, of: partition, &later)
      case .close(let entry): close(entry)
      case .report(let entry):
        dependencies.log(
          .warning, "The template \(entry.template) is visible for long; nothing else is shown.")
      case .end(let entry, let ending):
        try await end(entry, ending, skipping: reason, in: partition)
      }
    }
  }

  private func prepare(
    _ entry: Queue.Entry, of partition: Partition, _ later: inout Later
  ) async throws(EngagementError) {
    guard let row = state.withLock({ $0.rows[entry.id] }) else { return }
    guard let template = templates.template(entry.template, of: row.provider) else {
      let steps = state.withLock { $0.queue.end(entry.id, otherwise: .skipped) }
      return try await perform(steps, of: partition, &later, skipping: "undefined")
    }
    let sources = KeptFiles.sources(in: row.campaign, for: template.template)
    guard sources.isEmpty else {
      return later.tasks.append(.prepare(row.id, sources, partition))
    }
    let now = Queue.Now(date: dependencies.clock.now, uptime: dependencies.clock.uptime)
    let caps = try await caps(of: partition)
    let steps = state.withLock { state in
      state.queue.prepared(entry.id, at: now) { caps.allow(state.rows[$0.id]) }
    }
    try await perform(steps, of: partition, &later)
  }

  private func present(
    _ entry: Queue.Entry, of partition: Partition, _ later: inout Later
  ) async throws(EngagementError) {
    guard let row = state.withLock({ $0.rows[entry.id] }),
      let template = templates.template(entry.template, of: row.provider)
    else { return }
    guard
      try await dependencies.store.handOverCampaign(
        entry.id, count: entry.handOvers - 1, of: partition)
    else {
      // Another process has it.
      return state.withLock { state in
        _ = state.queue.end(entry.id, otherwise: .skipped)
        state.rows[entry.id] = nil
      }
    }
    let values = TemplateValues(template.template, filledWith: row.campaign.arguments) {
      files.path(of: $0, for: partition)
    }
    let presentation = Presentation(
      id: row.id, campaign: row.campaign.id, template: template.template, values: values
    ) { [weak self] in self?.report($0) }
    state.withLock { $0.presentations[row.id] = presentation }
    guard !hand(presentation, to: template) else { return }
    let steps = state.withLock { $0.queue.end(entry.id, otherwise: .skipped) }
    try await perform(steps, of: partition, &later)
  }

  /// False if the presenter failed.
  private func hand(_ presentation: Presentation, to template: PresentedTemplate) -> Bool {
    do {
      switch template.presenter {
      case .template(let presenter): try presenter.present(presentation)
      case .function(let presenter): try presenter.run(presentation)
      }
      return true
    } catch {
      // The application's own error: its text may have content.
      dependencies.log(
        .warning, "The presenter of \(template.template.name) failed: \(type(of: error))")
      return false
    }
  }

  private func close(_ entry: Queue.Entry) {
    let (row, presentation) = state.withLock { ($0.rows[entry.id], $0.presentations[entry.id]) }
    guard let row, let presentation else { return }
    close(presentation, of: row.provider)
  }

  func close(_ presentation: Presentation, of provider: ProviderID) {
    switch templates.template(presentation.template.name, of: provider)?.presenter {
    case .template(let presenter)?: presenter.close(presentation)
    case .function(let presenter)?: presenter.close(presentation)
    case nil: break
    }
  }

  private func end(
    _ entry: Queue.Entry, _ ending: Queue.Ending, skipping reason: String, in partition: Partition
  ) async throws(EngagementError) {
    guard let row = state.withLock({ $0.rows[entry.id] }) else { return }
    let record =
      ending == .presented
      ? records.dismissed(row) : records.dropped(row, reason: ending.reason ?? reason)
    try await end(row, in: partition, recording: record)
  }

  func end(
    _ row: QueuedCampaign, in partition: Partition,
    recording record: @escaping Store.CampaignIntentMaker
  ) async throws(EngagementError) {
    state.withLock { state in
      state.rows[row.id] = nil
      state.presentations[row.id] = nil
    }
    let acceptance = try await dependencies.store.endCampaign(
      row.id, of: partition, at: dependencies.clock.now, recording: record)
    if let acceptance {
      await dependencies.commitPublisher.publish(CommitReport(acceptance), of: partition)
    }
  }

  /// Fetches the files of the campaigns that may become due. While nothing is presented, the next turn
  /// in which something may be does that.
  private func prefetch(
    for partition: Partition, _ later: inout Later
  ) async throws(EngagementError) {
    guard state.withLock(\.queue.mode) == .running else { return noteNewLists() }
    var sources: [String: KeptFiles.Source] = [:]
    let plans = plans()
    for provider in dependencies.providers
    where provider.adapter.capabilities.ability(.campaigns).travel != .unsupported
      && plans.lead(to: provider.id, for: .templates)
    {
      let campaigns = try await dependencies.store.campaigns(
        in: FeedKey(provider.id, .campaigns), of: partition, at: dependencies.clock.now
      ).items
      for campaign in campaigns {
        guard let template = templates.template(campaign.template, of: provider.id) else {
          continue
        }
        for source in KeptFiles.sources(in: campaign, for: template.template) {
          sources[source.url] = sources[source.url] ?? source
        }
      }
    }
    guard !sources.isEmpty else { return }
    prefetches.withLock { $0 += 1 }
    later.tasks.append(.prefetch(sources.values.sorted { $0.url < $1.url }, partition))
  }

  /// The time until something is due, expires or is visible for too long.
  private var nap: Duration {
    let (dates, uptime) = state.withLock {
      ([$0.queue.nextTime, $0.nextRelease], $0.queue.nextUptime)
    }
    var nap = Self.longestNap
    if let date = dates.compactMap(\.self).min() {
      nap = min(nap, .seconds(max(0.01, min(60, date.timeIntervalSince(dependencies.clock.now)))))
    }
    if let uptime { nap = min(nap, max(.milliseconds(10), uptime - dependencies.clock.uptime)) }
    return nap
  }

  // MARK: Users

  /// Takes away what is visible and drops what waits, because its user leaves. What the next user
  /// adopts stays in the cache.
  func leave(_ former: Partition, keeping adopters: Set<ProviderID> = []) async {
    guard isNeeded else { return }
    await turn.lock()
    defer { turn.unlock() }
    await clear()
    do throws(EngagementError) {
      for row in try await dependencies.store.queuedCampaigns(of: former, after: 0)
      where !adopters.contains(row.provider) {
        let record: Store.CampaignIntentMaker =
          row.isPresented ? records.dismissed(row) : records.dropped(row, reason: "discarded")
        try await end(row, in: former, recording: record)
      }
    } catch {
      // Another process has erased the user with all campaigns.
      guard error.code != .notFound else { return }
      dependencies.log(.error, "A user's campaigns stay in the cache: \(error.code)")
    }
  }

  /// Takes away what is visible of a user who is erased.
  func forget(_ erased: Partition) async {
    await turn.lock()
    defer { turn.unlock() }
    if state.withLock(\.partition) == erased { await clear() }
  }

  /// Takes away what is visible and forgets the rest. The cache keeps it.
  private func clear() async {
    let (rows, presentations, steps) = state.withLock { state in
      (state.rows, state.presentations, state.removeAll())
    }
    for case .close(let entry) in steps {
      if let row = rows[entry.id], let presentation = presentations[entry.id] {
        close(presentation, of: row.provider)
      }
    }
  }
}

extension PresentationQueue.Mode {
  fileprivate init(_ mode: PresentationMode) {
    self =
      switch mode {
      case .running: .running
      case .suspended: .suspended
      case .discarding: .discarding
      }
  }
}

extension PresentationQueue.Ending {
  /// The reason in the ledger; nil for what its presenter or its files decide.
  fileprivate var reason: String? {
    switch self {
    case .presented, .skipped: nil
    case .expired: "expired"
    case .capped: "capped"
    case .discarded: "discarded"
    case .unrouted: "route"
    }
  }
}
