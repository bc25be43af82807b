public import EngagementModel

/// Reads people from what a device holds about them: the records of `Engagement.exportData(of:)`, one
/// person after the other.
///
/// A person without a record of consent is suppressed: a file may be cut.
public struct PersonRecords {
  private var done: [MovingPerson] = []
  private var person: MovingPerson?

  public init() {}

  /// The people so far.
  public var people: [MovingPerson] { done + [person].compactMap(\.self) }

  /// Throws `invalidArgument` for a record that is none, or that belongs to no person.
  public mutating func add(_ record: JSONObject) throws(EngagementError) {
    let name = record["record"]?.string
    let kind = name.flatMap(Kind.init(rawValue:))
    guard name != nil, kind == .user || person != nil else {
      throw EngagementError(.invalidArgument, "It is no record of a person.")
    }
    switch kind {
    case .user: try begin(record)
    case .consent: take(consent: record)
    case .person: take(known: try Person(json: .object(record)))
    case .pending: try take(pending: record)
    case nil: return
    }
  }

  /// The records that are read; others are passed over.
  private enum Kind: String {
    case user, consent, person, pending
  }

  private mutating func begin(_ record: JSONObject) throws(EngagementError) {
    if let person { done.append(person) }
    person = nil
    guard record["id"] == nil || record["id"]?.string?.isEmpty == false else {
      throw EngagementError(.invalidArgument, "The id of its user is no text.")
    }
    person = MovingPerson(record["id"]?.string.map { UserID($0) }, suppression: .undecided)
  }

  private mutating func take(consent record: JSONObject) {
    // As in the cache, a consent that cannot be read allows nothing.
    let consent = record["value"]?.string.flatMap(Consent.init(rawValue:)) ?? .denied
    switch consent {
    case .denied: person?.suppression = .denied
    case .unknown, .essential, .full:
      if person?.suppression == .undecided { person?.suppression = nil }
    }
  }

  private mutating func take(known: Person) {
    var profile = PersonUpdate()
    (profile.name, profile.email, profile.phone) = (known.name, known.email, known.phone)
    profile.custom = known.custom
    person?.profile.fill(from: profile)
  }

  /// What the user has changed since is newer than what vendors have told.
  private mutating func take(pending record: JSONObject) throws(EngagementError) {
    guard record["operation"]?.string == "person.update", let update = record["detail"]?["update"]
    else { return }
    person?.profile.apply(try PersonUpdate(json: update))
  }
}
