import EngagementAdapterAPI
import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementPlatform

/// A row of the outbox as it is in the file.
///
/// Nothing in it is trusted before `isSound(for:)`: a disk may flip any bit of any column.
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
  /// 1 for a row that may be evicted.
  var analytics: Int64
  var accepted: Int64
  var progress = Progress()
  /// The checksum in the file.
  var seal: UInt64 = 0
  /// The size of a new row's file.
  var fileSize = 0

  /// The columns that an attempt changes. Their sum is added to that of the rest, so that the
  /// checksum can be updated without reading the body.
  struct Progress: Hashable {
    var attempts: Int64 = 0
    /// In milliseconds.
    var waited: Int64 = 0
    var batch: Int64?
    var batchKey: [UInt8]?

    fileprivate var sum: UInt64 {
      var checksum = RowChecksum(reservingCapacity: 64)
      checksum.add(attempts)
      checksum.add(waited)
      checksum.add(batch == nil ? 0 : 1)
      checksum.add(batch ?? 0)
      if let batchKey { checksum.add(batchKey) }
      return checksum.value
    }
  }

  static let operationKind = "operation"
  static let eventKind = "event"
  /// An operation that has a file.
  static let uploadKind = "upload"

  var isAnalytics: Bool { analytics == 1 }

  /// The bytes that count towards the limit.
  var size: Int { body.count + (action?.count ?? 0) + fileSize }
}

extension StoredRow {
  /// The checksum of the row as a row of that user.
  func checksum(for owner: Partition) -> UInt64 {
    var checksum = RowChecksum(reservingCapacity: size - fileSize + 256)
    checksum.add(key)
    checksum.add(owner.environment)
    checksum.add(owner.user.stored)
    checksum.add(provider.rawValue)
    checksum.add(kind)
    checksum.add(body)
    checksum.add(action)
    checksum.add(event)
    checksum.add(surface.map { Array($0.utf8) })
    checksum.add(analytics)
    checksum.add(accepted)
    return checksum.value &+ progress.sum
  }

  func isSound(for owner: Partition) -> Bool {
    partition == owner.id && seal == checksum(for: owner)
  }

  /// The checksum after a change of progress; a wrong one stays wrong.
  static func checksum(_ seal: UInt64, from old: Progress, to new: Progress) -> UInt64 {
    seal &- old.sum &+ new.sum
  }

  /// The row's contents. Throws for a body that a newer release wrote, or that cannot be read.
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
    case operationKind, uploadKind: return .operation(try Operation(json: json))
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
  /// The reason with which a damaged row ends.
  static let damagedRow = EngagementError(.storage, "damaged", underlying: "seal")

  fileprivate static let unreadableRow = EngagementError(
    .storage, "damaged", underlying: "body")
}
