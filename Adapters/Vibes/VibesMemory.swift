import EngagementAdapterAPI
import EngagementFormats
import EngagementModel
import FoundationEssentials

/// What the adapter has asked to be remembered, read back.
struct VibesMemory {
  /// The vendor's id of this installation.
  let device: String?
  let token: Secret?
  /// The vendor's key of the user's person, whatever device it was asked with.
  let lastPerson: String?
  /// The application's id of the person that this library tied the device to.
  let associated: String?
  let isInboxOff: Bool
  /// Where the vendor has been told a push token.
  let registeredPush: [PushEnvironment]
  /// The key of an operation that met a device the vendor does not know.
  let doubted: String?
  private let confirmed: String?
  /// The trace of the device that was given up last.
  private let released: String?
  private let secrets: ScopedValues<Secret>
  private let key: OperationKey
  private let user: UserID?
  private let isDeviceOfUser: Bool
  /// Since when the vendor refuses the device's token for a new one, too.
  private let refusedSince: Date?
  private let personDevice: String?
  private let personTime: Date?
  private let associatedDevice: String?
  private let associatedTime: Date?
  private let acceptedAt: Date

  /// How many seconds a person is believed in; see `isPersonFresh(at:)`.
  private static let trust: TimeInterval = 60
  /// For how long a refused renewal may be a fault of the vendor's, in seconds.
  private static let hope: TimeInterval = 3_600

  /// The names under which values are kept.
  enum Name {
    static let device = "device"
    /// Whether the device was registered for a user, and not for nobody in particular.
    static let deviceOfUser = "device.user"
    static let doubted = "device.doubted"
    static let confirmed = "device.confirmed"
    static let token = "token"
    /// Whose the token is, kept with it.
    static let tokenDevice = "token.device"
    static let released = "device.released"
    static let refusedSince = "token.refused"
    /// The token of a device that is not this installation's any more, and that the vendor has yet
    /// to be told of.
    static func leaving(_ trace: String) -> String { "leaving.\(trace)" }

    /// The id as it is kept with the token: it stands in every URL, and no secret does.
    static func trace(of device: String) -> String { SHA256.digest(of: device).description }

    static let person = "person"
    static let personDevice = "person.device"
    static let personTime = "person.time"
    static let associated = "associated"
    static let associatedDevice = "associated.device"
    static let associatedTime = "associated.time"
    static let inbox = "inbox"
    static func push(_ environment: PushEnvironment) -> String { "push.\(environment.rawValue)" }
  }

  init(_ context: AdapterContext) {
    let id = context.values[.installation, Name.device]
    let token = context.secrets[.installation, Name.token]
    let owner = context.secrets[.installation, Name.tokenDevice]?.revealed
    // One is of no use without the other, and a secret is kept elsewhere than the rest: a kill
    // between the two leaves the token of one device beside the id of another.
    let belongs =
      token != nil && id.map { owner?.hasSameBytes(as: Name.trace(of: $0)) ?? true } ?? false
    (device, self.token) = belongs ? (id, token) : (nil, nil)
    isInboxOff = context.values[.installation, Name.inbox] == "off"
    registeredPush = PushEnvironment.allCases.filter { environment in
      context.values[.installation, Name.push(environment)] != nil
    }
    lastPerson = context.values[.user, Name.person]
    refusedSince = context.values[.installation, Name.refusedSince].flatMap(ISO8601.date(from:))
    personDevice = context.values[.user, Name.personDevice]
    personTime = context.values[.user, Name.personTime].flatMap(ISO8601.date(from:))
    associated = context.values[.user, Name.associated]
    associatedDevice = context.values[.user, Name.associatedDevice]
    associatedTime = context.values[.user, Name.associatedTime].flatMap(ISO8601.date(from:))
    isDeviceOfUser = context.values[.installation, Name.deviceOfUser] != nil
    doubted = context.values[.installation, Name.doubted]
    confirmed = context.values[.installation, Name.confirmed]
    released = context.values[.installation, Name.released]
    secrets = context.secrets
    (key, user, acceptedAt) = (context.key, context.user.id, context.acceptedAt)
  }

  /// The person's key, where it was asked with the device that is registered now.
  var person: String? {
    guard let device, let personDevice, device.hasSameBytes(as: personDevice) else { return nil }
    return lastPerson
  }

  /// Whether it is somebody in particular who is there.
  var isOfUser: Bool { user != nil }

  /// Whether the device that an operation names is the one that is registered now.
  func isDevice(_ detail: JSON) -> Bool {
    guard let device, let named = detail[Name.device]?.string else { return false }
    return device.hasSameBytes(as: named)
  }

  /// The token of the device that an operation names, where that one has left and the vendor was
  /// not told.
  func leavingToken(_ detail: JSON) -> Secret? {
    guard let named = detail[Name.device]?.string else { return nil }
    let trace = Name.trace(of: named)
    guard released.map({ !$0.hasSameBytes(as: trace) }) ?? true else { return nil }
    return secrets[.installation, Name.leaving(trace)]
  }

  /// Forgets the token of a device that was given up although its token was kept to be sure.
  var tidying: [Change] {
    guard let released else { return [] }
    return [
      .secret(.installation, Name.leaving(released), nil), .keep(.installation, Name.released, nil),
    ]
  }

  /// The person that the device has to be tied to first, which it is not, as far as is known: it
  /// was registered anew since, or nothing is known any more of a user who is still there.
  ///
  /// What nobody in particular did is said of the person that their device has, so it does not wait
  /// for the user who takes it over. What is read is the user's own.
  func lostAssociation(
    _ association: VibesConfiguration.Association, whenReading: Bool
  ) -> UserID? {
    guard let device else { return nil }
    if let associated { return isAssociated(device) ? nil : UserID(associated) }
    return association == .onSignIn && (whenReading || isDeviceOfUser) ? user : nil
  }

  private func isAssociated(_ device: String) -> Bool {
    associatedDevice.map { device.hasSameBytes(as: $0) } ?? false
  }

  /// Whether the device was tied to this person after the operation was accepted that asks for it:
  /// a list that came first had to have it.
  func isTiedSince(to id: UserID) -> Bool {
    guard let device, isAssociated(device), let associated, id.text.hasSameBytes(as: associated),
      let associatedTime
    else { return false }
    // It is kept to the millisecond.
    return acceptedAt.timeIntervalSince(associatedTime) < 0.001
  }

  /// Whether the vendor has been asked for the device since this very operation met one that it
  /// does not know: then it is something else that it does not know.
  var isDeviceConfirmed: Bool { confirmed.map { key.text.hasSameBytes(as: $0) } ?? false }

  /// What a renewal that is refused means: at first that it was refused, and later that nobody can
  /// speak for the device any more. A clock that was set back begins anew.
  func refusal(at now: Date) -> (changes: [Change], isFinal: Bool) {
    if let refusedSince, now >= refusedSince {
      return now.timeIntervalSince(refusedSince) < Self.hope
        ? ([], false) : (VibesChanges.lost + Self.accepted, true)
    }
    return ([.keep(.installation, Name.refusedSince, ISO8601.text(of: now))], false)
  }

  static let accepted: [Change] = [.keep(.installation, Name.refusedSince, nil)]

  /// Nothing where no renewal was refused.
  var acceptance: [Change] { refusedSince == nil ? [] : Self.accepted }

  /// Takes note of the operation that has met a device that the vendor does not know.
  var doubt: Change { .keep(.installation, Name.doubted, key.text) }

  /// Whether the key was asked for just now. A server can move a device to another person, so the
  /// vendor's own client asks before each list; here a list is believed in for a minute.
  func isPersonFresh(at now: Date) -> Bool {
    guard person != nil, let personTime else { return false }
    return abs(now.timeIntervalSince(personTime)) < Self.trust
  }
}
