import EngagementAdapterAPI
import EngagementModel

/// Something that holds for every adapter.
///
/// ```swift
/// @Test(arguments: Law.all) func law(_ law: Law) async throws {
///   for breach in try await law.check(subject) { Issue.record("\(breach)") }
/// }
/// ```
public struct Law: Sendable, Identifiable, CustomStringConvertible {
  /// Stable: `items.one-bad-costs-one`.
  public let id: String
  /// A sentence.
  public let title: String
  private let condition: @Sendable (AdapterSubject) -> Bool
  private let body: @Sendable (AdapterSubject, inout LawFindings) async throws -> Void

  /// - Parameters:
  ///   - condition: Whether the law says anything about an adapter, by what it declares and by
  ///     what its subject has samples of.
  ///   - body: Tries the adapter and notes what it breaks.
  init(
    _ id: String, _ title: String,
    where condition: @escaping @Sendable (AdapterSubject) -> Bool = { _ in true },
    body: @escaping @Sendable (AdapterSubject, inout LawFindings) async throws -> Void
  ) {
    self.id = id
    self.title = title
    self.condition = condition
    self.body = body
  }

  public var description: String { title }

  /// What the law is about.
  public var group: Group {
    Group(rawValue: String(id.prefix { $0 != "." })) ?? .conduct
  }

  /// What laws are about.
  public enum Group: String, Hashable, Sendable, CaseIterable {
    case abilities, mapping, items, failures, actions, chains, users, pushes, conduct, live
  }

  /// Whether the law says anything about the adapter.
  public func applies(to subject: AdapterSubject) -> Bool { condition(subject) }

  /// What the adapter breaks; nothing where the law does not apply.
  public func check(_ subject: AdapterSubject) async throws -> [Breach] {
    guard applies(to: subject) else { return [] }
    var findings = LawFindings()
    try await body(subject, &findings)
    return findings.breaches
  }

  /// Every law, by group.
  public static let all: [Law] =
    abilities + mapping + items + failures + actions + chains + users + pushes + conduct + live
}

/// One way in which an adapter breaks a law.
public struct Breach: Hashable, Sendable, CustomStringConvertible {
  /// A sentence: what does not hold.
  public var what: String
  /// Where it was seen.
  public var detail: String

  public init(_ what: String, _ detail: String = "") {
    self.what = what
    self.detail = detail
  }

  public var description: String { detail.isEmpty ? what : "\(what) (\(detail))" }
}

/// Takes down breaches, a few of each kind: an adapter that fails at everything should still give
/// a report that somebody reads.
struct LawFindings {
  private(set) var breaches: [Breach] = []

  private static let limit = 20

  mutating func note(_ what: String, _ detail: @autoclosure () -> String = "") {
    guard breaches.count < Self.limit else { return }
    breaches.append(Breach(what, detail()))
  }

  mutating func expect(
    _ holds: Bool, _ what: String, _ detail: @autoclosure () -> String = ""
  ) {
    if !holds { note(what, detail()) }
  }

  mutating func expect<Value: Equatable>(
    _ value: Value, is expected: Value, _ what: String, _ detail: @autoclosure () -> String = ""
  ) {
    guard value != expected else { return }
    let place = detail()
    note(what, "\(place.isEmpty ? "" : "\(place): ")\(value) and not \(expected)")
  }
}

// MARK: What laws apply to

extension AdapterSubject {
  var hasActions: Bool { !actions.isEmpty }
  var hasKinds: Bool { items.contains { $0.unknownKind != nil } }
  var hasPushes: Bool { !pushes.isEmpty }
  var hasDisguisedErrors: Bool { !disguisedErrors.isEmpty }
  var isLive: Bool { live != nil }

  /// Whether a device has to be made at the vendor before anything else.
  var registersDevices: Bool { capabilities.ability(.device(.register)).travel == .request }

  /// Whether a refused credential can be renewed, by the application or by a call of the vendor's.
  var renewsCredentials: Bool {
    LawScenario.user.id.flatMap { credential($0, 1) } != nil || declares(.device(.renew))
  }
}
