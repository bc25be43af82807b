package import EngagementAdapterAPI
import EngagementJSON
package import EngagementModel
import EngagementPlatform

extension Tables {
  /// Records what became of a file, for the application and for a vendor that wants to know it.
  mutating func record(
    _ upload: Operation.Upload, _ state: Operation.Upload.State, of provider: ProviderID,
    in partition: Partition.ID, at now: Date, _ summary: inout TransactionSummary,
    on database: inout Database
  ) throws(EngagementError) {
    guard let owner = try partitions.find(partition, on: &database), owner.consent != .denied
    else { return }
    let event = EngagementEvent(
      id: eventID(at: now), kind: .upload, time: now.writable, zoneOffset: options.zoneOffset(),
      provider: provider, item: upload.item, properties: upload.properties(in: state))
    _ = try ledger.append(event, of: partition, on: &database)
    let isTaken = options.adapters[provider]?.capabilities.eventKinds.contains(.upload) ?? false
    guard isTaken else { return }
    let delivery = Intent.Delivery(to: provider, .event(event), key: operationKey())
    try insert(delivery, in: owner.partition, at: now, &summary, on: &database)
  }

  /// Ends what waits for a file that did not arrive: the submission that names it, and its other files.
  mutating func endSubmission(
    of upload: Operation.Upload, in row: StoredRow, _ ending: Ending, at now: Date,
    _ summary: inout TransactionSummary, on database: inout Database
  ) throws(EngagementError) {
    let end: Ending
    switch ending {
    case .rejected(let error): end = .rejected(.lostFile(upload, error.code, error.message))
    case .expired:
      end = .rejected(
        .lostFile(upload, .deadlineExceeded, "The vendor could not be reached in time."))
    case .wiped: end = .wiped
    case .delivered, .kept, .evicted: return
    }
    if end != .wiped {
      try record(
        upload, .failed, of: row.provider, in: row.partition, at: now, &summary, on: &database)
    }
    let submission = try outbox.row(
      called: upload.submission, for: row.provider, on: &database)
    guard let submission, submission.id > row.id else { return }
    // They were accepted together, the files first.
    for id in row.id + 1..<submission.id {
      guard let other = try outbox.row(id, on: &database),
        case .operation(.upload(let another))? = try? other.work(),
        another.submission == upload.submission
      else { continue }
      try self.end(other, end, at: now, &summary, on: &database)
    }
    try self.end(submission, end, at: now, &summary, on: &database)
  }

  /// Drops the files of a submission that is dropped. They were accepted with it, just before it.
  mutating func endFiles(
    of submission: OperationKey?, before id: OutboxRow.ID, at now: Date,
    _ summary: inout TransactionSummary, on database: inout Database
  ) throws(EngagementError) {
    var last = id - 1
    while let row = try outbox.row(last, on: &database), last > id - Self.mostFiles {
      last -= 1
      guard case .operation(.upload(let upload))? = try? row.work(),
        upload.submission == submission
      else { continue }
      try end(row, .wiped, at: now, &summary, on: &database)
    }
  }

  /// More rows than the files of a form have: each has one, and another one for its event.
  private static let mostFiles: Int64 = 100

  /// Drops a submission of the item that was never sent, with its files; false if there is none.
  mutating func cancelSubmission(
    of item: ItemID, in partition: Partition, at now: Date, _ summary: inout TransactionSummary,
    on database: inout Database
  ) throws(EngagementError) -> Bool {
    var (files, submissions): ([StoredRow], [StoredRow]) = ([], [])
    try eachRow(of: partition, for: item.provider, on: &database) {
      (_, row, _) throws(EngagementError) in
      guard row.isSound(for: partition), let work = try? row.work(), work.item?.id == item else {
        return
      }
      switch work {
      case .operation(.upload): files.append(row)
      case .operation(.act(.submit, _)) where row.progress.attempts == 0: submissions.append(row)
      case .operation, .event: break
      }
    }
    // Without a submission to cancel, one is being sent, and its files have arrived.
    guard !submissions.isEmpty else { return false }
    for row in files + submissions {
      try end(row, .wiped, at: now, &summary, on: &database)
    }
    return true
  }
}

extension Operation {
  /// Reads the body of a row; nil for one that cannot be read.
  init?(storedBody body: [UInt8]) {
    guard case .operation(let operation)? = try? StoredRow.work(StoredRow.operationKind, body)
    else { return nil }
    self = operation
  }
}

extension Operation.Upload {
  /// What an application may know of the file.
  var properties: JSONObject {
    var properties: JSONObject = [
      "fileName": .string(fileName), "contentType": .string(contentType),
      "byteCount": .integer(Int64(byteCount)),
    ]
    properties["bucket"] = bucket.map(JSON.string)
    return properties
  }

  /// What becomes of a file. The names are those of an event's properties.
  package enum State: String, CaseIterable {
    case started, completed, failed

    /// What an event about a file tells; nil if it tells none of these.
    package init?(of event: EngagementEvent) {
      let state = Self.allCases.first { event.properties[$0.rawValue] == true }
      guard let state else { return nil }
      self = state
    }
  }

  /// The properties of an event about the file: what it is, and what has become of it.
  package func properties(in state: State) -> JSONObject {
    var properties = properties
    properties[state.rawValue] = true
    return properties
  }
}

extension EngagementError {
  fileprivate static func lostFile(
    _ upload: Operation.Upload, _ code: Code, _ reason: String
  ) -> EngagementError {
    EngagementError(
      code, "Its file \(upload.fileName) did not arrive, so it was not sent. \(reason)",
      provider: upload.item.id.provider, operation: Operation.Verb.upload.rawValue)
  }
}
