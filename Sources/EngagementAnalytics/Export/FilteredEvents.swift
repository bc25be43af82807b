public import EngagementModel

/// Sends on the events that fulfil all conditions, without the fields that are to be left out.
public struct FilteredEvents<Next: EventSink>: EventSink {
  public var next: Next
  /// The events that were not sent on.
  public private(set) var dropped = 0
  private let conditions: [EventCondition]
  private var redaction: EventRedaction
  private var watch: PropertyWatch
  /// Leaves out what tells who a person is; nil if events stay as they are.
  private var cleaner: PersonalDataFilter?
  private let userName: (@Sendable (String) -> String)?
  private var record = EventRecord()

  /// - Parameter userName: How conditions name a user whose id the events have.
  public init(
    _ conditions: [EventCondition], _ redaction: EventRedaction, to next: Next,
    naming userName: (@Sendable (String) -> String)? = nil
  ) {
    self.init(conditions, redaction, hiding: nil, to: next, naming: userName)
  }

  /// - Parameter people: Who are not to be told of; nil if events stay as they are. No condition holds for
  ///   what is left out for their sake.
  package init(
    _ conditions: [EventCondition], _ redaction: EventRedaction, hiding people: PersonIDs?,
    to next: Next, naming userName: (@Sendable (String) -> String)? = nil
  ) {
    (self.conditions, self.redaction, self.next) = (conditions, redaction, next)
    self.userName = userName
    cleaner = people.map { PersonalDataFilter(of: $0) }
    watch = PropertyWatch(conditions.compactMap(\.property))
  }

  /// The properties to be left out that no event had, each with a name like it that one had.
  package var unmetProperties: [(name: String, meant: String?)] { redaction.unmetProperties }

  /// The same of the properties that conditions ask for.
  package var unmetConditions: [(name: String, meant: String?)] { watch.missing }

  public mutating func missing() { record.missing() }
  public mutating func text(_ text: RawSpan) { record.text(text) }
  public mutating func integer(_ value: Int64) { record.integer(value) }
  public mutating func time(_ milliseconds: Int64) { record.time(milliseconds) }
  public mutating func json(_ json: RawSpan) { record.json(json) }

  public mutating func endEvent() {
    defer { record.removeAll() }
    watch.note(record)
    guard holds() else {
      dropped += 1
      return
    }
    if redaction.isEmpty {
      record.send(to: &next)
    } else {
      redaction.send(record, to: &next)
    }
  }

  private mutating func holds() -> Bool {
    guard conditions.allSatisfy({ $0.asksForContent || $0.holds(for: record, naming: userName) })
    else { return false }
    let others = conditions.filter(\.asksForContent)
    guard !others.isEmpty else { return true }
    let visible = visible()
    return others.allSatisfy { $0.holds(for: visible) }
  }

  /// The event as far as it does not tell who its person is.
  private mutating func visible() -> EventRecord {
    let rest = redaction.withoutPerson(record)
    guard var cleaner else { return rest }
    var visible = EventRecord()
    rest.send(to: &cleaner)
    cleaner.takePage().send(to: &visible)
    self.cleaner = cleaner
    return visible
  }
}
