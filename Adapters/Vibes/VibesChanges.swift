import EngagementAdapterAPI
import EngagementFormats
import EngagementModel
import EngagementPlatform

/// Groups of changes that must be committed together.
enum VibesChanges {
  typealias Name = VibesMemory.Name

  /// The changes after a registration. The vendor does not know the push token of a new device.
  static func registered(_ id: String, _ token: Secret, in memory: VibesMemory) -> [Change] {
    renewed(id, token, in: memory) + [
      memory.newRegistration,
      .keep(.installation, Name.deviceOfUser, memory.isOfUser ? "yes" : nil),
    ] + memory.registeredPush.map { .wanted(.registerPush($0)) } + memory.tidying
  }

  static func renewed(_ id: String, _ token: Secret, in memory: VibesMemory) -> [Change] {
    [
      .keep(.installation, Name.device, id), .secret(.installation, Name.token, token),
      .secret(.installation, Name.tokenDevice, Secret(Name.trace(of: id))),
    ] + (memory.doubted.map(confirmed) ?? [])
  }

  /// The vendor knows the device, so the operation failed for another reason.
  private static func confirmed(_ operation: String) -> [Change] {
    [.keep(.installation, Name.doubted, nil), .keep(.installation, Name.confirmed, operation)]
  }

  /// The vendor has lost the device. The user's person stays known: the next device is associated
  /// with the same person or turns out to belong to another.
  static let lost: [Change] = [
    .keep(.installation, Name.device, nil), .secret(.installation, Name.token, nil),
    .secret(.installation, Name.tokenDevice, nil),
  ]

  /// The device was given up.
  static let unregistered: [Change] = lost + push(nil)

  // MARK: Leaving

  /// The user leaves and gives up the device. The vendor may not know it yet, so the token stays,
  /// only for telling it.
  static func left(_ memory: VibesMemory) -> [Change] {
    guard let device = memory.device, let token = memory.token else { return unregistered }
    return unregistered + [
      .secret(.installation, Name.leaving(Name.trace(of: device)), token)
    ]
  }

  /// The vendor knows that the device was given up.
  static func released(_ detail: JSON, in memory: VibesMemory) -> [Change] {
    guard let device = detail[Name.device]?.string else { return [] }
    let trace = Name.trace(of: device)
    guard memory.isDevice(detail) else {
      return [.secret(.installation, Name.leaving(trace), nil)]
    }
    return unregistered + [.keep(.installation, Name.released, trace)]
  }

  /// The vendor's device has one token: that of the environment, or none.
  static func push(_ environment: PushEnvironment?) -> [Change] {
    PushEnvironment.allCases.map {
      .keep(.installation, Name.push($0), $0 == environment ? "registered" : nil)
    }
  }

  static func person(
    _ person: Person, in memory: VibesMemory, at now: Date
  ) -> [Change] {
    let isAnother = memory.lastPerson.map { !$0.hasSameBytes(as: person.key) } ?? false
    return (isAnother ? noPerson : []) + [
      .person(person),
      .keep(.user, Name.person, person.key),
      .keep(.user, Name.personDevice, memory.deviceMark),
      .keep(.user, Name.personTime, ISO8601.text(of: now)),
    ]
  }

  /// Removes the former person and their messages, and rejects pending actions on the inbox.
  static let noPerson: [Change] = [
    .person(nil),
    stalePerson,
    .keep(.user, Name.person, nil),
    .keep(.user, Name.personDevice, nil),
    .items(.inbox, .replace(.nothing), []),
    .abandoned(.inbox, reason: "The device was associated with another person."),
  ]

  /// Forces a request for the person before the next list.
  static let stalePerson = Change.keep(.user, Name.personTime, nil)

  static func association(_ id: UserID, in memory: VibesMemory, at now: Date) -> [Change] {
    let wasSomebody = memory.lastPerson != nil || memory.associated != nil
    let isSame = memory.associated.map { id.rawValue.hasSameBytes(as: $0) } ?? false
    return (wasSomebody && !isSame ? noPerson : []) + [
      .keep(.user, Name.associated, id.rawValue),
      .keep(.user, Name.associatedDevice, memory.deviceMark),
      .keep(.user, Name.associatedTime, ISO8601.text(of: now)),
    ]
  }

  static func settings(inboxEnabled: Bool) -> [Change] {
    [
      .settings(VendorSettings(inboxEnabled: inboxEnabled)),
      .keep(.installation, Name.inbox, inboxEnabled ? nil : "off"),
    ]
  }
}
