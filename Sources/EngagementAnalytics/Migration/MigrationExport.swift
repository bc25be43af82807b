import EngagementJSON
import EngagementModel

/// Writes what a team's server sends to a vendor so that people move to it.
///
/// The same people give the same bytes. Who may not be reached is told first, and never with a field or
/// a token. A field or a person that the vendor would refuse is left out and told.
public struct MigrationExport: Sendable {
  private let vendor: Vendor
  private let form: any MigrationForm

  /// The vendors of which it is known what their servers take.
  public enum Vendor: String, Hashable, Sendable, CaseIterable {
    case braze, vibes, clevertap, atomic
  }

  /// - Parameter appID: The vendor's id of the application; Braze files tokens under it.
  public init(to vendor: Vendor, appID: String? = nil) {
    self.vendor = vendor
    form =
      switch vendor {
      case .braze: BrazeMigration(appID: appID)
      case .vibes: VibesMigration()
      case .clevertap: CleverTapMigration()
      case .atomic: AtomicMigration()
      }
  }

  public func batches(of people: MovingPeople) -> MigrationBatches {
    var run = MigrationRun(form)
    for person in people.inOrder { run.add(person) }
    return run.finish()
  }
}

/// How a vendor takes people from a server. Each function gives the bytes of one object.
protocol MigrationForm: Sendable {
  func call(_ part: MigrationBatches.Part) -> MigrationCall
  /// Throws why the vendor takes no such id.
  func check(_ id: UserID) throws(MigrationFault)
  /// Nothing may reach the person.
  func suppressed(_ id: UserID) -> [UInt8]
  /// No notification may reach the person; nil where the vendor has no such field.
  func withoutNotifications(_ id: UserID) -> [UInt8]?
  /// Nil where the vendor has to know nothing of the person.
  func person(_ id: UserID, _ profile: inout MovingProfile) -> [UInt8]?
  /// Nil where the vendor takes no tokens from a server.
  func token(_ token: MovingPerson.Token, of id: UserID?) throws(MigrationFault) -> [UInt8]?
}

/// The fields of one person while they are written.
struct MovingProfile {
  let update: PersonUpdate
  private(set) var faults: [MigrationFault] = []
  private(set) var lacking: [String] = []

  init(_ update: PersonUpdate) { self.update = update }

  /// The value of a field that the vendor has, unless there is something wrong with it.
  mutating func take<Value>(
    _ value: Value?, _ field: PersonUpdate.Field,
    unless fault: (Value) -> String?
  ) -> Value? {
    guard let value else { return nil }
    guard let reason = fault(value) else { return value }
    faults.append(MigrationFault(reason, in: field.rawValue))
    return nil
  }

  /// Notes fields that the vendor does not have.
  mutating func lack(_ fields: PersonUpdate.Field...) {
    let present = update.fields
    lacking += fields.filter(present.contains).map(\.rawValue)
  }

  /// The application's own fields that the vendor takes.
  ///
  /// - Parameter fault: Why the vendor takes no such field.
  mutating func custom(unless fault: (String, JSON) -> String?) -> JSONObject {
    var taken: [JSONObject.Member] = []
    // A null removes a field, and a new vendor has none. The order is that of the names.
    let members = update.custom.members.filter { $0.value != .null }
      .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    for member in members {
      if let reason = fault(member.key, member.value) {
        faults.append(MigrationFault(reason, in: "custom.\(member.key)"))
      } else {
        taken.append(member)
      }
    }
    return JSONObject(uniqueMembers: taken)
  }

  mutating func refuse(_ fault: MigrationFault) { faults.append(fault) }
}

/// One export that is being made.
private struct MigrationRun {
  private let form: any MigrationForm
  private var result = MigrationBatches()
  private var objects: [MigrationBatches.Part: [[UInt8]]] = [:]
  private var owned: Set<Secret> = []
  private var number = 0

  init(_ form: any MigrationForm) { self.form = form }

  mutating func add(_ person: MovingPerson) {
    number += 1
    if let suppression = person.suppression {
      result.suppressed[suppression, default: 0] += 1
    } else {
      result.moving += 1
    }
    if let id = person.id {
      do throws(MigrationFault) {
        guard !id.rawValue.utf8.contains(0) else { throw MigrationFault("Its id has a NUL.") }
        try form.check(id)
      } catch {
        return refuse(error, of: person)
      }
      guard person.suppression == nil else {
        return append(form.suppressed(id), to: .suppressed, of: person)
      }
      tell(person, as: id)
    }
    // Somebody without an id has nothing but a token.
    guard person.suppression == nil else { return }
    for token in person.tokens where person.profile.notifications != false {
      add(token, of: person)
    }
  }

  private mutating func tell(_ person: MovingPerson, as id: UserID) {
    if person.profile.notifications == false {
      if let object = form.withoutNotifications(id) {
        append(object, to: .suppressed, of: person)
      } else {
        result.lacking["notifications", default: 0] += 1
      }
    }
    if person.profile.fields.isEmpty { result.withoutFields += 1 }
    var profile = MovingProfile(person.profile)
    let object = form.person(id, &profile)
    for fault in profile.faults { refuse(fault, of: person) }
    for field in profile.lacking { result.lacking[field, default: 0] += 1 }
    if let object { append(object, to: .people, of: person) }
  }

  private mutating func add(_ token: MovingPerson.Token, of person: MovingPerson) {
    let registration = token.registration
    do throws(MigrationFault) {
      guard registration.environment == .production else {
        throw MigrationFault("A token of a development build reaches nobody else.", in: "token")
      }
      guard owned.insert(registration.token).inserted else {
        throw MigrationFault("Another person has this token.", in: "token")
      }
      guard let object = try form.token(token, of: person.id) else {
        result.lacking["tokens", default: 0] += 1
        return
      }
      append(object, to: .tokens, of: person)
    } catch {
      refuse(error, of: person)
    }
  }

  private mutating func append(
    _ object: [UInt8], to part: MigrationBatches.Part, of person: MovingPerson
  ) {
    guard form.call(part).fits(object.count) else {
      return refuse(
        MigrationFault(
          "It takes \(object.count) bytes, and a request \(form.call(part).mostBytes)."),
        of: person)
    }
    objects[part, default: []].append(object)
  }

  private mutating func refuse(_ fault: MigrationFault, of person: MovingPerson) {
    result.refusals.append(
      .init(person: number, id: person.id, field: fault.field, reason: fault.reason))
  }

  mutating func finish() -> MigrationBatches {
    for part in MigrationBatches.Part.allCases {
      result.bodies += form.call(part).bodies(of: objects[part] ?? [], for: part)
    }
    return result
  }
}

// MARK: What several vendors ask of a value

enum MovingValue {
  static func bytes(_ object: JSONObject) -> [UInt8] { JSON.object(object).encoded() }

  /// Something, an at sign, something, a dot, something.
  static func emailFault(_ text: String) -> String? {
    let bytes = Array(text.utf8)
    let dot = bytes.dropLast().lastIndex(of: UInt8(ascii: "."))
    guard let at = bytes.dropFirst().firstIndex(of: UInt8(ascii: "@")), let dot, dot > at + 1,
      !bytes.contains(where: { $0 <= 0x20 })
    else { return "It is no email address." }
    return nil
  }

  /// As E.164 has it: a plus sign, and 2 to 15 digits that do not begin with a zero.
  static func phoneFault(_ text: String) -> String? {
    let digits = Array(text.utf8.dropFirst())
    guard text.utf8.first == UInt8(ascii: "+"), (2...15).contains(digits.count),
      digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      digits.first != UInt8(ascii: "0")
    else { return "It is no number such as +14155551234." }
    return nil
  }

  static let listFault = "A list is not taken."
  static let objectFault = "An object would be taken for an instruction."
}
