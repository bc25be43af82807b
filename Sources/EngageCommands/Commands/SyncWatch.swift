import EngagementKit
import EngagementModel
import EngagementPlatform

/// Syncs again and again, and tells what has changed, until the task is cancelled.
///
/// Between two refreshes it tells what live channels bring, as soon as the cache has it.
struct SyncWatch: Sendable {
  let engagement: Engagement
  let configuration: EngageConfiguration
  /// How long it waits after a refresh.
  let pause: Duration
  /// What the first refresh fetches; others fetch what has changed.
  let extent: Engagement.RefreshExtent
  let live: LiveNotes
  let invocation: Invocation

  private var console: Console { invocation.console }
  private var clock: any EngagementClock { invocation.context.clock }

  /// How often it looks whether it is still read.
  private static let tick = Duration.seconds(1)
  /// The least time between two looks at what live channels bring.
  private static let rest = Duration.milliseconds(200)

  /// What was told so far.
  private struct Told {
    var user: User
    let notes: CampaignNotes
    var report: SyncReport?
    var failures: [EngagementError] = []
    var pauses: [ProviderID: Date] = [:]
    /// Whose live channel is lost, and whether it was said since what is wrong with the credential.
    var polled: [ProviderID: Bool] = [:]
  }

  func run() async throws -> ExitStatus {
    let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let next = Locked(clock.uptime)
    let notes = try invocation.campaignNotes(configuration)
    wake.yield()
    live.onNews { wake.yield() }
    defer { live.onNews {} }
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      for container in configuration.shownContainers {
        group.addTask { await observe(container, wake) }
      }
      group.addTask { await keepTime(until: next, wake) }
      var told = Told(user: engagement.user, notes: notes)
      for await _ in wakes {
        guard console.terminal.hasReader() else { throw OutputError.closedPipe }
        tellLive(&told)
        if clock.uptime < next.withLock(\.self) {
          try tellCards(&told)
          // A vendor that never pauses must not keep a core busy.
          await clock.sleep(until: clock.uptime + Self.rest)
        } else {
          guard try await sync(&told) else { return }
          next.withLock { $0 = clock.uptime + pause }
        }
      }
    }
    return .done
  }

  // MARK: What wakes it

  /// Observes a container, so that live channels bring its cards.
  private func observe(
    _ container: ContainerID, _ wake: AsyncStream<Void>.Continuation
  ) async {
    let options = Engagement.CardOptions(includesControl: true)
    while !Task.isCancelled {
      for await _ in engagement.cardUpdates(in: container, options: options) { wake.yield() }
      // The updates end when the user signs out, also by another process.
      await clock.sleep(until: clock.uptime + Self.tick)
    }
  }

  private func keepTime(
    until next: Locked<Duration>, _ wake: AsyncStream<Void>.Continuation
  ) async {
    while !Task.isCancelled {
      let (now, end) = (clock.uptime, next.withLock(\.self))
      let tick = now + Self.tick
      await clock.sleep(until: end > now ? min(end, tick) : tick)
      wake.yield()
    }
  }

  // MARK: What it tells

  /// Tells which live channels were lost or are back, and what to do if a credential is why.
  ///
  /// A credential that is refused only while the vendor is polled is told then, once.
  private func tellLive(_ told: inout Told) {
    for (provider, news) in live.take() {
      switch news {
      case .polls(let interval, let wasOpen):
        let what = wasOpen ? "the live channel is lost" : "there is no live channel"
        console.note(
          "\(provider): \(what); it is polled every \(interval.components.seconds) s until it is back."
        )
        told.polled[provider] = false
      case .isBack:
        told.polled[provider] = nil
        console.note("\(provider): the live channel is back; polling has ended.")
      }
    }
    for (provider, isTold) in told.polled where !isTold {
      let complaint = invocation.credentials.complaint(
        at: provider, isRefused: live.hasRefused(provider))
      guard let complaint else { continue }
      told.polled[provider] = true
      console.note("\(complaint.text)")
    }
  }

  /// Refreshes and tells everything once, and then what is new. False if the task was cancelled.
  private func sync(_ told: inout Told) async throws -> Bool {
    let extent = told.report == nil ? extent : .changes
    do {
      try await adoptUser(&told)
      let report = try await console.progress(SyncReport.progress) {
        try await SyncReport.make(engagement, configuration, extent, in: invocation)
      }
      if let error = report.rows.compactMap(\.outcome.error).first(where: \.isOfReplacedCache) {
        throw error
      }
      try report.news(since: told.report).print(on: console, titled: told.report == nil)
      if let former = told.report {
        for surface in [Surface.cards, .inbox] {
          try tell(from: former.items(of: surface), to: report.items(of: surface))
        }
      }
      told.failures = try await invocation.syncCampaigns(
        of: engagement, configuration, extent, told.notes, known: told.failures)
      told.pauses = try await invocation.tellPauses(of: engagement, known: told.pauses)
      told.report = report
      return true
    } catch is CancellationError {
      return false
    }
  }

  /// Another process may have changed the user, and only this one knows the configuration's token.
  private func adoptUser(_ told: inout Told) async throws {
    guard engagement.user != told.user else { return }
    told.user = engagement.user
    guard !told.user.isAnonymous else { return }
    try await engagement.signIn(
      told.user, credentials: invocation.credentials.source(of: told.user, in: configuration))
  }

  /// Tells which cards have changed since they were told.
  private func tellCards(_ told: inout Told) throws {
    guard var report = told.report else { return }
    let former = report.items(of: .cards)
    let cards = SyncReport.shownCards(of: engagement, configuration)
    for index in report.rows.indices where report.rows[index].surface == .cards {
      report.rows[index].note(cards, titles: WatchedItem.title(of:))
    }
    try tell(from: former, to: report.items(of: .cards))
    told.report = report
  }

  private func tell(
    from former: [ItemID: WatchedItem], to items: [ItemID: WatchedItem]
  ) throws(OutputError) {
    let ids = Set(former.keys).union(items.keys)
    let short = ShortIDs(Array(ids))
    for id in ids.sorted(by: { $0.description < $1.description }) {
      let (old, new) = (former[id], items[id])
      guard old != new, let title = new?.title ?? old?.title else { continue }
      let word = old == nil ? "new" : new == nil ? "gone" : "changed"
      try console.line("  \(word): \(short.text(of: id), .cyan)  \(title, .bold)")
      try console.object(id.object(with: ["outcome": .string(word), "title": .string(title)]))
    }
  }
}

/// An item as it was told.
struct WatchedItem: Hashable, Sendable {
  var title: String
  /// Differs where what is seen does.
  var look: Int

  static func items<Item: Hashable & Identifiable>(
    _ items: [Item], titles title: (Item) -> String?
  ) -> [ItemID: WatchedItem] where Item.ID == ItemID {
    Dictionary(
      items.map { ($0.id, WatchedItem(title: title($0) ?? "", look: $0.hashValue)) },
      uniquingKeysWith: { first, _ in first })
  }

  static func title(of card: Card) -> String? { card.title ?? card.text ?? card.imageAlt }

  static func title(of message: InboxMessage) -> String? { message.subject ?? message.text }
}

extension SyncReport {
  /// The items of every provider.
  fileprivate func items(of surface: Surface) -> [ItemID: WatchedItem] {
    rows.filter { $0.surface == surface }
      .reduce(into: [:]) { items, row in items.merge(row.items) { first, _ in first } }
  }
}
