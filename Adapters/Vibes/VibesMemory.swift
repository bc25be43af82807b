import EngagementAdapterAPI
import EngagementFormats
import EngagementModel
import EngagementPlatform

/// The values that the adapter has stored.
struct VibesMemory {
  /// The vendor's id of this installation's device.
  let device: String?
  let token: Secret?
  /// The vendor's key of the user's person, whichever device it was requested with.
  let lastPerson: String?
  /// The application's id of the person that this library associated the device with.
  let associated: String?
  let isInboxOff: Bool
  /// The environments whose push token the vendor knows.
  let registeredPush: [PushEnvironment]
  /// The key of an operation that the vendor answered as if it did not know the device.
  let doubted: String?
  private let confirmed: String?
  /// The trace of the device that was given up last.
  private let released: String?
  private let secrets: ScopedValues<Secret>
  private let key: OperationKey
  private let user: UserID?
  private let isDeviceOfUser: Bool
  /// When the vendor last refused to renew a device's token, and the device was replaced.
  private let replacedAt: Date?
  /// The registration of the current device; nil for one that an earlier release registered.
  private let registration: String?
  private let personDevice: String?
  private let personTime: Date?
  private let associatedDevice: String?
  private let associatedTime: Date?
  private let acceptedAt: Date

  /// How many seconds a person's key counts as fresh; see `isPersonFresh(at:)`.
  private static let trust: TimeInterval = 60
  /// How many seconds lie between two replacements of the device, since a vendor that refuses every
  /// token may be at fault.
  private static let replacementGap: TimeInterval = 3_600

  /// The keys of the stored values.
  enum Name {
    static let device = "device"
    /// What names this registration of the device.
    static let registration = "device.registration"
    /// Whether the device was registered for a signed-in user.
    static let deviceOfUser = "device.user"
    static let doubted = "device.doubted"
    static let confirmed = "device.confirmed"
    static let token = "token"
    /// The trace of the device that the token belongs to, stored with the token.
    static let tokenDevice = "token.device"
    static let released = "device.released"
    static let replacedAt = "token.refused"
    /// The token of a former device of this installation, until the vendor knows that it was given
    /// up.
    static func leaving(_ trace: String) -> String { "leaving.\(trace)" }

    /// The form of a device's id in the secret store. The id itself is part of every URL, and no
    /// secret may be.
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
    // The id and the token are useless without each other, and they are in different stores. A kill
    // between the two writes leaves the token of one device with the id of another.
    let belongs =
      token != nil && id.map { owner?.hasSameBytes(as: Name.trace(of: $0)) ?? true } ?? false
    (device, self.token) = belongs ? (id, token) : (nil, nil)
    isInboxOff = context.values[.installation, Name.inbox] == "off"
    registeredPush = PushEnvironment.allCases.filter { environment in
      context.values[.installation, Name.push(environment)] != nil
    }
    lastPerson = context.values[.user, Name.person]
    replacedAt = context.values[.installation, Name.replacedAt].flatMap(ISO8601.date(from:))
    registration = context.values[.installation, Name.registration]
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

  /// What names the current device and its registration; nil without a device. A vendor may give the
  /// id of a device that it lost to the next one, which it ties to no person.
  var deviceMark: String? {
    device.map { device in registration.map { "\(device) \($0)" } ?? device }
  }

  /// The person's key, if it was requested with the current device.
  var person: String? {
    guard let deviceMark, let personDevice, deviceMark.hasSameBytes(as: personDevice) else {
      return nil
    }
    return lastPerson
  }

  /// Whether the vendor has the token of another environment and not that of this one.
  func isPushOfOther(than environment: PushEnvironment) -> Bool {
    !registeredPush.isEmpty && !registeredPush.contains(environment)
  }

  /// Whether the user is signed in.
  var isOfUser: Bool { user != nil }

  /// Whether the operation names the current device.
  func isDevice(_ detail: JSON) -> Bool {
    guard let device, let named = detail[Name.device]?.string else { return false }
    return device.hasSameBytes(as: named)
  }

  /// The token of the device that the operation names, if the device was given up and the vendor
  /// does not know it yet.
  func leavingToken(_ detail: JSON) -> Secret? {
    guard let named = detail[Name.device]?.string else { return nil }
    let trace = Name.trace(of: named)
    guard released.map({ !$0.hasSameBytes(as: trace) }) ?? true else { return nil }
    return secrets[.installation, Name.leaving(trace)]
  }

  /// Deletes the token of the last device that was given up. It was stored only as a precaution.
  var tidying: [Change] {
    guard let released else { return [] }
    return [
      .secret(.installation, Name.leaving(released), nil), .keep(.installation, Name.released, nil),
    ]
  }

  /// The person that the device must be associated with first; nil if it is or need not be. The
  /// association is missing after a new registration, or if nothing is stored about a user who is
  /// still signed in.
  ///
  /// The vendor attributes anonymous events to the device's person, so these events do not wait for
  /// an association with the user who adopts them. Reading always needs the user's own person.
  func lostAssociation(
    _ association: VibesConfiguration.Association, whenReading: Bool
  ) -> UserID? {
    guard let deviceMark else { return nil }
    if let associated { return isAssociated(deviceMark) ? nil : UserID(associated) }
    return association == .onSignIn && (whenReading || isDeviceOfUser) ? user : nil
  }

  private func isAssociated(_ deviceMark: String) -> Bool {
    associatedDevice.map { deviceMark.hasSameBytes(as: $0) } ?? false
  }

  /// Whether the device was associated with this person after the operation was accepted. An
  /// earlier list may have needed that, so the operation is already done.
  func isTiedSince(to id: UserID) -> Bool {
    guard let deviceMark, isAssociated(deviceMark), let associated,
      id.rawValue.hasSameBytes(as: associated),
      let associatedTime
    else { return false }
    // The stored time is rounded to milliseconds.
    return acceptedAt.timeIntervalSince(associatedTime) < 0.001
  }

  /// Whether the vendor confirmed the device after this operation failed. Then a repeated failure
  /// has another cause.
  var isDeviceConfirmed: Bool { confirmed.map { key.text.hasSameBytes(as: $0) } ?? false }

  /// The changes that give the device up after a refused renewal, so that another is registered;
  /// empty if one was replaced within the last hour.
  func replacement(at now: Date) -> [Change] {
    if let replacedAt, (0..<Self.replacementGap).contains(now.timeIntervalSince(replacedAt)) {
      return []
    }
    return VibesChanges.lost + [.keep(.installation, Name.replacedAt, ISO8601.text(of: now))]
  }

  /// Names the registration that this operation makes.
  var newRegistration: Change { .keep(.installation, Name.registration, key.text) }

  /// Records that the vendor did not know the device of this operation.
  var doubt: Change { .keep(.installation, Name.doubted, key.text) }

  /// Whether the person's key was requested less than a minute ago. A server can move a device to
  /// another person, so the vendor's own client requests the key before each list.
  func isPersonFresh(at now: Date) -> Bool {
    guard person != nil, let personTime else { return false }
    return abs(now.timeIntervalSince(personTime)) < Self.trust
  }
}
