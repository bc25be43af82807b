import EngagementAdapterAPI
import EngagementFormats
import EngagementJSON
import EngagementModel
import FoundationEssentials

extension StoredRow {
  /// What is kept of a parcel; throws `invalidArgument` for what could not be read back.
  init(
    _ parcel: Intent.Parcel, undoing action: ItemAction?, in partition: Partition.ID, at now: Date
  ) throws(EngagementError) {
    key = parcel.key.stored
    self.partition = partition
    provider = parcel.provider
    analytics = parcel.isAnalytics ? 1 : 0
    accepted = now.storedMilliseconds
    self.action = action.map { $0.json.encoded() }
    switch parcel.work {
    case .event(let event):
      kind = Self.eventKind
      self.event = event.id.stored
      surface = event.item?.surface.text
      body = try event.storedBody()
    case .operation(let operation):
      kind = Self.operationKind
      event = nil
      surface = parcel.work.item?.surface.text
      body = operation.json.encoded()
    }
    try body.requireReadable()
    try self.action?.requireReadable()
  }
}

extension [UInt8] {
  /// Throws `invalidArgument` for JSON of ours that our own reader would refuse: a NUL in a text,
  /// or values in values without end. What is accepted must not be lost to it later.
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
    case .operation: nil
    }
  }

  /// What it is called where it failed.
  var verb: Operation.Verb {
    switch self {
    case .event: .events
    case .operation(let operation): operation.verb
    }
  }
}

extension Date {
  /// The milliseconds since 1970; those of the nearest time that can be written where a clock is
  /// wrong beyond that.
  var storedMilliseconds: Int64 {
    Epoch.milliseconds(of: self)
      ?? (timeIntervalSince1970 > 0 ? Epoch.range.upperBound : Epoch.range.lowerBound)
  }
}

extension Date {
  /// The time itself, or the nearest that can be written.
  var writable: Date { Epoch.date(milliseconds: storedMilliseconds) ?? self }
}
