import EngagementModel
import EngagementPlatform
import EngagementStore

/// What is queued and presented for one user, in memory.
struct PresentationState: Sendable {
  /// The user whose campaigns they are; nil before the first look into the cache.
  var partition: Partition?
  var queue: PresentationQueue
  /// The queued campaigns that have not ended.
  var rows: [QueuedCampaign.ID: QueuedCampaign] = [:]
  /// Those that a presenter got.
  var presentations: [QueuedCampaign.ID: Presentation] = [:]
  /// What the application wants to see in this process.
  var previews: Set<QueuedCampaign.ID> = []
  /// When something that is held back may be presented; nil for what no clock ends.
  var nextRelease: Date?
  /// Whether this process has counted days: while it runs the machine is not started again.
  var hasCountedDays = false
  /// The newest row that was read.
  var newest: QueuedCampaign.ID = 0

  init(_ options: Options.Presentations) {
    queue = PresentationQueue(isForeground: options.withoutScene, timeLimit: options.timeLimit)
  }

  /// Takes over what the cache has queued since the last look.
  mutating func add(_ new: [QueuedCampaign], _ templates: Templates) -> [PresentationQueue.Step] {
    let isFirstLook = newest == 0
    newest = max(newest, new.last?.id ?? 0)
    for row in new { rows[row.id] = row }
    let entries = new.filter { !$0.isPresented }.map { row in
      PresentationQueue.Entry(row, templates.template(row.campaign.template, of: row.provider))
    }
    guard !isFirstLook else { return queue.restore(entries) }
    for (entry, row) in zip(entries, new.filter { !$0.isPresented }) {
      if row.isFirst && entry.isVisual { queue.addFirst(entry) } else { queue.add(entry) }
    }
    return []
  }

  /// Drops everything from memory, except what the circumstances are.
  mutating func removeAll() -> [PresentationQueue.Step] {
    defer { (rows, presentations, newest, partition, nextRelease) = ([:], [:], 0, nil, nil) }
    return queue.removeAll()
  }
}

extension PresentationQueue.Entry {
  fileprivate init(_ row: QueuedCampaign, _ template: PresentedTemplate?) {
    self.init(
      id: row.id, campaign: row.campaign.id, template: row.campaign.template,
      isVisual: template?.template.isVisual ?? true,
      priority: row.isFirst ? .max : row.campaign.priority ?? 1,
      presentAt: row.presentAt, expiresAt: row.expiresAt, handOvers: row.handOvers)
  }
}
