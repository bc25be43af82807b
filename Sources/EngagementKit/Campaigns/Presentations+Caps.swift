import EngagementAdapterAPI
import EngagementFormats
import EngagementModel
import EngagementPlatform
import EngagementStore

/// Whether a campaign may be presented now.
struct PresentationCaps {
  /// What the vendors' own caps depend on.
  let tallies: [ProviderID: CampaignTally]
  let moment: CampaignMoment
  /// The application's own; nil without any.
  var rules: CapRules?

  /// Whether the vendor's caps allow it. What an action called is always allowed.
  func allow(_ row: QueuedCampaign?) -> Bool {
    guard let row else { return false }
    guard !row.isFirst, let tally = tallies[row.provider] else { return true }
    return tally.allows(row.campaign, at: moment)
  }
}

extension Presentations {
  /// The counts and clocks as they are now.
  func caps(of partition: Partition) async throws(EngagementError) -> PresentationCaps {
    let ids = dependencies.providers.map { ($0.id, sessions.session(for: $0.id)?.id) }
    var caps = PresentationCaps(
      tallies: try await dependencies.store.campaignTallies(
        of: partition, in: Dictionary(ids) { first, _ in first }.compactMapValues(\.self)),
      moment: CampaignMoment(
        dependencies.clock.now, zoneOffset: dependencies.device().zoneOffset))
    guard !options.caps.isEmpty else { return caps }
    let (day, moment) = try await countedDay(of: partition)
    caps.rules = CapRules(
      caps: options.caps,
      counts: try await dependencies.store.showingCounts(
        of: partition, on: .templates, day: day.number, in: kitSession),
      day: day, moment: moment)
    return caps
  }

  /// What counts once the campaign is presented; nil if nothing does.
  func showing(
    of row: QueuedCampaign, to partition: Partition
  ) async throws(EngagementError) -> CountedShowing? {
    guard options.caps.counts, isCapped(row) else { return nil }
    let day = try await countedDay(of: partition).day
    return CountedShowing(of: key(of: row), on: .templates, day: day.number, in: kitSession)
  }

  /// Caps count in the kit's own session, which is the same for every vendor.
  private var kitSession: SessionID? { sessions.session(for: KitState.owner)?.id }

  /// Whether it interrupts the user, and not because the user or the application asked for it.
  private func isCapped(_ row: QueuedCampaign) -> Bool {
    let template = templates.template(row.campaign.template, of: row.provider)?.template
    return !row.isFirst && template?.isVisual ?? true
  }

  /// By what the campaign is the same content as others.
  private func key(of row: QueuedCampaign) -> ContentKey {
    let source = dependencies.contentKeys[row.provider]
    return (try? source?.key(of: row.campaign)) ?? ContentKey(of: row.campaign.id, on: .campaigns)
  }

  // MARK: Days

  private static let dayName = "caps.day"

  /// The present day, in the cache: of several processes and after a restart it is the same one.
  private func countedDay(
    of partition: Partition
  ) async throws(EngagementError) -> (day: CountedDay, moment: CountedDay.Moment) {
    let moment = CountedDay.Moment(
      date: dependencies.clock.now, uptime: dependencies.clock.uptime,
      zoneOffset: dependencies.device().zoneOffset,
      mayFollowStart: !state.withLock(\.hasCountedDays))
    let kept = try await dependencies.store.memory(of: KitState.owner, in: partition)
      .json(.installation, Self.dayName).flatMap(CountedDay.init)
    let day = kept?.day(at: moment) ?? CountedDay(at: moment)
    if day != kept {
      try await KitState(dependencies).keep([Self.dayName: day.json], .installation, in: partition)
    }
    state.withLock { $0.hasCountedDays = true }
    return (day, moment)
  }

  // MARK: Holding back

  private static let heldName = "caps.held"

  /// Holds back or drops what is due and may not be presented now, with an event for each.
  func holdBack(_ rules: CapRules?, in partition: Partition) async throws(EngagementError) {
    guard let rules, state.withLock(\.queue.isPresenting) else { return }
    let rows = state.withLock { state in
      state.queue.due(at: rules.moment.date).compactMap { state.rows[$0.id] }
    }
    var held: [(row: QueuedCampaign, hold: CapRules.Hold)] = []
    for row in rows where isCapped(row) {
      guard let hold = rules.hold(key(of: row)) else { continue }
      if hold.canEnd(under: rules.caps) {
        held.append((row, hold))
      } else {
        state.withLock { $0.queue.drop(row.id) }
        try await end(
          row, in: partition, recording: records.dropped(row, reason: hold.reason.rawValue))
      }
    }
    state.withLock { state in
      state.queue.hold(Set(held.map(\.row.id)))
      state.nextRelease = held.compactMap(\.hold.until).min()
    }
    try await record(held, in: partition)
  }

  /// Records what is held back since the last look, and why.
  private func record(
    _ held: [(row: QueuedCampaign, hold: CapRules.Hold)], in partition: Partition
  ) async throws(EngagementError) {
    var reasons = JSONObject()
    for (row, hold) in held { reasons["\(row.id)"] = .string(hold.reason.rawValue) }
    let json: JSON? = held.isEmpty ? nil : .object(reasons)
    let memory = try await dependencies.store.memory(of: KitState.owner, in: partition)
    guard memory.json(.user, Self.heldName) != json else { return }
    try await dependencies.accept(in: partition, updating: KitState.owner) {
      [records] (consent, memory, _) throws(EngagementError) in
      let known = memory.json(.user, Self.heldName)
      var update = Store.ValueUpdate(())
      update.changes = [KitState.change(.user, Self.heldName, json)]
      for (row, hold) in held where known?["\(row.id)"]?.string != hold.reason.rawValue {
        update.intents += records.held(row, hold)(consent)
      }
      return update
    }
  }
}
