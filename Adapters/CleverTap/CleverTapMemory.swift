import EngagementAdapterAPI
import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementPlatform

/// The values that the adapter has stored.
///
/// Hosts belong to the installation. The vendor's id of the device and the values that requests repeat
/// belong to the user.
struct CleverTapMemory {
  /// The keys of the stored values.
  enum Name {
    static let domain = "domain"
    static let viewedDomain = "domain.viewed"
    static let domainTime = "domain.time"
    static let firstIdentified = "identified.first"

    static let guid = "guid"
    static let inboxOff = "inbox.off"
    /// The session of the last list, and its time in seconds.
    static let inboxTime = "inbox.time"
    static let lateMessages = "inbox.late"
    static let arp = "arp"
    static let i = "i"
    static let j = "j"
    static let firstRequest = "request.first"
    static let lastRequest = "request.last"
    static let session = "request.session"

    /// The values that a change of user deletes.
    static let ofSession = [arp, i, j, firstRequest, lastRequest, session, inboxTime]
  }

  let values: ScopedValues<String>
  private let configuration: CleverTapConfiguration
  private let isAnonymous: Bool

  init(_ configuration: CleverTapConfiguration, _ context: AdapterContext) {
    self.configuration = configuration
    values = context.values
    isAnonymous = context.user.isAnonymous
  }

  // MARK: Hosts

  /// The host for a call; nil before the first handshake.
  func domain(forViewed isViewed: Bool) -> String? {
    if let region = configuration.region { return isViewed ? region.viewed : region.main }
    let main = values[.installation, Name.domain]
    return isViewed ? values[.installation, Name.viewedDomain] ?? main : main
  }

  /// Whether a handshake is needed: there was none yet, or the host does not answer.
  ///
  /// An adapter is not told about failed connections, so this depends on the number of attempts.
  func needsHandshake(in context: AdapterContext) -> Bool {
    guard configuration.region == nil else { return false }
    guard values[.installation, Name.domain] != nil else { return true }
    guard context.attempt >= Self.patience else { return false }
    let asked = date(.installation, Name.domainTime) ?? .distantPast
    return abs(context.now.timeIntervalSince(asked)) >= Self.handshakeInterval
  }

  /// The number of attempts at one host before a new handshake.
  private static let patience = 5
  private static let handshakeInterval: TimeInterval = 3_600

  // MARK: Device ids

  /// The vendor's id of the device for this user. An anonymous user loses the id when the first
  /// signed-in user takes it over.
  var guid: String? {
    guard let guid = values[.user, Name.guid] else { return nil }
    return isAnonymous && guid == firstIdentified ? nil : guid
  }

  /// The vendor's id of the device at the first sign-in, empty if it had none; nil before the first
  /// sign-in.
  var firstIdentified: String? { values[.installation, Name.firstIdentified] }

  // MARK: Values for the vendor

  var arp: JSONObject { object(Name.arp) }

  /// When each message came that the vendor may not list yet.
  var lateMessages: JSONObject { object(Name.lateMessages) }

  private func object(_ name: String) -> JSONObject {
    values[.user, name].flatMap { try? JSON(parsing: Array($0.utf8)) }?.object ?? [:]
  }

  /// The names of events that the vendor discards.
  var discardedEvents: [String] { arp["d_e"]?.array?.compactMap(\.string) ?? [] }

  func integer(_ name: String) -> Int64? { values[.user, name].flatMap { Int64($0) } }

  func date(_ scope: Scope, _ name: String) -> Date? {
    values[scope, name].flatMap { Int64($0) }.flatMap(Epoch.date(wholeSeconds:))
  }

  /// Whether the vendor has refused the inbox in this session.
  func isInboxOff(in session: Session?) -> Bool {
    values[.user, Name.inboxOff] == Self.mark(of: session)
  }

  /// When the inbox was last listed in this session; nil for not yet.
  func inboxTime(in session: Session?) -> Date? {
    guard let parts = values[.user, Name.inboxTime]?.split(separator: " ", maxSplits: 1),
      let seconds = parts.first.flatMap({ Int64($0) }),
      (parts.dropFirst().first ?? "") == Self.mark(of: session)
    else { return nil }
    return Epoch.date(wholeSeconds: seconds)
  }

  static func inboxMark(_ date: Date, in session: Session?) -> String? {
    text(date).map { "\($0) \(mark(of: session))" }
  }

  static func mark(of session: Session?) -> String { session?.id.rawValue ?? "" }

  static func text(_ date: Date) -> String? { Epoch.wholeSeconds(of: date)?.description }
}
