import EngagementJSON
import EngagementModel

/// Collects events in a page. What the application or a person has put into some of them is left out where it
/// tells who a person is, as `PersonalFields` finds it.
///
/// Nothing in it is generic: an export sends each cell of each event through it.
package struct PersonalDataFilter: EventSink {
  package var page = EventPage()
  /// The events that have lost a part.
  package private(set) var cleaned = 0
  /// The first fields that were left out, with one more than `mostFields` if there are others.
  package private(set) var lostFields: [String] = []

  /// Nil if all events stay as they are.
  private let people: PersonIDs?
  private var personal = PersonalFields()
  /// Of the event that is being sent.
  private var (column, isOwn, isVote, isCleaned) = (0, false, false, false)

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
    case .type:
      isOwn = people != nil && OwnEvents.endings.contains { Self.ends(text, with: $0) }
      isVote = isOwn && Self.ends(text, with: OwnEvents.vote)
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
    var data = json.copied
    if isVote, let rest = OwnEvents.withoutMessage(data) {
      note(["data.message"])
      data = rest
    }
    switch personal.rest(of: data, people) {
    case .whole: page.json(data.span.bytes)
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
    (column, isOwn, isVote, isCleaned) = (0, false, false, false)
    page.endEvent()
  }

  /// More fields are not named.
  package static let mostFields = 20

  private mutating func note(_ fields: [String]) {
    isCleaned = true
    for field in fields where lostFields.count <= Self.mostFields && !lostFields.contains(field) {
      lostFields.append(field)
    }
  }

  private static func ends(_ type: RawSpan, with ending: [UInt8]) -> Bool {
    unsafe type.withUnsafeBytes { unsafe $0.suffix(ending.count).elementsEqual(ending) }
  }
}

/// The events that hold what the application or a person wrote. What others hold is ours or a vendor's.
private enum OwnEvents {
  /// How their types end.
  static let endings = [EngagementEvent.Kind.custom, .purchase, .submit, .submitted, .vote]
    .map { Array(".\($0.rawValue)".utf8) }

  static let vote = Array(".\(EngagementEvent.Kind.vote.rawValue)".utf8)

  /// The data of a vote without what the person wrote, which may be anything; nil if that is not there.
  static func withoutMessage(_ data: [UInt8]) -> [UInt8]? {
    guard var object = (try? JSON(parsing: data))?.object, object["message"] != nil else {
      return nil
    }
    object["message"] = nil
    return JSON.object(object).encoded()
  }
}
