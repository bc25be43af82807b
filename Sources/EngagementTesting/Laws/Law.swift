import EngagementAdapterAPI
import EngagementModel

/// A rule that every adapter must keep.
///
/// ```swift
/// @Test(arguments: Law.all) func law(_ law: Law) async throws {
///   for breach in try await law.check(subject) { Issue.record("\(breach)") }
/// }
/// ```
public struct Law: Sendable, Identifiable, CustomStringConvertible {
  /// Stable: `items.one-bad-costs-one`.
  public let id: String
  /// The rule as a sentence.
  public let title: String
  private let condition: @Sendable (AdapterSubject) -> Bool
  private let body: @Sendable (AdapterSubject, inout LawFindings) async throws -> Void

  /// - Parameters:
  ///   - condition: Whether the law applies to a subject, by its declared abilities and samples.
  ///   - body: Tries the adapter and notes each breach.
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

  /// The group that the id names.
  public var group: Group {
    Group(rawValue: String(id.prefix { $0 != "." })) ?? .conduct
  }

  /// The subject matter of laws.
  public enum Group: String, Hashable, Sendable, CaseIterable {
    case abilities, mapping, items, campaigns, failures, actions, chains, users, pushes, conduct,
      live
  }

  /// Whether the law applies to the adapter.
  public func applies(to subject: AdapterSubject) -> Bool { condition(subject) }

  /// The adapter's breaches; empty if the law does not apply.
  public func check(_ subject: AdapterSubject) async throws -> [Breach] {
    guard applies(to: subject) else { return [] }
    var findings = LawFindings()
    try await body(subject, &findings)
    return findings.breaches
  }

  /// Every law, by group.
  public static let all: [Law] =
    abilities + mapping + items + campaigns + failures + actions + chains + users + pushes + conduct
    + live
}

/// One way in which an adapter breaks a law.
public struct Breach: Hashable, Sendable, CustomStringConvertible {
  /// The breach as a sentence.
  public var what: String
  /// Where the law found it.
  public var detail: String

  public init(_ what: String, _ detail: String = "") {
    self.what = what
    self.detail = detail
  }

  public var description: String { detail.isEmpty ? what : "\(what) (\(detail))" }
}

/// Collects breaches up to a limit, so that an adapter with many breaches still gives a short
/// report.
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

// MARK: Conditions of laws

extension AdapterSubject {
  var hasActions: Bool { !actions.isEmpty }
  var hasCampaigns: Bool { campaigns != nil }
  var hasKinds: Bool { items.contains { $0.unknownKind != nil } }
  var hasPushes: Bool { !pushes.isEmpty }
  var hasDisguisedErrors: Bool { !disguisedErrors.isEmpty }
  var isLive: Bool { live != nil }

  /// Whether the vendor requires a device registration first.
  var registersDevices: Bool { capabilities.ability(.device(.register)).travel == .request }

  /// Whether the application or a vendor call can renew a refused credential.
  var renewsCredentials: Bool {
    LawScenario.user.id.flatMap { credential($0, 1) } != nil || declares(.device(.renew))
  }
}
