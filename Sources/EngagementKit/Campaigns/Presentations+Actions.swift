import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform
import EngagementStore

extension Presentations {
  /// Tells the vendor of the click, and does what the campaign chose for the action.
  func trigger(
    _ name: String, of id: QueuedCampaign.ID, in partition: Partition
  ) async throws(EngagementError) {
    guard let row = live(id), let presentation = state.withLock({ $0.presentations[id] }) else {
      return dependencies.log(
        .warning, "A presenter triggered the action \(name) of a template that it had dismissed.")
    }
    guard let action = presentation.values.action(name) else {
      return dependencies.log(
        .warning,
        "A presenter triggered \(name), to which \(presentation.template.name) gives no action here.",
        row.provider)
    }
    try await record(
      records.clicked(row, button: action.button ?? name), in: partition)
    switch action {
    case .close: close(presentation, of: row.provider)
    case .keyValues(let values): options.takeKeyValues(values)
    case .openURL(let url):
      guard options.links.allows(url) else {
        return try await refuse(name, of: row, "link", in: partition)
      }
      options.openURL(url)
    case .function(let function, let arguments):
      try await call(function, arguments, as: name, of: row, in: partition)
    }
  }

  private func call(
    _ function: String, _ arguments: JSONObject, as action: String, of row: QueuedCampaign,
    in partition: Partition
  ) async throws(EngagementError) {
    guard let template = templates.template(function, of: row.provider),
      template.template.kind == .function
    else { return try await refuse(action, of: row, "undefined", in: partition) }
    var campaign = row.campaign
    campaign.template = function
    campaign.arguments = arguments
    // The turn that follows takes it from the cache.
    let called = try await dependencies.store.queueCampaign(
      campaign, from: row.provider, isFirst: true, expiresAt: row.expiresAt, of: partition,
      at: dependencies.clock.now)
    state.withLock { state in
      if state.previews.contains(row.id) { state.previews.insert(called.id) }
    }
    signal.fire()
  }

  private func refuse(
    _ action: String, of row: QueuedCampaign, _ reason: String, in partition: Partition
  ) async throws(EngagementError) {
    try await record(records.refused(row, action: action, reason: reason), in: partition)
  }

  private func record(
    _ maker: @escaping Store.CampaignIntentMaker, in partition: Partition
  ) async throws(EngagementError) {
    let acceptance = try await dependencies.store.accept(in: partition, at: dependencies.clock.now)
    {
      (consent, _) throws(EngagementError) in maker(consent)
    }
    await dependencies.commitPublisher.publish(CommitReport(acceptance), of: partition)
  }
}

extension Presentations {
  /// The id of what previews show.
  private static let previewID = "preview"

  /// Whether somebody wanted to see it in a process that has ended.
  func isLeftPreview(_ row: QueuedCampaign) -> Bool {
    row.isFirst && row.campaign.id.value == Self.previewID
      && !state.withLock { $0.previews.contains(row.id) }
  }

  /// How long a preview may wait.
  private static let previewTime: Double = 3_600

  /// Queues what the application wants to see, before everything else.
  func preview(
    _ name: String, of provider: Provider, with arguments: JSONObject
  ) async throws(EngagementError) {
    guard let template = templates.template(name, of: provider.id)?.template else {
      throw EngagementError(
        .notFound, "No template \"\(name)\" was defined when the engagement was opened.",
        provider: provider.id)
    }
    try template.check(arguments)
    var campaign = Campaign(
      ItemID(provider.id, Self.previewID), vendor: provider.adapter.vendor, template: name)
    campaign.arguments = arguments
    let now = dependencies.clock.now
    // A turn takes it for that of an earlier process before its id is noted.
    await turn.lock()
    defer { turn.unlock() }
    let row = try await dependencies.store.queueCampaign(
      campaign, from: provider.id, isFirst: true,
      expiresAt: now.addingTimeInterval(Self.previewTime),
      of: dependencies.currentUser.userSession.partition, at: now)
    state.withLock { _ = $0.previews.insert(row.id) }
    signal.fire()
  }
}

extension TemplateAction {
  /// The function that it calls, by which the vendor knows the click; nil for the argument's name.
  fileprivate var button: String? {
    switch self {
    case .function(let name, _): name
    case .close, .openURL, .keyValues: nil
    }
  }
}
