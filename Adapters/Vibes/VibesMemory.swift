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
  private let key: OperationKey
  private let user: UserID?
  private let isDeviceOfUser: Bool
  private let personDevice: String?
  private let personTime: Date?
  private let associatedDevice: String?

  /// How many seconds a person is believed in; see `isPersonFresh(at:)`.
  private static let trust: TimeInterval = 60

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

    /// The id as it is kept with the token: it stands in every URL, and no secret does.
    static func trace(of device: String) -> String { SHA256.digest(of: device).description }

    static let person = "person"
    static let personDevice = "person.device"
    static let personTime = "person.time"
    static let associated = "associated"
    static let associatedDevice = "associated.device"
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
    personDevice = context.values[.user, Name.personDevice]
    personTime = context.values[.user, Name.personTime].flatMap(ISO8601.date(from:))
    associated = context.values[.user, Name.associated]
    associatedDevice = context.values[.user, Name.associatedDevice]
    isDeviceOfUser = context.values[.installation, Name.deviceOfUser] != nil
    doubted = context.values[.installation, Name.doubted]
    confirmed = context.values[.installation, Name.confirmed]
    (key, user) = (context.key, context.user.id)
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

  /// The person that the device has to be tied to first, which it is not, as far as is known: it
  /// was registered anew since, or nothing is known any more of a user who is still there.
  ///
  /// What nobody in particular did is said of the person that their device has, so it does not wait
  /// for the user who takes it over. What is read is the user's own.
  func lostAssociation(
    _ association: VibesConfiguration.Association, whenReading: Bool
  ) -> UserID? {
    guard let device else { return nil }
    if let associated {
      let isCurrent = associatedDevice.map { device.hasSameBytes(as: $0) } ?? false
      return isCurrent ? nil : UserID(associated)
    }
    return association == .onSignIn && (whenReading || isDeviceOfUser) ? user : nil
  }

  /// Whether the vendor has been asked for the device since this very operation met one that it
  /// does not know: then it is something else that it does not know.
  var isDeviceConfirmed: Bool { confirmed.map { key.text.hasSameBytes(as: $0) } ?? false }

  /// Takes note of the operation that has met a device that the vendor does not know.
  var doubt: Change { .keep(.installation, Name.doubted, key.text) }

  /// Whether the key was asked for just now. A server can move a device to another person, so the
  /// vendor's own client asks before each list; here a list is believed in for a minute.
  func isPersonFresh(at now: Date) -> Bool {
    guard person != nil, let personTime else { return false }
    return abs(now.timeIntervalSince(personTime)) < Self.trust
  }
}

/// Groups of changes that belong together.
enum VibesChanges {
  typealias Name = VibesMemory.Name

  /// A device that is new to the vendor knows nothing of the push token.
  static func registered(_ id: String, _ token: Secret, in memory: VibesMemory) -> [Change] {
    renewed(id, token, in: memory) + [
      .keep(.installation, Name.deviceOfUser, memory.isOfUser ? "yes" : nil)
    ] + memory.registeredPush.map { .wanted(.registerPush($0)) }
  }

  static func renewed(_ id: String, _ token: Secret, in memory: VibesMemory) -> [Change] {
    [
      .keep(.installation, Name.device, id), .secret(.installation, Name.token, token),
      .secret(.installation, Name.tokenDevice, Secret(Name.trace(of: id))),
    ] + (memory.doubted.map(confirmed) ?? [])
  }

  /// The vendor knows the device: what the operation met was not for want of it.
  private static func confirmed(_ operation: String) -> [Change] {
    [.keep(.installation, Name.doubted, nil), .keep(.installation, Name.confirmed, operation)]
  }

  /// The vendor has lost the device. Whose person it was stays known: the next device is tied to
  /// the same person, or turns out to be another's.
  static let lost: [Change] = [
    .keep(.installation, Name.device, nil), .secret(.installation, Name.token, nil),
    .secret(.installation, Name.tokenDevice, nil),
  ]

  /// The device was given up.
  static let unregistered: [Change] =
    lost + PushEnvironment.allCases.flatMap { push($0, isRegistered: false) }

  static func push(_ environment: PushEnvironment, isRegistered: Bool) -> [Change] {
    [.keep(.installation, Name.push(environment), isRegistered ? "registered" : nil)]
  }

  static func person(
    _ person: Person, in memory: VibesMemory, at now: Date
  ) -> [Change] {
    let isAnother = memory.lastPerson.map { !$0.hasSameBytes(as: person.key) } ?? false
    return (isAnother ? noPerson : []) + [
      .person(person),
      .keep(.user, Name.person, person.key),
      .keep(.user, Name.personDevice, memory.device),
      .keep(.user, Name.personTime, ISO8601.text(of: now)),
    ]
  }

  /// Nothing of the former person is shown or sent any more.
  static let noPerson: [Change] = [
    .person(nil),
    stalePerson,
    .keep(.user, Name.person, nil),
    .keep(.user, Name.personDevice, nil),
    .items(.inbox, .replace(.nothing), []),
    .abandoned(.inbox, reason: "The device was associated with another person."),
  ]

  /// The person has to be asked for again before the next list.
  static let stalePerson = Change.keep(.user, Name.personTime, nil)

  static func association(_ id: UserID, in memory: VibesMemory) -> [Change] {
    let wasSomebody = memory.lastPerson != nil || memory.associated != nil
    let isSame = memory.associated.map { id.text.hasSameBytes(as: $0) } ?? false
    return (wasSomebody && !isSame ? noPerson : []) + [
      .keep(.user, Name.associated, id.text),
      .keep(.user, Name.associatedDevice, memory.device),
    ]
  }

  static func settings(inboxEnabled: Bool) -> [Change] {
    [
      .settings(VendorSettings(inboxEnabled: inboxEnabled)),
      .keep(.installation, Name.inbox, inboxEnabled ? nil : "off"),
    ]
  }
}
