import EngagementAdapterAPI
import EngagementFormats
import EngagementJSON
import EngagementModel
import FoundationEssentials

/// A row of the outbox as the file has it.
///
/// Nothing in it is believed before `isSound(for:)`: a disk may flip any bit of any column.
struct StoredRow {
  var id: Int64 = 0
  var key: [UInt8]
  var partition: Partition.ID
  var provider: ProviderID
  var kind: String
  var body: [UInt8]
  var action: [UInt8]?
  var event: [UInt8]?
  var surface: String?
  /// 1 where it may be evicted.
  var analytics: Int64
  var accepted: Int64
  var progress = Progress()
  /// What the file says that the seal is.
  var seal: UInt64 = 0

  /// What trying changes. It is summed up beside the rest, so that the seal follows a change
  /// without the body being read.
  struct Progress: Hashable {
    var attempts: Int64 = 0
    /// In milliseconds.
    var waited: Int64 = 0
    var batch: Int64?
    var batchKey: [UInt8]?

    fileprivate var sum: UInt64 {
      var seal = Seal(reservingCapacity: 64)
      seal.add(attempts)
      seal.add(waited)
      seal.add(batch == nil ? 0 : 1)
      seal.add(batch ?? 0)
      if let batchKey { seal.add(batchKey) }
      return seal.value
    }
  }

  static let operationKind = "operation"
  static let eventKind = "event"

  var isAnalytics: Bool { analytics == 1 }

  /// How much of the limit it takes.
  var size: Int { body.count + (action?.count ?? 0) }
}

extension StoredRow {
  /// The seal of the row as a row of that user.
  func seal(for owner: Partition) -> UInt64 {
    var seal = Seal(reservingCapacity: size + 256)
    seal.add(key)
    seal.add(owner.environment)
    seal.add(owner.user.stored)
    seal.add(provider.text)
    seal.add(kind)
    seal.add(body)
    seal.add(action)
    seal.add(event)
    seal.add(surface.map { Array($0.utf8) })
    seal.add(analytics)
    seal.add(accepted)
    return seal.value &+ progress.sum
  }

  func isSound(for owner: Partition) -> Bool {
    partition == owner.id && seal == self.seal(for: owner)
  }

  /// The seal after trying changed from one to the other; a wrong one stays wrong.
  static func seal(_ seal: UInt64, from old: Progress, to new: Progress) -> UInt64 {
    seal &- old.sum &+ new.sum
  }

  /// What the row says. Throws for a body that a newer release wrote, or that says nothing.
  func read() throws(EngagementError) -> OutboxRow {
    guard let key = OperationKey(stored: key), let acceptedAt = Epoch.date(milliseconds: accepted)
    else { throw .unreadableRow }
    return OutboxRow(
      id: id, key: key, partition: partition, provider: provider, work: try work(),
      action: try readAction(), acceptedAt: acceptedAt, attempts: Int(progress.attempts),
      waited: .milliseconds(progress.waited), batch: progress.batch,
      batchKey: progress.batchKey.flatMap(OperationKey.init(stored:)))
  }

  func work() throws(EngagementError) -> OutboxRow.Work { try Self.work(kind, body) }

  static func work(
    _ kind: String, _ body: [UInt8]
  ) throws(EngagementError) -> OutboxRow.Work {
    let json = try json(body)
    switch kind {
    case eventKind: return .event(try EngagementEvent(storedJSON: json))
    case operationKind: return .operation(try Operation(json: json))
    default: throw .unreadableRow
    }
  }

  private func readAction() throws(EngagementError) -> ItemAction? {
    guard let action else { return nil }
    return try ItemAction(json: Self.json(action))
  }

  private static func json(_ bytes: [UInt8]) throws(EngagementError) -> JSON {
    do throws(JSONFault) { return try JSON(parsing: bytes) } catch { throw .unreadableRow }
  }
}

extension EngagementError {
  /// Why a row that does not verify is ended.
  static let damagedRow = EngagementError(.storage, "damaged", underlying: "seal")

  fileprivate static let unreadableRow = EngagementError(
    .storage, "damaged", underlying: "body")
}
