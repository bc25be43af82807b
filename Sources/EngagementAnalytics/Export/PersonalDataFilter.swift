import EngagementModel

/// Collects events in a page. What the application or a person has put into some of them is left out where it
/// tells who a person is, as `PersonalFields` finds it.
///
/// Nothing in it is generic: an export sends each cell of each event through it.
package struct PersonalDataFilter: EventSink {
  package var page = EventPage()
  /// The events that have lost a part.
  package private(set) var cleaned = 0
  /// The first fields that were left out.
  package private(set) var lostFields: [String] = []

  /// Nil if all events stay as they are.
  private let people: PersonIDs?
  private var personal = PersonalFields()
  /// Of the event that is being sent.
  private var (column, isOwn, isCleaned) = (0, false, false)

  /// - Parameter people: Whose ids are left out; nil to leave all events as they are.
  package init(of people: PersonIDs?) { self.people = people }

  /// The events so far, which are then no longer in it.
  package mutating func takePage() -> EventPage {
    defer { page = EventPage() }
    return page
  }

  package mutating func missing() {
    column += 1
    page.missing()
  }

  package mutating func integer(_ value: Int64) {
    column += 1
    page.integer(value)
  }

  package mutating func time(_ milliseconds: Int64) {
    column += 1
    page.time(milliseconds)
  }

  package mutating func text(_ text: RawSpan) {
    defer { column += 1 }
    switch EventColumn(rawValue: column) {
    case .type: isOwn = people != nil && Self.isOwn(text)
    case .name where isOwn:
      let name = String(decoding: text.copied, as: UTF8.self)
      if let people, PersonalFields.isPersonal(name, people) {
        note(["name"])
        return page.missing()
      }
    case _: break
    }
    page.text(text)
  }

  package mutating func json(_ json: RawSpan) {
    defer { column += 1 }
    guard isOwn, let people else { return page.json(json) }
    switch personal.rest(of: json.copied, people) {
    case .whole: page.json(json)
    case .part(let rest, let lost):
      note(lost.map { "data.\($0)" })
      page.json(rest.span.bytes)
    case .nothing(let lost):
      note(lost.isEmpty ? ["data"] : lost.map { "data.\($0)" })
      page.missing()
    }
  }

  package mutating func endEvent() {
    if isCleaned { cleaned += 1 }
    (column, isOwn, isCleaned) = (0, false, false)
    page.endEvent()
  }

  /// More fields are not named.
  package static let mostFields = 5

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
