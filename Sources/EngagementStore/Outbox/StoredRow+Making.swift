package import EngagementAdapterAPI
import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementPlatform

extension StoredRow {
  /// The row of a delivery; throws `invalidArgument` for one that could not be read back.
  init(
    _ delivery: Intent.Delivery, undoing action: ItemAction?, in partition: Partition.ID,
    at now: Date
  ) throws(EngagementError) {
    key = delivery.key.stored
    self.partition = partition
    provider = delivery.provider
    analytics = delivery.isAnalytics ? 1 : 0
    accepted = now.storedMilliseconds
    self.action = action.map { $0.json.encoded() }
    switch delivery.work {
    case .event(let event):
      kind = Self.eventKind
      self.event = event.id.stored
      surface = event.item?.surface.rawValue
      body = try event.storedBody()
    case .operation(let operation):
      kind = delivery.file == nil ? Self.operationKind : Self.uploadKind
      fileSize = delivery.file?.count ?? 0
      event = nil
      surface = delivery.work.item?.surface.rawValue
      body = operation.json.encoded()
    }
    try body.requireReadable()
    try self.action?.requireReadable()
  }
}

extension [UInt8] {
  /// Throws `invalidArgument` for JSON that our own reader would refuse, such as a NUL in a text or
  /// values nested too deep. An accepted row must not be lost to it later.
  func requireReadable() throws(EngagementError) {
    guard let fault = RawItem(index: 0, bytes: self[...]).fault else { return }
    throw EngagementError(
      .invalidArgument, "What is to be kept has a text or a value that cannot be.",
      underlying: fault.description)
  }
}

extension OutboxRow.Work {
  /// The item that it is about.
  var item: ItemReference? {
    switch self {
    case .event(let event): event.item
    case .operation(.act(_, let item)): item
    case .operation(.upload(let upload)): upload.item
    case .operation: nil
    }
  }

  /// The verb that names it in an error.
  package var verb: Operation.Verb {
    switch self {
    case .event: .events
    case .operation(let operation): operation.verb
    }
  }
}

extension Date {
  /// The milliseconds since 1970. A time that cannot be written, from a wrong clock, becomes the
  /// nearest that can.
  var storedMilliseconds: Int64 {
    Epoch.milliseconds(of: self)
      ?? (timeIntervalSince1970 > 0 ? Epoch.range.upperBound : Epoch.range.lowerBound)
  }
}

extension Date {
  /// The time itself, or the nearest that can be written.
  var writable: Date { Epoch.date(milliseconds: storedMilliseconds) ?? self }
}
