public import EngagementModel

/// A person who moves to another vendor, as the devices know them.
public struct MovingPerson: Hashable, Sendable {
  /// The application's id; nil for a person who never signed in.
  public var id: UserID?
  /// Why no vendor may reach the person; nil where nothing forbids it.
  public var suppression: Suppression?
  public var profile = PersonUpdate()
  public var tokens: [Token] = []

  public init(_ id: UserID?, suppression: Suppression? = nil) {
    (self.id, self.suppression) = (id, suppression)
  }

  /// Why no vendor may reach a person. The first reason that holds is kept.
  public enum Suppression: String, Hashable, Sendable, CaseIterable, Comparable {
    /// The person's consent is `denied`.
    case denied
    /// The person has opted out on another device.
    case optedOut
    /// The team says so, such as of a person who was erased.
    case listed
    /// No consent is on record.
    case undecided

    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  /// The push token of one device.
  public struct Token: Hashable, Sendable {
    public var registration: PushRegistration
    /// The new vendor's own id of the device; nil if it has none yet.
    public var device: String?

    public init(_ registration: PushRegistration, device: String? = nil) {
      (self.registration, self.device) = (registration, device)
    }
  }
}

/// The people of several devices, each once.
public struct MovingPeople: Sendable {
  private var people: [UserID: MovingPerson] = [:]
  private var anonymous: [MovingPerson] = []

  public init() {}

  /// Adds what a device knows. Of two values of a field, the first one stays; a person whom one device
  /// has suppressed is suppressed.
  public mutating func add(_ person: MovingPerson) {
    guard let id = person.id else { return anonymous.append(person) }
    guard let known = people[id] else {
      people[id] = person
      return
    }
    people[id] = known.merged(with: person)
  }

  /// Suppresses a person, also one whom no device knows.
  public mutating func suppress(_ id: UserID, for reason: MovingPerson.Suppression) {
    add(MovingPerson(id, suppression: reason))
  }

  /// Suppresses the people of whom the condition holds.
  public mutating func suppress(
    for reason: MovingPerson.Suppression, where condition: (UserID) -> Bool
  ) {
    for id in people.keys where condition(id) { suppress(id, for: reason) }
  }

  /// By the bytes of their ids; behind them the people without one, by their tokens.
  public var inOrder: [MovingPerson] {
    people.sorted { $0.key < $1.key }.map(\.value)
      + anonymous.sorted { $0.order.lexicographicallyPrecedes($1.order) }
  }
}

extension MovingPerson {
  fileprivate func merged(with other: MovingPerson) -> MovingPerson {
    var merged = self
    merged.suppression = [suppression, other.suppression].compactMap(\.self).min()
    merged.profile.fill(from: other.profile)
    merged.tokens += other.tokens.filter { !tokens.contains($0) }
    return merged
  }

  fileprivate var order: [UInt8] {
    tokens.flatMap { Array($0.registration.token.revealed.utf8) + [0] }
  }
}

extension PersonUpdate {
  /// Takes the fields that are not set here. A person who wants no notifications on one device wants none.
  mutating func fill(from other: PersonUpdate) {
    name = name ?? other.name
    email = email ?? other.email
    phone = phone ?? other.phone
    city = city ?? other.city
    country = country ?? other.country
    region = region ?? other.region
    timeFrames = timeFrames ?? other.timeFrames
    if notifications != false { notifications = other.notifications ?? notifications }
    // Reading a key walks the members.
    guard !custom.isEmpty else {
      custom = other.custom
      return
    }
    for member in other.custom.members where custom[member.key] == nil {
      custom[member.key] = member.value
    }
  }

  /// Takes the fields that the other one sets.
  mutating func apply(_ other: PersonUpdate) {
    var new = other
    let wanted = other.notifications
    new.fill(from: self)
    new.notifications = wanted ?? notifications
    self = new
  }
}
