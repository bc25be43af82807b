public import EngagementModel

/// Sends on the events that fulfil all conditions, without the fields that are to be left out.
public struct FilteredEvents<Next: EventSink>: EventSink {
  public var next: Next
  /// The events that were not sent on.
  public private(set) var dropped = 0
  private let conditions: [EventCondition]
  private let redaction: EventRedaction
  private var record = EventRecord()

  public init(_ conditions: [EventCondition], _ redaction: EventRedaction, to next: Next) {
    (self.conditions, self.redaction, self.next) = (conditions, redaction, next)
  }

  public mutating func missing() { record.missing() }
  public mutating func text(_ text: RawSpan) { record.text(text) }
  public mutating func integer(_ value: Int64) { record.integer(value) }
  public mutating func time(_ milliseconds: Int64) { record.time(milliseconds) }
  public mutating func json(_ json: RawSpan) { record.json(json) }

  public mutating func endEvent() {
    defer { record.removeAll() }
    guard conditions.allSatisfy({ $0.holds(for: record) }) else {
      dropped += 1
      return
    }
    if redaction.isEmpty {
      record.send(to: &next)
    } else {
      redaction.send(record, to: &next)
    }
  }
}
