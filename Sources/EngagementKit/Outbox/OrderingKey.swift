import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// The subject of a row. Rows with the same key reach the vendor in the order in which they were
/// accepted. Rows with different keys do not wait for each other.
enum OrderingKey: Hashable, Sendable {
  case item(ItemID)
  /// Events about no item, by their batch key.
  case events(String)
  /// Requests about the user as a whole, by their verb.
  case requests(Operation.Verb)

  init(_ row: OutboxRow, _ batching: EventBatching) {
    switch row.work {
    case .event(let event): self.init(event, batching)
    case .operation(.act(_, let item)): self = .item(item.id)
    case .operation(.upload(let upload)): self = .item(upload.item.id)
    case .operation(let operation): self = .requests(operation.verb)
    }
  }

  private init(_ event: EngagementEvent, _ batching: EventBatching) {
    self = event.item.map { .item($0.id) } ?? .events(batching.key(of: event))
  }
}

extension OutboxRow {
  /// Whether earlier rows are sent before it and later rows after it, since it changes the user at
  /// the vendor.
  var isBarrier: Bool {
    guard case .operation(let operation) = work else { return false }
    return switch operation {
    case .device, .registerPush, .unregisterPush, .associate, .updatePerson, .optOut, .templates,
      .pushContainers, .vendor:
      true
    case .settings, .cards, .inbox, .message, .person, .metrics, .campaigns, .act, .events, .upload:
      false
    }
  }

  /// The verb that it is sent with.
  var verb: Operation.Verb {
    switch work {
    case .event: .events
    case .operation(let operation): operation.verb
    }
  }

  /// Whether it was tried before, now or in an earlier run.
  var isTried: Bool { attempts > 0 || batch != nil }

  /// The batch in which it was first tried, or itself.
  var label: OutboxRow.ID { batch ?? id }

  /// The row once it is about to be tried.
  func begun(as sent: OutboxBatch) -> OutboxRow {
    with(
      attempts: attempts + 1, waited: waited + sent.waited, batch: sent.batchID,
      batchKey: sent.batchID == nil ? nil : batchKey ?? sent.key)
  }

  /// The row out of its batch.
  var alone: OutboxRow { with(attempts: attempts, waited: waited, batch: nil, batchKey: nil) }

  private func with(
    attempts: Int, waited: Duration, batch: OutboxRow.ID?, batchKey: OperationKey?
  ) -> OutboxRow {
    OutboxRow(
      id: id, key: key, partition: partition, provider: provider, work: work, action: action,
      acceptedAt: acceptedAt, attempts: attempts, waited: waited, batch: batch,
      batchKey: batchKey)
  }
}
