package import EngagementModel

/// Sends events on. What the application or a person has put into some of them is left out where it tells who
/// the person is, as `PersonalFields` finds it.
package struct PersonalDataFilter<Next: EventSink>: EventSink {
  package var next: Next
  /// The events that were sent on without a part.
  package private(set) var cleaned = 0
  /// The first property that was left out.
  package private(set) var example: String?

  private let isOff: Bool
  private let idOfUser: ([UInt8]) -> String?
  private var personal = PersonalFields()
  /// Of the event that is being sent.
  private var (column, isOwn, isCleaned) = (0, false, false)
  private var user: [UInt8] = []
  /// The ids of the last user who was looked for.
  private var person: (user: [UInt8], ids: PersonIDs) = ([], PersonIDs([]))

  /// - Parameters:
  ///   - isOff: Whether all events are sent on as they are.
  ///   - idOfUser: The id of a user by the name that events have for it, such as a hash.
  package init(to next: Next, isOff: Bool, _ idOfUser: @escaping ([UInt8]) -> String?) {
    (self.next, self.isOff, self.idOfUser) = (next, isOff, idOfUser)
  }

  package mutating func missing() {
    if column == EventColumn.user.rawValue { user = [] }
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
    case .type: isOwn = !isOff && Self.isOwn(text)
    case .user where isOwn: user = text.copied
    case .name where isOwn:
      guard !PersonalFields.isPersonal(String(decoding: text.copied, as: UTF8.self), ids()) else {
        note("name")
        return next.missing()
      }
    case _: break
    }
    next.text(text)
  }

  package mutating func json(_ json: RawSpan) {
    defer { column += 1 }
    guard isOwn else { return next.json(json) }
    let ids = ids()
    switch personal.rest(of: json.copied, ids) {
    case .whole: next.json(json)
    case .part(let rest, let property):
      note("data.\(property)")
      next.json(rest.span.bytes)
    case .nothing(let property):
      note(property.map { "data.\($0)" } ?? "data")
      next.missing()
    }
  }

  package mutating func endEvent() {
    if isCleaned { cleaned += 1 }
    (column, isOwn, isCleaned) = (0, false, false)
    next.endEvent()
  }

  private mutating func note(_ field: String) {
    isCleaned = true
    example = example ?? field
  }

  private mutating func ids() -> PersonIDs {
    if person.user != user {
      person = (user, PersonIDs([user.isEmpty ? nil : idOfUser(user)].compactMap(\.self)))
    }
    return person.ids
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
