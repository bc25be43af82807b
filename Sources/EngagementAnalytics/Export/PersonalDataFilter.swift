package import EngagementModel

/// Sends events on. What the application or a person has put into some of them is left out where it tells who
/// the person is, as `PersonalFields` finds it.
package struct PersonalDataFilter<Next: EventSink>: EventSink {
  package var next: Next
  /// The events that were sent on without a part.
  package private(set) var cleaned = 0
  /// The first fields that were left out.
  package private(set) var lostFields: [String] = []

  /// Nil if all events are sent on as they are.
  private let people: PersonIDs?
  private var personal = PersonalFields()
  /// Of the event that is being sent.
  private var (column, isOwn, isCleaned) = (0, false, false)

  /// - Parameter people: Whose ids are left out; nil to send all events on as they are.
  package init(to next: Next, of people: PersonIDs?) {
    (self.next, self.people) = (next, people)
  }

  package mutating func missing() {
    column += 1
    next.missing()
  }

  package mutating func integer(_ value: Int64) {
    column += 1
    next.integer(value)
  }

  package mutating func time(_ milliseconds: Int64) {
    column += 1
    next.time(milliseconds)
  }

  package mutating func text(_ text: RawSpan) {
    defer { column += 1 }
    switch EventColumn(rawValue: column) {
    case .type: isOwn = people != nil && Self.isOwn(text)
    case .name where isOwn:
      let name = String(decoding: text.copied, as: UTF8.self)
      if let people, PersonalFields.isPersonal(name, people) {
        note(["name"])
        return next.missing()
      }
    case _: break
    }
    next.text(text)
  }

  package mutating func json(_ json: RawSpan) {
    defer { column += 1 }
    guard isOwn, let people else { return next.json(json) }
    switch personal.rest(of: json.copied, people) {
    case .whole: next.json(json)
    case .part(let rest, let lost):
      note(lost.map { "data.\($0)" })
      next.json(rest.span.bytes)
    case .nothing(let lost):
      note(lost.isEmpty ? ["data"] : lost.map { "data.\($0)" })
      next.missing()
    }
  }

  package mutating func endEvent() {
    if isCleaned { cleaned += 1 }
    (column, isOwn, isCleaned) = (0, false, false)
    next.endEvent()
  }

  /// More fields are not named.
  package static var mostFields: Int { 5 }

  private mutating func note(_ fields: [String]) {
    isCleaned = true
    for field in fields where lostFields.count < Self.mostFields && !lostFields.contains(field) {
      lostFields.append(field)
    }
  }

  private static func isOwn(_ type: RawSpan) -> Bool {
    unsafe type.withUnsafeBytes { type in
      OwnEvents.endings.contains { ending in
        unsafe type.suffix(ending.count).elementsEqual(ending)
      }
    }
  }
}

/// The events that hold what the application or a person wrote. What others hold is ours or a vendor's.
private enum OwnEvents {
  /// How their types end.
  static let endings = [EngagementEvent.Kind.custom, .purchase, .submit, .submitted, .vote]
    .map { Array(".\($0.rawValue)".utf8) }
}
